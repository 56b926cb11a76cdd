/** The outcome of a test, with the answer of the other side. */
import type { ReactNode } from 'react';
import { CircleAlert, CircleCheck } from '../ui/icons.ts';
import styles from './settings.module.css';

interface Props {
  readonly ok: boolean;
  readonly text: string;
  /** Empty: none. */
  readonly answer: string;
}

export function Outcome({ ok, text, answer }: Props): ReactNode {
  const Icon = ok ? CircleCheck : CircleAlert;
  return (
    <div className={styles['outcome']}>
      <span className={ok ? styles['ok'] : styles['failed']}>
        <Icon size={15} />
        {text}
      </span>
      {answer !== '' && <pre>{answer}</pre>}
    </div>
  );
}
