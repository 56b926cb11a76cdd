/** Links to the pages of a list. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { IconButton } from './button.tsx';
import { ChevronLeft, ChevronRight } from './icons.ts';
import styles from './pagination.module.css';

interface Props {
  /** From 1 on. */
  readonly page: number;
  readonly pageCount: number;
  readonly onPage: (page: number) => void;
}

export function Pagination({ page, pageCount, onPage }: Props): ReactNode {
  const t = useText();
  return (
    <nav className={styles['pages']} aria-label={t('pages.label')}>
      <IconButton icon={ChevronLeft} label={t('previous')} disabled={page <= 1} onClick={() => onPage(page - 1)} />
      <span aria-live="polite">{t('pages.of', { page, count: Math.max(1, pageCount) })}</span>
      <IconButton icon={ChevronRight} label={t('next')} disabled={page >= pageCount} onClick={() => onPage(page + 1)} />
    </nav>
  );
}
