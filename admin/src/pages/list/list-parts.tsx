/** The tabs of a list, and its empty states. */

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Cohort } from '../../../contract/lists.ts';
import type { AttributeType, ContentType } from '../../../contract/schema.ts';
import { COHORTS } from '../../data/list-search.ts';
import { cohortsQuery } from '../../data/lists.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { EmptyState } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { FileText, Plus, Search } from '../../ui/icons.ts';
import { Tabs } from '../../ui/tabs.tsx';
import styles from './list.module.css';

interface CohortTabsProps {
  readonly uid: string;
  readonly locale: string | undefined;
  /** Whether a search or filters apply. */
  readonly isNarrowed: boolean;
  readonly value: Cohort;
  readonly onValue: (cohort: Cohort | undefined) => void;
}

/** The states as tabs with counts. Filtered lists have no counts. */
export function CohortTabs({ uid, locale, isNarrowed, value, onValue }: CohortTabsProps): ReactNode {
  const t = useText();
  const { data: sizes } = useQuery(cohortsQuery(uid, locale));
  const tabs = COHORTS.map((cohort) => {
    const count = cohort === 'all' || isNarrowed ? undefined : (sizes?.[cohort] ?? undefined);
    return { value: cohort, label: t(`lists.cohort.${cohort}`), ...(count === undefined ? {} : { count }) };
  });
  return (
    <div className={styles['tabs']}>
      <Tabs
        label={t('lists.cohorts')}
        tabs={tabs}
        value={value}
        onValue={(cohort) => onValue(cohort === 'all' ? undefined : cohort)}
      />
    </div>
  );
}

interface NothingProps {
  readonly type: ContentType;
  /** The title of the list. */
  readonly heading: string;
  readonly isNarrowed: boolean;
  /** The search text; empty without a search. */
  readonly q: string;
  readonly onClear: () => void;
  readonly onCreate: (() => void) | undefined;
}

/** The empty state of a list: how to create documents, or how to clear the search and the filters. */
export function Nothing({ type, heading, isNarrowed, q, onClear, onCreate }: NothingProps): ReactNode {
  const t = useText();
  const names = new Intl.ListFormat(useLanguage(), { type: 'conjunction' });
  if (isNarrowed) {
    const searched = q === '' ? [] : searchedIn(type, q);
    const text = searched.length === 0 ? '' : ` ${t('lists.none.searched', { fields: names.format(searched) })}`;
    return (
      <EmptyState
        icon={Search}
        title={t('lists.none.title')}
        text={`${t('lists.none.text')}${text}`}
        action={<Button onClick={onClear}>{t('lists.none.clear')}</Button>}
      />
    );
  }
  const action = onCreate && (
    <Button look="primary" icon={Plus} onClick={onCreate}>
      {t('lists.new')}
    </Button>
  );
  return (
    <EmptyState
      icon={FileText}
      title={t('lists.empty.title', { name: heading })}
      text={t(
        onCreate ? (type.draftAndPublish ? 'lists.empty.text' : 'lists.empty.textPlain') : 'lists.empty.textReader',
      )}
      {...(action === undefined ? {} : { action })}
    />
  );
}

const TEXTS: ReadonlySet<string> = new Set<AttributeType>([
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'uid',
  'enumeration',
  'json',
]);
const NUMBERS: ReadonlySet<string> = new Set<AttributeType>(['integer', 'biginteger', 'float', 'decimal']);

/** The labels of the fields that the server searches. */
function searchedIn({ attributes }: ContentType, q: string): readonly string[] {
  const isNumber = Number.isFinite(Number(q));
  return attributes
    .filter(({ type, readable }) => readable && (TEXTS.has(type) || (isNumber && NUMBERS.has(type))))
    .map(({ label }) => label);
}
