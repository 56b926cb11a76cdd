/** Marks documents of a list that are scheduled or in a release. */
import { useQueries } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, use, useMemo } from 'react';
import type { ListPage } from '../../../contract/lists.ts';
import type { Planned } from '../../../contract/schedule.ts';
import type { ContentType } from '../../../contract/schema.ts';
import { splitByRequest } from '../../data/deferred.ts';
import { plannedQuery } from '../../data/schedule.ts';
import styles from './list.module.css';

const PlannedMark = lazy(async () => ({ default: (await import('./planned-mark.tsx')).PlannedMark }));

type ByDocument = ReadonlyMap<string, readonly Planned[]>;

const PlannedContext = createContext<ByDocument>(new Map());

interface Props {
  readonly type: ContentType;
  /** The locale of the list; undefined if the type has no locales. */
  readonly locale: string | undefined;
  readonly pages: readonly ListPage[];
  readonly children: ReactNode;
}

/** Loads what is planned for the documents of visible pages, after these. */
export function PlannedProvider({ type, locale, pages, children }: Props): ReactNode {
  const requests = type.draftAndPublish
    ? pages.flatMap(({ data }) => splitByRequest({ documentIds: new Set(data.map(({ documentId }) => documentId)) }))
    : [];
  const planned = useQueries({
    queries: requests.map((documentIds) => plannedQuery(type.uid, documentIds)),
    combine: (results) => results.flatMap(({ data = [] }) => data),
  });
  const byDocument = useMemo(() => {
    const isHere = ({ locale: of }: Planned) => locale === undefined || !Array.isArray(of) || of.includes(locale);
    return Map.groupBy(planned.filter(isHere), ({ documentId }) => documentId);
  }, [planned, locale]);
  return <PlannedContext value={byDocument}>{children}</PlannedContext>;
}

/** The name of a document with a clock if something is planned for it. */
export function WithPlanned({
  documentId,
  children,
}: {
  readonly documentId: string;
  readonly children: ReactNode;
}): ReactNode {
  const planned = use(PlannedContext).get(documentId);
  if (!planned) return children;
  return (
    <span className={styles['planned']}>
      <span>{children}</span>
      <Suspense>
        <PlannedMark planned={planned} />
      </Suspense>
    </span>
  );
}
