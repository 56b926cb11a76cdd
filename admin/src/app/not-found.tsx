/** Shown at an address that no page has. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { EmptyState } from '../ui/bits.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Search } from '../ui/icons.ts';
import { useTitle } from './title.ts';

export function Missing(): ReactNode {
  const t = useText();
  useTitle(t('missing.title'));
  return (
    <EmptyState
      level={1}
      icon={Search}
      title={t('missing.title')}
      text={t('missing.text')}
      action={
        <ButtonLink look="primary" to="/">
          {t('missing.home')}
        </ButtonLink>
      }
    />
  );
}
