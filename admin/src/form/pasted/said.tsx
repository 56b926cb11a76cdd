/** What is said of what was pasted: what is on its way, what was left out, and what became something else. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import styles from './said.module.css';

interface Props {
  readonly told: readonly string[];
  readonly onTheWay: number;
}

export function Said({ told, onTheWay }: Props): ReactNode {
  const t = useText();
  return (
    // there from the beginning: what is put into it is read out
    <div role="status" className={styles['said']}>
      {onTheWay > 0 && <p>{t('files.uploading', { count: onTheWay })}</p>}
      {told.map((text) => (
        <p key={text} className={styles['told']}>
          {text}
        </p>
      ))}
    </div>
  );
}
