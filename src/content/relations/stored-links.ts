/** Links as they are stored, with the orders of both sides. */
import type { Row, Sent } from '../../db/interface/queryable.ts';
import type { OwnedRows } from '../../db/interface/table-reader.ts';
import { isExclusive, type LinkPlace, type LinkTable } from '../../plan/link-place.ts';
import type { IncomingPlan, LinkPlan } from '../../plan/link-plan.ts';
import type { RelationAttribute } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { listLock } from '../rows/locks.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  model as modelNamed,
  type ReadContext,
  type Source,
  type WriteContext,
} from '../rows/write-context.ts';

/** A stored link. */
export interface StoredLink {
  readonly id: number;
  readonly target: number;
  readonly uid: string;
  readonly order: number | null;
  /** Its place in the other side's order. */
  readonly inverse: number | null;
  /** Further columns of the link: the attribute that a link to any type was written from. */
  readonly fields: Readonly<Record<string, SqlValue>>;
}

/** The links of an attribute of some rows, by row, in this side's order. Links to missing rows are skipped. */
export async function linksOfRows(
  { tables }: ReadContext,
  plan: LinkPlan,
  rows: readonly number[],
): Promise<Map<number, StoredLink[]>> {
  const bound = queryOf(plan, rows);
  if (bound === undefined) return new Map();
  const links = (await tables.find(bound.query, bound.values)).map(linkReader(plan));
  return Map.groupBy(links, ({ source }) => source);
}

/** A link with the row that holds it. */
type SourcedLink = StoredLink & { readonly source: number };

/** The links of several attributes of some rows of a model: by attribute and row, in order. */
export type LinksByAttribute = ReadonlyMap<string, ReadonlyMap<number, readonly StoredLink[]>>;

/** The links that rows of a model store, of several attributes at once. Links to missing rows are skipped. */
export async function linksOfAttributes(
  { tables }: ReadContext,
  plans: readonly LinkPlan[],
  rows: readonly number[],
): Promise<LinksByAttribute> {
  const queries = plans.flatMap((plan) => {
    const links = queryOf(plan, rows);
    return links ? [{ ...links, plan }] : [];
  });
  const results = await tables.findAll(queries);
  return new Map(
    queries.map(({ plan }, n) => {
      const links = results[n]!.map(linkReader(plan));
      links.sort((a, b) => (a.order ?? 0) - (b.order ?? 0) || a.id - b.id);
      return [plan.attribute.name, Map.groupBy(links, ({ source }) => source)];
    }),
  );
}

const queryOf = ({ bySource }: LinkPlan, rows: readonly number[]) =>
  bySource && { query: bySource.query, values: [rows, ...bySource.fixed] };

/**
 * Tells whether a row of a model links anything by an attribute. Attributes whose links only the other side stores are
 * not read: they count as linked.
 */
export async function linkedRows(
  context: ReadContext,
  plans: readonly LinkPlan[],
  rows: readonly number[],
): Promise<(rowId: number, attribute: string) => boolean> {
  const links = await linksOfAttributes(context, plans, rows);
  return (rowId, attribute) => links.get(attribute)?.has(rowId) ?? true;
}

/** How the rows of the links of an attribute are read (plan/link-plan.ts). */
function linkReader({ attribute, place }: LinkPlan): (row: Row) => SourcedLink {
  const uid = attribute.type === 'relation' ? (attribute.target ?? '') : '';
  const isTable = place.kind === 'table';
  const hasType = isTable ? place.targetType !== null : place.kind === 'ownMorph';
  const [hasOrder, hasInverse] = isTable ? [place.order !== null, place.inverseOrder !== null] : [false, false];
  const [name] = isTable ? Object.keys(place.added) : [];
  const number = (value: unknown) => (value === null ? null : Number(value));
  return ([id, source, target, order, inverse, type, extra]) => ({
    source: Number(source),
    id: Number(id),
    target: Number(target),
    uid: hasType ? String(type) : uid,
    order: hasOrder ? number(order) : null,
    inverse: hasInverse ? number(inverse) : null,
    fields: name === undefined ? NO_FIELDS : { [name]: extra as SqlValue },
  });
}

const NO_FIELDS = {};

/** Links to a row from other rows that store them: by relation, oldest first. */
export async function linksTo(
  { tables }: ReadContext,
  incoming: readonly IncomingPlan[],
  target: number,
): Promise<IncomingLinks[]> {
  const queries = incoming.map(({ byTarget: { query, fixed } }) => ({ query, values: [target, ...fixed] }));
  const results = await tables.findAll(queries);
  return incoming.map((plan, n) => {
    const links = results[n]!.map(linkReader(plan));
    return { ...plan, links: links.sort((a, b) => a.id - b.id) };
  });
}

/**
 * Rows that link one of several rows by a relation, each once, and whether there may be more.
 *
 * @param most the number of links that are read.
 * @param outside rows whose links are skipped.
 */
export async function sourcesTo(
  { tables }: ReadContext,
  plan: IncomingPlan,
  targets: readonly number[],
  most: number,
  outside: Omit<OwnedRows, 'column'>,
): Promise<{ readonly sources: readonly number[]; readonly more: boolean }> {
  const { query, fixed } = plan.byTarget;
  const column = query.columns[1] as string;
  const rows = await tables.some(query, [targets, ...fixed], most + 1, { ...outside, column });
  const links = rows.map(linkReader(plan));
  return { sources: [...new Set(links.map(({ source }) => source))], more: links.length > most };
}

/** The links of one relation to a row. */
export interface IncomingLinks extends IncomingPlan {
  readonly links: readonly SourcedLink[];
}

/**
 * Makes other writers that link the same targets wait until this transaction ends. The place of a new link in its
 * target's list depends on the links there, and uncommitted links of other sessions are invisible.
 */
export function lockLists(
  { tx }: WriteContext,
  { table, target, inverseOrder }: LinkTable,
  targets: readonly number[],
): false | Promise<boolean> {
  return inverseOrder !== null && tx.lock(() => targets.map((row) => listLock(table, target, row)), false);
}

export type NewLink = Pick<StoredLink, 'target' | 'uid' | 'order'> & Partial<Pick<StoredLink, 'fields'>>;

/** The values of a new link (`LinkTable.columns`). */
export function linkValues(place: LinkTable, source: number, link: NewLink): SqlValue[] {
  const { fields = place.added } = link;
  const values: SqlValue[] = [source, link.target];
  for (const name in place.fixed) values.push(place.fixed[name]!);
  for (const name in place.added) values.push(fields[name]!);
  if (place.targetType !== null) values.push(link.uid);
  if (place.order !== null) values.push(link.order);
  return values;
}

/** Inserts links, each at the end of its target's list if that has an order. No two of the links may be in one list. */
export function insertLinks({ tables }: WriteContext, place: LinkTable, links: readonly SqlValue[][]): Sent {
  const { columns, inverseOrder, target } = place;
  return tables.insertMany(columns, links, inverseOrder === null ? undefined : { column: inverseOrder, group: target });
}

/** A link of a list, at its place. */
export interface ListedLink extends Pick<StoredLink, 'uid' | 'target' | 'order'> {
  /** The id of the stored link; undefined for one to be inserted. */
  readonly id: number | undefined;
}

/** The rows that bring a stored list to the one that is wanted. */
export interface ListDifference<Link extends ListedLink = ListedLink> {
  readonly gone: readonly StoredLink[];
  readonly added: readonly Link[];
  /** Stored links that come to another place: their ids and orders. */
  readonly moved: readonly (readonly [id: number, order: number | null])[];
}

const NONE: readonly never[] = [];

/** Compares a stored list with the list that is wanted. */
export function compareLinks<Link extends ListedLink>(
  stored: readonly StoredLink[],
  wanted: readonly Link[],
): ListDifference<Link> {
  const added: Link[] = [];
  const remaining = new Map<number, number | null>();
  for (const link of wanted) {
    if (link.id === undefined) added.push(link);
    else remaining.set(link.id, link.order);
  }
  if (stored.length === 0) return { gone: NONE, added, moved: NONE };
  const removed = stored.filter(({ id }) => !remaining.has(id));
  const moved = stored.flatMap(({ id, order }): [number, number | null][] => {
    const wantedOrder = remaining.get(id);
    return wantedOrder === undefined || wantedOrder === order ? [] : [[id, wantedOrder]];
  });
  return { gone: removed, added, moved };
}

/** The target of a link, as a key. */
export const linkKey = ({ uid, target }: Pick<StoredLink, 'uid' | 'target'>): string => `${uid} ${target}`;

/**
 * The rows that would lose a link if a row linked some targets: rows of the same state and of other documents. If the
 * link is a column of the target, all rows that it names.
 *
 * @param linked ids of rows of the attribute's target.
 */
export async function holdersOf(
  context: WriteContext,
  { model, rowId, scope }: Source,
  place: LinkPlace,
  attribute: RelationAttribute,
  linked: readonly number[],
): Promise<number[]> {
  const { tables } = context;
  const { table } = layoutOfModel(context, model);
  const holders = (await rowsLinking(context, table, place, attribute, linked)).map(([id]) => Number(id));
  const others = [...new Set(holders)].filter((id) => id !== rowId);
  if (others.length === 0 || place.kind === 'inverse' || !(hasDrafts(model) || isLocalized(model))) return others;
  const rows = await tables.select(table, ['id', 'published_at', 'document_id'], { id: [...others, rowId] });
  const own = rows.find(([id]) => Number(id) === rowId)?.[2];
  const isAlike = (publishedAt: unknown) =>
    !hasDrafts(model) || (publishedAt !== null) === (scope.state === 'published');
  return rows
    .filter(([, publishedAt, documentId]) => documentId !== own && isAlike(publishedAt))
    .map(([id]) => Number(id));
}

async function rowsLinking(
  context: WriteContext,
  table: string,
  place: LinkPlace,
  attribute: RelationAttribute,
  linked: readonly number[],
): Promise<readonly Row[]> {
  const { tables } = context;
  if (linked.length === 0) return [];
  if (place.kind === 'inverse') {
    const type = place.type ? { [place.type.column]: place.type.uid } : {};
    const target = layoutOfModel(context, modelNamed(context, attribute.target!)).table;
    return (await tables.select(target, [place.column], { id: linked, ...type })).filter(([id]) => id !== null);
  }
  if (place.kind === 'ownMorph' || !isExclusive(attribute)) return [];
  return place.kind === 'own'
    ? tables.select(table, ['id'], { [place.column]: linked })
    : tables.select(place.table, [place.source], { ...place.fixed, [place.target]: linked });
}
