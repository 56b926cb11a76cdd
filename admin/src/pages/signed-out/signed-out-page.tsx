/** The frame of pages without a session: one small sheet on the desk. */
import type { ReactNode } from 'react';
import { Looks } from '../../app/me-menu.tsx';
import { Mark } from '../../app/rail.tsx';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Languages } from '../../ui/icons.ts';
import { Menu } from '../../ui/menu.tsx';
import styles from './signed-out.module.css';

interface Props {
  readonly title: string;
  readonly text?: ReactNode;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

export function SignedOutPage({ title, text, children, foot }: Props): ReactNode {
  const t = useText();
  return (
    <div className={styles['desk']}>
      <header className={styles['top']}>
        <span className={styles['brand']}>
          <Mark />
          {t('app.name')}
        </span>
        <Menu
          align="end"
          trigger={<IconButton icon={Languages} label={`${t('theme.label')}, ${t('language.label')}`} />}
        >
          <Looks />
        </Menu>
      </header>
      <main className={styles['sheet']}>
        <h1 className={styles['title']}>{title}</h1>
        {text !== undefined && <p className={styles['text']}>{text}</p>}
        <div className={styles['body']}>{children}</div>
      </main>
      <footer className={styles['foot']}>{foot}</footer>
    </div>
  );
}
