/** The place of a published link in the other side's order: where the draft's list has it. */
import type { Model } from '../schema/catalog.ts';
import { id, slot, sql } from '../sql/fragment.ts';
import { counterpartsOf } from './counterparts.ts';
import type { LinkTable } from './link-tables.ts';
import { type CopiedLink, holdLists, linkColumns, type NewLink, putLink } from './stored-links.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Makes a link that is a copy of another. In the other side's list it comes before the first that follows the copied
 * link in the list of that one's target and is here as well; behind all others when there is none.
 *
 * @param model of the rows that both links start from.
 * @param like the link that is copied, as it was read from its source.
 * @param state of the new link's source.
 */
export async function placeLink(
  context: WriteContext,
  place: LinkTable,
  model: Model,
  source: number,
  link: NewLink,
  like: CopiedLink,
  state: 'draft' | 'published',
): Promise<void> {
  const { tables } = context;
  const { table, inverseOrder: order, target, source: from } = place;
  if (order === null) {
    await putLink(context, place, source, { ...link, inverse: null });
    return;
  }
  await holdLists(context, place, [link.target]);
  const last = () => tables.insertLast(table, linkColumns(place, source, link), order, target);
  if (like.inverse === null) return last();
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
    const before = list.slice(0, next.index).map(([, number]) => Number(number ?? 0));
    const previous = before.findLast((number) => number < next.number);
    const inverse = previous === undefined ? next.number - 1 : (previous + next.number) / 2;
    await putLink(context, place, source, { ...link, inverse });
    return;
  }
  await last();
}
