/** A section of the health page. */
import type { ReactNode } from 'react';
import shared from '../../app/settings.module.css';
import styles from './health.module.css';

export function Part({
  id,
  title,
  text,
  children,
}: {
  /** Of the section, for links to it. */
  readonly id?: string;
  readonly title: string;
  readonly text?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section id={id} className={styles['part']} aria-label={title}>
      <h2 className={shared['heading']}>{title}</h2>
      {text !== undefined && <p className={styles['quiet']}>{text}</p>}
      {children}
    </section>
  );
}
