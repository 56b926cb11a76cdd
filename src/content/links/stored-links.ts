/** Links as they are stored, with the orders of both sides. */

import type { Row } from '../../db/queryable.ts';
import type { LinkPlace, LinkTable } from '../../plan/link-place.ts';
import type { IncomingPlan, LinkPlan } from '../../plan/write.ts';
import type { Model } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { listLock } from '../writing/locks.ts';
import type { Select } from '../writing/tables.ts';
import type { ReadContext, WriteContext } from '../writing/write-context.ts';

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
  context: ReadContext,
  place: LinkTable,
  uid: string,
  rowId: number,
): Promise<CopiedLink[]> {
  return (await linksOfRows(context, place, uid, [rowId])).get(rowId) ?? [];
}

/** The same of several rows; of those without links there is none. */
export async function linksOfRows(
  { tables }: ReadContext,
  place: LinkTable,
  uid: string,
  rows: readonly number[],
): Promise<Map<number, CopiedLink[]>> {
  const extra = Object.keys(place.added);
  const optional = [place.order, place.inverseOrder, place.targetType].filter((column) => column !== null);
  const columns = ['id', place.target, place.source, ...optional, ...extra];
  const at = (column: string | null) => (column === null ? -1 : columns.indexOf(column));
  const order = place.order ? [place.order, 'id'] : ['id'];
  const match = { [place.source]: rows, ...place.fixed };
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

/** The links of several attributes of some rows of a model: by attribute and row, in order. */
export type LinksByAttribute = ReadonlyMap<string, ReadonlyMap<number, readonly CopiedLink[]>>;

/** Links that the rows of a model hold, of several attributes at once. Those that lead nowhere are left out. */
export async function linksOfAttributes(
  context: ReadContext,
  model: Model,
  plans: readonly LinkPlan[],
  rows: readonly number[],
): Promise<LinksByAttribute> {
  const asked = plans.flatMap(({ attribute, place }) => {
    const target = attribute.type === 'relation' ? attribute.target : undefined;
    return place.kind === 'inverse' ? [] : [{ name: attribute.name, target, place }];
  });
  const found = await context.tables.selectAll(
    asked.map(({ place, target }) => linkSelect(context, model, place, target, rows)),
  );
  return new Map(
    asked.map(({ name, target, place }, n) => {
      const links = found[n]!.map((row) => ({ source: Number(row[1]), ...linkOf(place, target ?? '', row) }));
      links.sort((a, b) => (a.order ?? 0) - (b.order ?? 0) || a.id - b.id);
      return [name, Map.groupBy(links, ({ source }) => source)];
    }),
  );
}

/**
 * Which of some rows of a model link anything, by attribute. What only the other side can link is not asked for: it counts
 * as linked.
 */
export async function linkedRows(
  context: ReadContext,
  model: Model,
  plans: readonly LinkPlan[],
  rows: readonly number[],
): Promise<(rowId: number, attribute: string) => boolean> {
  const atOtherSide = new Set(
    plans.flatMap(({ attribute, place }) => (place.kind === 'inverse' ? attribute.name : [])),
  );
  const links = await linksOfAttributes(context, model, plans, rows);
  return (rowId, attribute) => atOtherSide.has(attribute) || links.get(attribute)!.has(rowId);
}

const ZERO = { constant: 0 } as const;
const EMPTY = { constant: '' } as const;

/** The select of links by the rows that hold them: id, source, target, both orders, the target's type, other fields. */
function linkSelect(
  context: ReadContext,
  model: Model,
  place: Exclude<LinkPlace, { kind: 'inverse' }>,
  target: string | undefined,
  rows: readonly number[],
): Select {
  if (place.kind === 'table') {
    const [extra = EMPTY] = Object.keys(place.added);
    const orders = [place.order ?? ZERO, place.inverseOrder ?? ZERO];
    return {
      table: place.table,
      columns: ['id', place.source, place.target, ...orders, place.targetType ?? EMPTY, extra],
      match: { [place.source]: rows, ...place.fixed },
      leads: place.leads,
    };
  }
  const [column, type, leads] =
    place.kind === 'own'
      ? [place.column, EMPTY, context.plans.leadsTo(target!, place.column)]
      : [place.id, place.type, place.leads];
  const columns = ['id', 'id', column, ZERO, ZERO, type, EMPTY];
  return {
    table: context.plans.of(model.uid).table,
    columns,
    match: { id: rows },
    leads,
  };
}

function linkOf(place: Exclude<LinkPlace, { kind: 'inverse' }>, uid: string, row: Row): CopiedLink {
  const [id, , target, order, inverse, type, extra] = row;
  const number = (value: unknown) => (value === null ? null : Number(value));
  const isTable = place.kind === 'table';
  const hasType = isTable ? place.targetType !== null : place.kind === 'ownMorph';
  const [name] = isTable ? Object.keys(place.added) : [];
  return {
    id: Number(id),
    target: Number(target),
    uid: hasType ? String(type) : uid,
    order: isTable && place.order !== null ? number(order) : null,
    inverse: isTable && place.inverseOrder !== null ? number(inverse) : null,
    fields: name === undefined ? {} : { [name]: extra as SqlValue },
  };
}

/** Links to a row, from the sides that hold them: by the relation, in the order in which they were made. */
export async function linksTo(
  context: ReadContext,
  uid: string,
  incoming: readonly IncomingPlan[],
  target: number,
): Promise<IncomingLinks[]> {
  const found = await context.tables.selectAll(
    incoming.map(({ model, place }): Select => {
      const rows = linkSelect(context, model, place, uid, []);
      if (place.kind !== 'table') {
        const typed = place.kind === 'ownMorph' ? { [place.type]: uid } : {};
        const column = place.kind === 'own' ? place.column : place.id;
        return { ...rows, match: { [column]: target, ...typed }, leads: undefined };
      }
      const typed = place.targetType ? { [place.targetType]: uid } : {};
      const match = { [place.target]: target, ...place.fixed, ...typed };
      return { ...rows, match, leads: context.plans.leadsTo(model.uid, place.source) };
    }),
  );
  return incoming.map((plan, n) => {
    const links = found[n]!.map((row) => ({ source: Number(row[1]), ...linkOf(plan.place, uid, row) }));
    return { ...plan, links: links.sort((a, b) => a.id - b.id) };
  });
}

/** What of a relation leads to a row. */
export interface IncomingLinks extends IncomingPlan {
  readonly links: readonly (CopiedLink & { readonly source: number })[];
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
