/** The places of published links in the other side's order: where the drafts' lists have them. */
import type { MediaAttribute, Model, RelationAttribute } from '../schema/catalog.ts';
import { id, join, raw, type Sql, slot, sql } from '../sql/fragment.ts';
import type { Mapping } from './counterparts.ts';
import type { LinkTable } from './link-tables.ts';
import { PENDING_TABLE } from './pending-links.ts';
import { type CopiedLink, holdLists, linkColumns, type NewLink } from './stored-links.ts';
import { hasDrafts, layoutOfModel, type WriteContext } from './write-context.ts';

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
export type LinkCopy = NewLink & { readonly like: CopiedLink };

/**
 * Makes links that are copies of others, each to a target of its own. In the other side's list one comes before the
 * first that follows the copied link in the list of that one's target and is here as well; behind all others when there
 * is none. Links of that list that wait for their targets keep their places.
 */
export async function placeLinks(context: WriteContext, list: CopiedList, links: readonly LinkCopy[]): Promise<void> {
  const { place, source } = list;
  if (links.length === 0) return;
  const columns = links.map((link) => linkColumns(place, source, link));
  const { inverseOrder } = place;
  if (inverseOrder !== null) {
    const targets = links.map(({ target }) => target);
    await holdLists(context, place, targets);
    const waiting = await waitingOrders(context, list, links);
    const around = await neighbours(context, list, links);
    for (const [n, { target }] of links.entries()) {
      columns[n]!.set(inverseOrder, placeOf(around[n]!, waiting.get(target) ?? []));
    }
  }
  await context.tables.insertMany(place.table, columns);
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
 * The neighbours of each new link, by one statement. Which link of a list follows is told by the rows of the same
 * documents in the state of the new links.
 */
async function neighbours(
  { tables, ...context }: WriteContext,
  { place, model, state }: CopiedList,
  links: readonly LinkCopy[],
): Promise<Neighbours[]> {
  const { table, source, target } = place;
  const { dialect } = tables;
  const isFollowed = hasDrafts(model) && state !== 'same';
  const rows = links.map((link, n) => [n, link.target, link.like.target, link.like.inverse]);
  const found = await tables.run(`neighbours ${table} ${source} ${isFollowed && state}`, [JSON.stringify(rows)], () => {
    const [links, from, to, order] = [id(table), id(source), id(target), id(place.inverseOrder!)];
    const given = dialect.unfold(slot(0), [
      { name: 'n', kind: 'integer' },
      { name: 'to', kind: 'integer' },
      { name: 'like_to', kind: 'integer' },
      { name: 'like_order', kind: 'double' },
    ]);
    const content = id(layoutOfModel({ tables, ...context }, model).table);
    const following: Sql = isFollowed
      ? join(
          [
            sql`(select coalesce(l."order", 0) from (select ${from} as "from", ${order} as "order", "id" from ${links}`,
            sql`where ${to} = given."like_to" and ${order} > given."like_order") f`,
            sql`join ${content} own on own."id" = f."from"`,
            sql`join ${content} other on other."document_id" = own."document_id"`,
            sql`and ${dialect.same(sql`other."locale"`, sql`own."locale"`)} and other."id" <> own."id"`,
            sql`and other."published_at" is ${raw(state === 'published' ? 'not null' : 'null')}`,
            sql`join (select ${from} as "from", ${to} as "to", ${order} as "order", "id" from ${links}) l`,
            sql`on l."from" = other."id" and l."to" = given."to"`,
            sql`order by f."order", f."id", l."order" desc, l."id" desc limit 1)`,
          ],
          ' ',
        )
      : raw('null');
    const greatest = (condition: Sql): Sql =>
      sql`(select max(coalesce(${order}, 0)) from ${links} where ${to} = placed."to"${condition})`;
    // without a type of its own it could not be compared
    const below = isFollowed ? greatest(sql` and coalesce(${order}, 0) < placed."next"`) : raw('null');
    return sql`select placed."next", ${below}, ${greatest(raw(''))} from (select given."n", given."to", ${following} as "next" from ${given} given) placed order by placed."n"`;
  });
  const number = (value: unknown) => (value === null ? undefined : Number(value));
  return found.map(([next, previous, last]) => ({
    next: number(next),
    previous: number(previous),
    last: number(last),
  }));
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
