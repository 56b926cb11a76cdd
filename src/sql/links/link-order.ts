/** The neighbours of new links in the other side's order, as SQL. */
import type { LinkTable } from '../../plan/link-place.ts';
import type { Dialect } from '../dialect.ts';
import { id, join, raw, type Sql, slot, sql } from '../fragment.ts';

/** The rows that links start from, and their state. */
export interface FollowedRows {
  readonly table: string;
  readonly published: boolean;
}

/**
 * For each new link its number `n`, the order of the link that it comes before, or null, and the greatest order in the
 * list of its target. Value: the JSON of a list of `n`, target, and target and order of the link that it is a copy of.
 *
 * @param followed tells which link follows; undefined: none does.
 */
export function compileNeighbours(dialect: Dialect, place: LinkTable, followed: FollowedRows | undefined): Sql {
  const next = followed ? following(dialect, place, followed) : raw('null');
  const order = id(place.inverseOrder!);
  const greatest = sql`(select max(${order}) from ${id(place.table)} where ${id(place.target)} = given."to")`;
  return sql`select given."n", ${next}, ${greatest} from ${given(dialect)} given`;
}

/**
 * For each new link its number `n` and the greatest order in the list of its target below another one. Value: the JSON of
 * a list of `n`, target, null and that other order.
 */
export function compileOrderBefore(dialect: Dialect, place: LinkTable): Sql {
  const order = id(place.inverseOrder!);
  const below = sql`(select max(${order}) from ${id(place.table)} where ${id(place.target)} = given."to" and ${order} < given."like_order")`;
  return sql`select given."n", ${below} from ${given(dialect)} given`;
}

function given(dialect: Dialect): Sql {
  return dialect.unfold(slot(0), [
    { name: 'n', kind: 'integer' },
    { name: 'to', kind: 'integer' },
    { name: 'like_to', kind: 'integer' },
    { name: 'like_order', kind: 'double' },
  ]);
}

/** The order of the first link that follows the copied one and is in the list of the new link's target as well. */
function following(dialect: Dialect, place: LinkTable, { table, published }: FollowedRows): Sql {
  const [all, from, to] = [id(place.table), id(place.source), id(place.target)];
  const order = id(place.inverseOrder!);
  const content = id(table);
  const status = raw(published ? 'not null' : 'null');
  // in this order: mostly nothing follows, and a list may be long
  return join(
    [
      sql`(select coalesce(l.${order}, 0) from ${all} f cross join ${content} own cross join ${content} other`,
      sql`cross join ${all} l where f.${to} = given."like_to" and f.${order} > given."like_order"`,
      sql`and own."id" = f.${from} and other."document_id" = own."document_id" and other."id" <> own."id"`,
      sql`and ${dialect.same(sql`other."locale"`, sql`own."locale"`)} and other."published_at" is ${status}`,
      sql`and l.${from} = other."id" and l.${to} = given."to"`,
      sql`order by f.${order}, f."id", l.${order} desc, l."id" desc limit 1)`,
    ],
    ' ',
  );
}
