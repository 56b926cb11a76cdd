/**
 * Statements about links of relations: rows of the same document in another state or locale, the order of new links,
 * links that a write takes from other rows, and notes of links changed by drafts.
 */
import type { LinkTable } from '../plan/link-place.ts';
import { DRAFT_LINKS_TABLE } from '../schema/layout/table.ts';
import type { Dialect } from './dialect.ts';
import { id, join, list, raw, type Sql, slot, sql } from './fragment.ts';
import { isOneOf } from './write.ts';

/** The state of the other row; `same`: that of the row itself. */
export type CounterpartState = 'draft' | 'published' | 'same';

const STATE_TESTS: Readonly<Record<CounterpartState, string>> = {
  draft: ' and o."published_at" is null',
  published: ' and o."published_at" is not null',
  same: ' and (o."published_at" is null) = (t."published_at" is null)',
};

/**
 * `id`, `document_id` and `locale` of rows, and the id of the other row or null. Values: the locale of the other row,
 * if `moves`, and the ids as a JSON list of lists of one.
 *
 * @param state undefined for types without drafts.
 */
export function compileCounterparts(
  dialect: Dialect,
  table: string,
  state: CounterpartState | undefined,
  moves: boolean,
): Sql {
  const same = moves ? sql`o."locale" = ${slot(0)}` : dialect.same(sql`o."locale"`, sql`t."locale"`);
  const status = raw(state === undefined ? '' : STATE_TESTS[state]);
  const among = isOneOf(dialect, sql`t."id"`, slot(moves ? 1 : 0), 'integer');
  return sql`select t."id", t."document_id", t."locale", o."id" from ${id(table)} t left join ${id(table)} o
      on o."document_id" = t."document_id" and ${same}${status} where ${among}`;
}

/** The rows from which links start, and their state. */
export interface FollowedRows {
  readonly table: string;
  readonly published: boolean;
}

/**
 * For each new link its number `n`, the order of the link that it precedes, or null, and the greatest order in the list
 * of its target. Value: a JSON list of `n`, target, and target and order of the link that it copies.
 *
 * @param followed the rows among which the following link is found; undefined: no link follows.
 */
export function compileNeighbours(dialect: Dialect, place: LinkTable, followed: FollowedRows | undefined): Sql {
  const next = followed ? following(dialect, place, followed) : raw('null');
  const order = id(place.inverseOrder!);
  const greatest = sql`(select max(${order}) from ${id(place.table)} where ${id(place.target)} = given."to")`;
  return sql`select given."n", ${next}, ${greatest} from ${given(dialect)} given`;
}

/**
 * For each new link its number `n` and the greatest order in the list of its target below another one. Value: a JSON
 * list of `n`, target, null and that other order.
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

/** The order of the first link that follows the copied one and is also in the list of the new link's target. */
function following(dialect: Dialect, place: LinkTable, { table, published }: FollowedRows): Sql {
  const [all, from, to] = [id(place.table), id(place.source), id(place.target)];
  const order = id(place.inverseOrder!);
  const content = id(table);
  const status = raw(published ? 'not null' : 'null');
  // joined in this order, because mostly nothing follows, and a list may be long
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

/** The table of the rows that lose links, and of the row that takes them. */
export interface Takers {
  readonly table: string;
  /** Whether the table has rows of two states, of which only those of the same state lose links. */
  readonly drafts: boolean;
  /** Whether a document has a version in each locale: other versions of the taking document keep their links. */
  readonly localized: boolean;
}

/**
 * Removes the links from other sources to some targets; returns source and target. Slots are in the order of the text.
 * Values: the targets as a JSON list of lists of one, the row that takes.
 */
export function compileTakeLinks(dialect: Dialect, place: LinkTable, takers: Takers): Sql {
  const table = id(takers.table);
  const isTarget = isOneOf(dialect, id(place.target), slot(0), 'integer');
  const source = sql`${id(place.table)}.${id(place.source)}`;
  return sql`delete from ${id(place.table)} where ${isTarget} and exists (select 1 from ${table} "taker", ${table} "other" where "taker"."id" = ${slot(1)} and "other"."id" = ${source} and ${loses(takers)}) returning ${id(place.source)}, ${id(place.target)}`;
}

/** Clears a column of other rows that refers to a target; `returning "id"`. Values: the target, the row that takes. */
export function compileTakeColumn(takers: Takers, column: string): Sql {
  const table = id(takers.table);
  return sql`update ${table} as "other" set ${id(column)} = null where ${id(column)} = ${slot(0)} and exists (select 1 from ${table} "taker" where "taker"."id" = ${slot(1)} and ${loses(takers)}) returning "id"`;
}

/** Whether the row `other` loses the links that the row `taker` takes. */
function loses({ drafts, localized }: Takers): Sql {
  const isAlike = drafts ? ' and ("other"."published_at" is null) = ("taker"."published_at" is null)' : '';
  const isForeign = localized ? ' and "other"."document_id" <> "taker"."document_id"' : '';
  return raw(`"other"."id" <> "taker"."id"${isAlike}${isForeign}`);
}

/**
 * Columns of the notes of draft changes in which a row is the source, the target or the author. Values: its id and its
 * uid, three times.
 */
export function compileNotesAt(columns: readonly string[]): Sql {
  const ends = ['source', 'target', 'author'].map(
    (end, n) => sql`(${id(`${end}_id`)} = ${slot(2 * n)} and ${id(`${end}_type`)} = ${slot(2 * n + 1)})`,
  );
  return sql`select ${list(columns.map(id))} from ${id(DRAFT_LINKS_TABLE)} where ${join(ends, ' or ')}`;
}
