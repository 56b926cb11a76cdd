/** Links as they are stored, with the orders of both sides. */

import type { LinkTable } from '../../plan/link-place.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { listLock } from '../writing/locks.ts';
import type { WriteContext } from '../writing/write-context.ts';

export interface CopiedLink {
  readonly id: number;
  readonly target: number;
  readonly uid: string;
  readonly order: number | null;
  readonly inverse: number | null;
  /** What else the link's row says: the attribute that a link to any type was written from. */
  readonly fields: Readonly<Record<string, SqlValue>>;
}

/** Links of a row with both orders, in this side's. Those that lead nowhere are left out. */
export async function linksOf(
  context: WriteContext,
  place: LinkTable,
  uid: string,
  rowId: number,
): Promise<CopiedLink[]> {
  return (await linksOfRows(context, place, uid, [rowId])).get(rowId) ?? [];
}

/** The same of several rows; of those without links there is none. */
export async function linksOfRows(
  { tables }: WriteContext,
  place: LinkTable,
  uid: string,
  rows: readonly number[],
): Promise<Map<number, CopiedLink[]>> {
  const extra = Object.keys(place.added);
  const optional = [place.order, place.inverseOrder, place.targetType].filter((column) => column !== null);
  const columns = ['id', place.target, place.source, ...optional, ...extra];
  const at = (column: string | null) => (column === null ? -1 : columns.indexOf(column));
  const order = place.order ? [place.order, 'id'] : ['id'];
  const match = { [place.source]: rows.length === 1 ? rows[0]! : rows, ...place.fixed };
  const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  const found = await tables.select(place.table, columns, match, order, place.leads);
  const links = found.map((row) => ({
    source: Number(row[2]),
    id: Number(row[0]),
    target: Number(row[1]),
    uid: place.targetType ? String(row[at(place.targetType)]) : uid,
    order: number(row[at(place.order)]),
    inverse: number(row[at(place.inverseOrder)]),
    fields: Object.fromEntries(extra.map((column) => [column, row[at(column)] as SqlValue])),
  }));
  return Map.groupBy(links, ({ source }) => source);
}

/**
 * Makes other writers who link the same targets wait until this transaction ends. The place of a new link in its
 * target's list follows from the places there, and those of links that are not committed yet cannot be seen.
 */
export async function lockLists(
  { tx }: WriteContext,
  { table, target, inverseOrder }: LinkTable,
  targets: readonly number[],
): Promise<void> {
  if (inverseOrder !== null) await tx.lock(targets.map((row) => listLock(table, target, row)));
}

export type NewLink = Pick<CopiedLink, 'target' | 'uid' | 'order'> & Partial<Pick<CopiedLink, 'fields'>>;

/** The columns of a new link, but for its place in the other side's order. */
export function linkColumns(place: LinkTable, source: number, link: NewLink): Map<string, SqlValue> {
  const columns = new Map<string, SqlValue>([
    [place.source, source],
    [place.target, link.target],
    ...Object.entries(place.fixed),
    ...Object.entries(link.fields ?? place.added),
  ]);
  if (place.targetType) columns.set(place.targetType, link.uid);
  if (place.order) columns.set(place.order, link.order);
  return columns;
}
