/** A list of sessions: devices, their last use, and buttons that end them. */
import type { ReactNode } from 'react';
import type { Device, SiteUserSession } from '../../contract/sessions.ts';
import { Around, useText } from '../language/language.tsx';
import type { Text } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import { Laptop, Smartphone } from '../ui/icons.ts';
import styles from './session-list.module.css';

interface Session extends SiteUserSession {
  /** Whether it is the session of this page. */
  readonly current?: boolean;
}

interface Props<S extends Session> {
  readonly sessions: readonly S[];
  readonly disabled?: boolean;
  /** Ends a session; undefined if that is not permitted. */
  readonly onEnd: ((session: S) => void) | undefined;
}

export function SessionList<S extends Session>({ sessions, disabled = false, onEnd }: Props<S>): ReactNode {
  const t = useText();
  return (
    <ul>
      {sessions.map((session) => {
        const { id, device, lastUsedAt, current = false } = session;
        const name = deviceText(t, device);
        const Icon = device?.isPhone ? Smartphone : Laptop;
        return (
          <li key={id} className={styles['session']}>
            <Icon size={18} />
            <div>
              <p>{name}</p>
              <p className={styles['quiet']}>
                {current ? (
                  t('account.sessions.this')
                ) : (
                  <Around text={t('account.sessions.used', { when: '\0' })} at={lastUsedAt} />
                )}
              </p>
            </div>
            {onEnd && !current && (
              <Button
                look="quiet"
                aria-label={t('account.sessions.endOf', { device: name })}
                disabled={disabled}
                onClick={() => onEnd(session)}
              >
                {t('account.sessions.end')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The name of a device, as far as it is known. */
function deviceText(t: Text, device: Device | null): string {
  const { browser = null, system = null } = device ?? {};
  if (browser !== null && system !== null) return t('account.sessions.device', { browser, system });
  return browser ?? system ?? t('account.sessions.unknown');
}
