/** The link of an invitation, which is shown once. */
import type { ReactNode } from 'react';
import type { Invitation } from '../../../contract/people.ts';
import { ShownOnce } from '../../app/shown-once.tsx';
import { useText } from '../../language/language.tsx';
import { invitationAddress } from './data.ts';
import styles from './people.module.css';

interface Props {
  readonly email: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

export function InvitationLink({ email, invitation, onClose }: Props): ReactNode {
  const t = useText();
  const address = invitationAddress(invitation);
  const text = t(invitation.isMailed ? 'people.link.mailed' : 'people.link.text', { email });
  return (
    <ShownOnce title={t('people.link.title')} text={text} value={address} onClose={onClose}>
      <code className={styles['link']}>{address}</code>
    </ShownOnce>
  );
}
