/** A section of the account page. */
import type { ReactNode } from 'react';
import shared from '../../app/settings.module.css';
import styles from './account.module.css';

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className={styles['section']} aria-label={title}>
      <h2 className={shared['heading']}>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
