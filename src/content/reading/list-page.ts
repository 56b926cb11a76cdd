/** The page of a list as slots of its plan, the cursor of the next page, and the parsed rows of a read. */
import type { Row } from '../../db/interface/queryable.ts';
import { tooLong } from '../../errors.ts';
import type { ReadSlots } from '../../plan/read.ts';
import type { ContentQuery } from '../../query/content-query.ts';
import { type CursorValue, cursorTie, decodeCursor, encodeCursor, type Position } from '../../query/cursor.ts';
import type { Page } from '../../query/page.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { isLonger, type JsonBody, type ListText, type OneText } from './answers.ts';
import type { Bound } from './compiled-plans.ts';
import type { CountedList } from './remembered-totals.ts';

/** Rows of a page up to which each may be compared with all. */
const SMALL_PAGE = 100;
/** Rows of a page beyond which even short ones may make a long answer. */
const LARGE_PAGE = 1000;
/** Rows to pass over beyond which it takes longer than fetching the page. */
const DEEP_PAGE = 1000;

/** A page; for one by cursor also the values that tie the cursor to the list and the end of the previous page. */
export interface ListPage {
  readonly page: Page;
  readonly tie?: string;
  readonly after?: Position | undefined;
}

/**
 * Reads the cursor of a page.
 *
 * @throws ContentError 400 for one that is not of this list.
 */
export function listPage(type: ContentType, { sort }: ContentQuery, page: Page): ListPage {
  if (page.cursor === undefined) return { page };
  const tie = cursorTie(type.uid, sort);
  return { page, tie, after: page.cursor === '' ? undefined : decodeCursor(page.cursor, tie, sort.length) };
}

/**
 * The slots of a page, whose values are added to those of the query. A refused page has slots as well, since a wrong
 * name is reported before a wrong page.
 */
export function pageSlots(
  list: ListPage | { readonly error: unknown },
  values: unknown[],
): NonNullable<ReadSlots['page']> {
  const add = (value: unknown) => values.push(value) - 1;
  if ('error' in list) return { limit: add(0), offset: add(0), count: true, size: 'small' };
  const { page, tie, after } = list;
  const limit = add(page.limit);
  const offset = add(page.offset);
  const keys = after && {
    keys: after.values.map((value) => (value === null ? null : add(value))),
    id: add(after.id),
  };
  return {
    limit,
    offset,
    count: page.withCount,
    size: page.limit > LARGE_PAGE ? 'large' : page.limit > SMALL_PAGE ? 'medium' : 'small',
    deep: page.offset > DEEP_PAGE,
    cursor: tie === undefined ? undefined : { more: add(page.limit + 1), after: keys },
  };
}

/**
 * The cursor of the next page.
 *
 * @param end the values of the page's last row and its id; null if nothing follows.
 */
function nextCursor({ tie }: ListPage, end: readonly unknown[]): string | undefined {
  const id = end.at(-1);
  if (tie === undefined || id === null || id === undefined) return undefined;
  return encodeCursor(tie, { values: end.slice(0, -1).map(cursorValue), id: cursorValue(id) });
}

/** A long text may have come as its bytes. */
function cursorValue(value: unknown): CursorValue {
  return value === null || typeof value === 'number' ? value : String(value);
}

/** A list's statement, with everything that reading its rows takes. */
export interface BoundList extends CountedList {
  readonly list: ListPage;
}

/**
 * The list that its statement gave.
 *
 * @throws ContentError 400 for one that is too long.
 */
export function listOf<Data extends JsonBody>(bound: BoundList, [row = []]: readonly Row[]): ListText<Data> {
  const { page, longest } = bound;
  const [data, ...rest] = row;
  const total = page.withCount ? Number(rest.shift()) : undefined;
  const state = bound.snapshot ? rest.pop() : null;
  const snapshot = state === null ? undefined : String(state);
  const next = nextCursor(bound.list, rest);
  return { data: withinSize(data as Data | null, longest), page, total, next, snapshot };
}

/**
 * The document that a statement returned; undefined if it found none.
 *
 * @throws ContentError 400 for one that is too long.
 */
export function oneOf<Data extends JsonBody>(
  { longest }: Pick<Bound, 'longest'>,
  [row]: readonly Row[],
): OneText<Data> | undefined {
  if (!row) return undefined;
  const version = row[1] === undefined || row[1] === null ? undefined : Number(row[1]);
  return { data: withinSize(row[0] as Data | null, longest), version };
}

/** The answer that a statement returned; null stands for one that is too long (`JsonDialect.bounded`). */
function withinSize<Data extends JsonBody>(data: Data | null, longest: number): Data {
  if (data === null || isLonger(data, longest)) throw tooLong();
  return data;
}
