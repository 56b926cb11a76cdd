/** The places of published links in the other side's order: where the drafts' lists have them. */
import { numberOrNull } from '../../plain-values.ts';
import type { LinkTable } from '../../plan/link-place.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { PENDING_TABLE } from '../../schema/layout/table.ts';
import type { Sql } from '../../sql/fragment.ts';
import { compileNeighbours, compileOrderBefore } from '../../sql/links.ts';
import { hasDrafts, layoutOfModel, type WriteContext } from '../rows/write-context.ts';
import type { Mapping } from './counterparts.ts';
import { linkValues, lockLists, type NewLink, type StoredLink } from './stored-links.ts';

/** A list whose new links are copies of other links. */
export interface CopiedList {
  readonly place: LinkTable;
  /** The model of the rows that hold the links and their originals. */
  readonly model: Model;
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly source: number;
  /** The state of the row that gets the links. `same`: a row of another locale or document, whose links come last. */
  readonly state: Mapping['state'];
}

/** A link to be inserted, and the stored link that it copies. */
export type LinkCopy = NewLink & { readonly like: StoredLink };

/**
 * Inserts copies of links, each to a different target. In the target's list a copy precedes the first link that follows
 * the original in the original target's list and also exists here; if there is none, it comes last. Pending links of
 * the list keep their places.
 */
export async function placeLinks(context: WriteContext, list: CopiedList, links: readonly LinkCopy[]): Promise<void> {
  const { place, source } = list;
  if (links.length === 0) return;
  const rows = links.map((link) => linkValues(place, source, link));
  const { inverseOrder } = place;
  if (inverseOrder !== null) {
    const targets = links.map(({ target }) => target);
    await lockLists(context, place, targets);
    const waiting = await waitingOrders(context, list, links);
    const around = await neighbours(context, list, links);
    for (const [n, { target }] of links.entries()) {
      rows[n]!.push(placeOf(around[n]!, waiting.get(target) ?? []));
    }
  }
  await context.tables.insertMany(place.placedColumns, rows);
}

/** The numbers around the place of a new link, in the list of its target. */
interface Neighbours {
  /** The order of the link that follows the new one; undefined if the new one comes last. */
  readonly next: number | undefined;
  /** The greatest below `next`, and of all; undefined where there is none. */
  readonly previous: number | undefined;
  readonly last: number | undefined;
}

/** A number for a link between its neighbours, and the links that wait. */
function placeOf({ next, previous, last }: Neighbours, waiting: readonly number[]): number {
  const greatest = (numbers: readonly (number | undefined)[]): number | undefined =>
    numbers.reduce((most, number) => (number !== undefined && number > (most ?? -Infinity) ? number : most), undefined);
  if (next === undefined) return (greatest([last, ...waiting]) ?? 0) + 1;
  const before = greatest([previous, ...waiting.filter((number) => number < next)]);
  return before === undefined ? next - 1 : (before + next) / 2;
}

/**
 * The neighbours of each new link. The rows of the same documents, in the state of the new links, show which link
 * follows.
 */
async function neighbours(
  context: WriteContext,
  { place, model, state }: CopiedList,
  links: readonly LinkCopy[],
): Promise<Neighbours[]> {
  const { tables } = context;
  const { dialect } = tables;
  const isFollowed = hasDrafts(model) && state !== 'same';
  const numbers = async (key: string, rows: readonly (readonly (number | null)[])[], compile: () => Sql) => {
    const shape = `${key} ${place.table} ${place.source} ${isFollowed && state}`;
    const numbered = await tables.run(shape, [JSON.stringify(rows)], compile);
    return new Map(
      numbered.map(([n, ...values]) => [Number(n), values.map((value) => numberOrNull(value) ?? undefined)]),
    );
  };
  const rows = links.map((link, n) => [n, link.target, link.like.target, link.like.inverse]);
  const around = await numbers('neighbours', rows, () => {
    const content = { table: layoutOfModel(context, model).table, published: state === 'published' };
    return compileNeighbours(dialect, place, isFollowed ? content : undefined);
  });
  const followed = rows.flatMap(([n, row]) => {
    const next = around.get(n!)?.[0];
    return next === undefined ? [] : [[n!, row!, null, next]];
  });
  const before =
    followed.length === 0 ? undefined : await numbers('before', followed, () => compileOrderBefore(dialect, place));
  return links.map((_, n) => {
    const [next, last] = around.get(n) ?? [];
    return { next, previous: before?.get(n)?.[0], last };
  });
}

/** The places of the links that wait, by the row that is linked to: it holds them where it owns the relation. */
async function waitingOrders(
  { tables }: WriteContext,
  { attribute, state }: CopiedList,
  links: readonly LinkCopy[],
): Promise<Map<number, number[]>> {
  const orders = new Map<number, number[]>();
  if (state !== 'published' || attribute.type === 'media' || attribute.owner || attribute.inverse === undefined) {
    return orders;
  }
  const match = {
    source_type: attribute.target!,
    source_id: links.map(({ target }) => target),
    attribute: attribute.inverse,
  };
  for (const [source, order] of await tables.select(PENDING_TABLE, ['source_id', 'link_order'], match)) {
    if (order === null) continue;
    const ofSource = orders.get(Number(source));
    if (ofSource) ofSource.push(Number(order));
    else orders.set(Number(source), [Number(order)]);
  }
  return orders;
}
