/** What the rows that a read's statement gives are. */
import type { Row } from '../../db/interface/queryable.ts';
import { tooLong } from '../../errors.ts';
import type { ListText, OneText } from './answers.ts';
import type { Bound } from './compiled-plans.ts';
import { isLonger, type JsonBody } from './json-body.ts';
import { type ListPage, nextCursor } from './list-page.ts';
import type { CountedList } from './remembered-totals.ts';

/** A list's statement with what its rows are read by. */
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
 * The document that its statement gave; undefined where it found none.
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

/** An answer that the statement gave; null stands for one that is too long (`JsonDialect.bounded`). */
function withinSize<Data extends JsonBody>(data: Data | null, longest: number): Data {
  if (data === null || isLonger(data, longest)) throw tooLong();
  return data;
}
