/** The bar above the page on a phone: menu, title and search; and the head of every page. */
import type { ReactNode } from 'react';
import { useLocale, useText } from '../language/language.tsx';
import { IconButton } from '../ui/button.tsx';
import { Menu, Search } from '../ui/icons.ts';
import { Mark, SiteName } from './rail.tsx';
import styles from './top-bar.module.css';

export function TopBar({ onMenu, onFind }: { readonly onMenu: () => void; readonly onFind: () => void }): ReactNode {
  const t = useText();
  return (
    <header className={styles['bar']}>
      <IconButton icon={Menu} label={t('rail.open')} onClick={onMenu} />
      <span className={styles['brand']}>
        <Mark />
        <SiteName />
      </span>
      <IconButton icon={Search} label={t('palette.open')} onClick={onFind} />
    </header>
  );
}

interface PageHeadProps {
  readonly title: string;
  /** The number of items. */
  readonly count?: number;
  /** Buttons. The primary one comes last. */
  readonly children?: ReactNode;
}

/** The head of a page: its title and its actions. */
export function PageHead({ title, count, children }: PageHeadProps): ReactNode {
  const locale = useLocale();
  return (
    <header className={styles['head']}>
      <h1 className={styles['title']}>
        {title}
        {/* The space makes screen readers pronounce it as a separate word. */}
        {count !== undefined && (
          <>
            {' '}
            <small>{count.toLocaleString(locale)}</small>
          </>
        )}
      </h1>
      {children !== undefined && <div className={styles['actions']}>{children}</div>}
    </header>
  );
}
