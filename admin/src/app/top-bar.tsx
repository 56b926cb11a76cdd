/** On a phone, the bar above the page: the way to the rail, where one is, and search. */
import type { ReactNode } from 'react';
import { useLocale, useText } from '../language/language.tsx';
import { IconButton } from '../ui/button.tsx';
import { Menu, Search } from '../ui/icons.ts';
import { Mark } from './rail.tsx';
import styles from './top-bar.module.css';

export function TopBar({ onMenu, onFind }: { readonly onMenu: () => void; readonly onFind: () => void }): ReactNode {
  const t = useText();
  return (
    <header className={styles['bar']}>
      <IconButton icon={Menu} label={t('rail.open')} onClick={onMenu} />
      <span className={styles['brand']}>
        <Mark />
        {t('app.name')}
      </span>
      <IconButton icon={Search} label={t('palette.open')} onClick={onFind} />
    </header>
  );
}

interface PageHeadProps {
  readonly title: string;
  /** How many there are. */
  readonly count?: number;
  /** Buttons, the one for what is done next last. */
  readonly children?: ReactNode;
}

/** The first line of a page: what it is, and what can be done. */
export function PageHead({ title, count, children }: PageHeadProps): ReactNode {
  const locale = useLocale();
  return (
    <header className={styles['head']}>
      <h1 className={styles['title']}>
        {title}
        {/* the space has it read out as a word of its own */}
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
