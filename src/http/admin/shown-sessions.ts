/** Sessions in the answers of the administration API. */
import { deviceOfName } from '../../users/sessions/sessions.ts';
import { timeOf } from './answers.ts';

interface Session {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** The stored name of the device. */
  readonly device: string | null;
}

/** A session of a site user. */
export const shownSession = ({ id, createdAt, lastUsedAt, device }: Session) => ({
  id,
  createdAt: timeOf(createdAt),
  lastUsedAt: timeOf(lastUsedAt),
  device: deviceOfName(device),
});

/** A session of an administrator. @param own the id of the session of the request. */
export const shownAdministratorSession = (session: Session, own: string) => ({
  ...shownSession(session),
  current: session.id === own,
});
