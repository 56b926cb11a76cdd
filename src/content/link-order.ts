/** The place of a published link in the other side's order: where the draft's list has it. */
import type { MediaAttribute, Model, RelationAttribute } from '../schema/catalog.ts';
import { id, slot, sql } from '../sql/fragment.ts';
import { counterpartsOf, type Mapping } from './counterparts.ts';
import type { LinkTable } from './link-tables.ts';
import { PENDING_TABLE } from './pending-links.ts';
import { type CopiedLink, holdLists, linkColumns, type NewLink, putLink } from './stored-links.ts';
import type { WriteContext } from './write-context.ts';

/** A link to be made as a copy of another. */
export interface PlacedLink {
  readonly place: LinkTable;
  /** Of the rows that both links start from. */
  readonly model: Model;
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly source: number;
  readonly link: NewLink;
  /** The link that is copied, as it was read from its source. */
  readonly like: CopiedLink;
  /** Of the new link's source; `same`: the source is of another locale or document, whose links come behind. */
  readonly state: Mapping['state'];
}

/**
 * Makes a link that is a copy of another. In the other side's list it comes before the first that follows the copied
 * link in the list of that one's target and is here as well; behind all others when there is none. Links of that list
 * that wait for their targets keep their places.
 */
export async function placeLink(context: WriteContext, placed: PlacedLink): Promise<void> {
  const { place, model, source, link, like, state } = placed;
  const { tables } = context;
  const { table, inverseOrder: order, target, source: from } = place;
  if (order === null) {
    await putLink(context, place, source, { ...link, inverse: null });
    return;
  }
  await holdLists(context, place, [link.target]);
  const waiting = await waitingOrders(context, placed);
  const last = () => {
    if (waiting.length === 0) return tables.insertLast(table, linkColumns(place, source, link), order, target);
    return insertBehind(context, placed, order, waiting);
  };
  if (like.inverse === null || state === 'same') return last();
  const following = await tables.run(`following ${table} ${order}`, [like.target, like.inverse], () => {
    const [by, row, at] = [id(order), id(target), id(from)];
    return sql`select ${at} from ${id(table)} where ${row} = ${slot(0)} and ${by} > ${slot(1)} order by ${by}, "id"`;
  });
  // the usual case: what is published is new on both sides
  if (following.length === 0) return last();
  const rows = following.map(([row]) => Number(row));
  const counterparts = await counterpartsOf(context, model, rows, { state, locale: undefined });
  const list = await tables.select(table, [from, order], { [target]: link.target }, [order, 'id']);
  const places = new Map(list.map(([row, number], index) => [Number(row), { index, number: Number(number ?? 0) }]));
  for (const row of rows) {
    const counterpart = counterparts.get(row)?.id;
    // where both states share a list, only the links of the copied state tell the order
    if (counterpart === undefined || counterpart === row) continue;
    const next = places.get(counterpart);
    if (!next) continue;
    const numbers = [...list.map(([, number]) => Number(number ?? 0)), ...waiting];
    const previous = numbers.filter((number) => number < next.number).sort((a, b) => b - a)[0];
    const inverse = previous === undefined ? next.number - 1 : (previous + next.number) / 2;
    await putLink(context, place, source, { ...link, inverse });
    return;
  }
  await last();
}

/** The places of the links that wait, in the list of the row that is linked to: it holds them where it owns the relation. */
async function waitingOrders({ tables }: WriteContext, { attribute, link, state }: PlacedLink): Promise<number[]> {
  if (state !== 'published' || attribute.type === 'media' || attribute.owner || attribute.inverse === undefined)
    return [];
  const match = { source_type: link.uid, source_id: link.target, attribute: attribute.inverse };
  const rows = await tables.select(PENDING_TABLE, ['link_order'], match);
  return rows.flatMap(([order]) => (order === null ? [] : [Number(order)]));
}

async function insertBehind(
  context: WriteContext,
  { place, source, link }: PlacedLink,
  order: string,
  waiting: readonly number[],
): Promise<void> {
  const list = await context.tables.select(place.table, [order], { [place.target]: link.target });
  const inverse = [...waiting, ...list.map(([number]) => Number(number ?? 0))].reduce((a, b) => Math.max(a, b)) + 1;
  await putLink(context, place, source, { ...link, inverse });
}
