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

/** Where links are made as copies of others. */
export interface CopiedList {
  readonly place: LinkTable;
  /** Of the rows that both the links and those that they are copied from start from. */
  readonly model: Model;
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly source: number;
  /** Of the new links' source; `same`: it is of another locale or document, whose links come behind. */
  readonly state: Mapping['state'];
}

/** A link to be made, and the one that it is a copy of, as it was read from its source. */
export type LinkCopy = NewLink & { readonly like: StoredLink };

/**
 * Makes links that are copies of others, each to a target of its own. In the other side's list one comes before the
 * first that follows the copied link in the list of that one's target and is here as well; behind all others when there
 * is none. Links of that list that wait for their targets keep their places.
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
  /** Of the link that it comes before; undefined: it comes behind all others. */
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
 * The neighbours of each new link. Which link of a list follows is told by the rows of the same documents in the state
 * of the new links.
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
    const found = await tables.run(shape, [JSON.stringify(rows)], compile);
    return new Map(found.map(([n, ...values]) => [Number(n), values.map((value) => numberOrNull(value) ?? undefined)]));
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
    const known = orders.get(Number(source));
    if (known) known.push(Number(order));
    else orders.set(Number(source), [Number(order)]);
  }
  return orders;
}
