/** Shown in place of a file that was deleted. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { EmptyState } from '../ui/bits.tsx';

export function Missing(): ReactNode {
  const t = useText();
  return <EmptyState title={t('missing.title')} text={t('missing.text')} />;
}
