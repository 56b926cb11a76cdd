/** The rows of a list: visible pages, rows of the previous list while they are loading, and pending actions. */
import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Cohort, ListPage } from '../../../contract/lists.ts';
import { useIntents } from '../../data/deferred.ts';
import { listPageQuery, PAGE } from '../../data/lists.ts';
import { type Row, stateOf } from './columns.tsx';

export interface Rows {
  /** The number of visible rows; undefined until it is known. */
  readonly count: number | undefined;
  /** The number of documents on all pages. */
  readonly total: number | undefined;
  readonly rowAt: (index: number) => Row | undefined;
  /** The loaded pages of the list around the visible rows. */
  readonly pages: readonly ListPage[];
  readonly onRange: (first: number, last: number) => void;
  /** Whether the rows are those of the previous list, filtered in the browser. */
  readonly isStale: boolean;
  readonly error: unknown;
  /** Whether nothing is loaded because there is no connection. */
  readonly isOffline: boolean;
  readonly retry: () => void;
}

interface RowsRequest {
  readonly uid: string;
  /** The query string. */
  readonly asked: string;
  /** The text in the search field, sent or not. */
  readonly written: string;
  readonly cohort: Cohort | undefined;
  readonly locale: string;
  /** The page size and the page number, from 0 on; `size` is undefined if the list scrolls. */
  readonly size: number | undefined;
  readonly page: number;
}

/** The milliseconds after which pages are requested during scrolling. */
const PASSING = 80;

export function useRows({ uid, asked: search, written, cohort, locale, size, page: own }: RowsRequest): Rows {
  const client = useQueryClient();
  const intents = useIntents().filter((intent) => intent.uid === uid);
  const [inSight, setInSight] = useState<readonly number[]>([0]);
  const isPaged = size !== undefined;
  const pages = isPaged ? [own] : [...new Set([0, ...inSight])];
  const results = useQueries({ queries: pages.map((page) => listPageQuery(uid, search, page, size)) });
  const [first] = results;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onRange = useCallback((from: number, to: number) => {
    const [start, end] = [Math.floor(from / PAGE), Math.floor(to / PAGE)];
    const next = Array.from({ length: end - start + 1 }, (_, n) => start + n);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setInSight((before) => (before.join() === next.join() ? before : next)), PASSING);
  }, []);

  // An unchanged row is the same object, so that it is not rendered again.
  const rowsByDocument = useRef(new WeakMap<object, Row>());
  const rowOf = (page: ListPage, index: number): Row | undefined => {
    const document = page.data[index];
    if (!document) return undefined;
    // The latest action.
    const own = intents.findLast(
      (intent) =>
        intent.documentIds.has(document.documentId) &&
        (intent.action === 'delete' || intent.locale === undefined || intent.locale === locale),
    );
    const states = page.meta.states[document.documentId];
    const known = rowsByDocument.current.get(document);
    if (known && known.states === states && known.intent === own?.action) return known;
    const row = { document, states, intent: own?.action, match: page.meta.matches[String(document.id)] };
    rowsByDocument.current.set(document, row);
    return row;
  };

  const seen = useRef<Seen>(undefined);
  if (first?.data) seen.current = { uid, asked: search, size, page: isPaged ? own : undefined };
  const isStale = first?.data === undefined;
  const retry = async (): Promise<void> => {
    const filters = { queryKey: ['list', uid, search] };
    // A request that waits for a connection would continue to wait.
    await client.cancelQueries(filters);
    await client.invalidateQueries(filters);
  };
  const error = isStale ? first?.error : undefined;
  const before = isStale && seen.current?.uid === uid ? pagesOf(client, seen.current) : [];
  const isOffline = isStale && first?.fetchStatus === 'paused' && before.length === 0;
  const loaded = isStale ? [] : results.flatMap(({ data }) => data ?? []);
  const common = { pages: loaded, onRange, error, isOffline, retry: () => void retry() };
  if (isStale) {
    const rows = before
      .flatMap((page) => page.data.map((_, index) => rowOf(page, index)))
      .filter((row): row is Row => row !== undefined && fits(row, written, cohort, locale));
    const count = before.length > 0 ? rows.length : undefined;
    return { ...common, count, total: count, rowAt: (index) => rows[index], isStale };
  }
  const total = first?.data?.meta.pagination.total ?? 0;
  if (isPaged) {
    const shown = first!.data!;
    return { ...common, count: shown.data.length, total, rowAt: (index) => rowOf(shown, index), isStale };
  }
  // Cached, because callers read many rows of the same page.
  let held: { readonly number: number; readonly page: ListPage | undefined } | undefined;
  const rowAt = (index: number): Row | undefined => {
    const number = Math.floor(index / PAGE);
    if (held?.number !== number)
      held = { number, page: client.getQueryData<ListPage>(listPageQuery(uid, search, number).queryKey) };
    return held.page && rowOf(held.page, index % PAGE);
  };
  return { ...common, count: total, total, rowAt, isStale };
}

/** The previous list: one page, or all loaded pages if it scrolls. */
type Seen =
  | {
      readonly uid: string;
      readonly asked: string;
      readonly size: number | undefined;
      readonly page: number | undefined;
    }
  | undefined;

/** The loaded pages of the previous list, in order. */
function pagesOf(client: QueryClient, { uid, asked: search, size, page }: NonNullable<Seen>): readonly ListPage[] {
  return client
    .getQueriesData<ListPage>({ queryKey: ['list', uid, search] })
    .filter(([key]) => key[4] === size && (page === undefined || key[3] === page))
    .toSorted(([a], [b]) => Number(a[3]) - Number(b[3]))
    .flatMap(([, page]) => page ?? []);
}

/** Whether a row may be in the list that is loading, as far as the browser can tell. */
function fits(row: Row, written: string, cohort: Cohort | undefined, locale: string): boolean {
  if (cohort !== undefined && cohort !== 'all' && stateOf(row, locale) !== cohort) return false;
  const needle = written.trim().toLocaleLowerCase();
  return needle === '' || JSON.stringify(Object.values(row.document)).toLocaleLowerCase().includes(needle);
}
