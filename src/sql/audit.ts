/** The log of actions. Slots are in the order of the named values; times are epoch milliseconds. */
import type { Dialect, UnfoldedColumn } from './dialect.ts';
import { id, join, raw, type Sql, slot, slots, sql } from './fragment.ts';
import { compileInsertMany, compileInsertOf } from './write.ts';

export const AUDIT_TABLE = 'galley_audit';
export const FORWARDING_TABLE = 'galley_audit_forwarding';

const log = id(AUDIT_TABLE);

const NEW_ENTRY: readonly UnfoldedColumn[] = [
  { name: 'at', kind: 'integer' },
  ...['action', 'actor', 'actor_name', 'address', 'subject_type', 'subject_id', 'subject_name', 'details'].map(
    (name) => ({ name, kind: 'text' }) as const,
  ),
];

const COLUMNS = raw(['id', ...NEW_ENTRY.map(({ name }) => name)].map((name) => `"${name}"`).join(', '));

/** Adds a few entries. Values: those of `NEW_ENTRY`, of one entry after those of the other. */
export function compileAddFewEntries(count: number): Sql {
  return compileInsertOf(
    AUDIT_TABLE,
    NEW_ENTRY.map(({ name }) => name),
    count,
  );
}

/** Adds entries: slot 0 is the JSON of a list of lists in the order of `NEW_ENTRY`. */
export function compileAddEntries(dialect: Dialect): Sql {
  return compileInsertMany(dialect, AUDIT_TABLE, NEW_ENTRY);
}

/** The columns by which entries are filtered. */
export const FILTERS = ['actor', 'subject_type', 'action'] as const;
export type AuditFilter = (typeof FILTERS)[number];

/**
 * The entries of a range that meet one filter, in the order of its index: a range of pairs, because planners otherwise
 * look for a rare value among all entries. Slots: the first id, the id after the last one, the filter.
 */
function rangeOf(filter: AuditFilter | undefined, columns: Sql, order: AuditOrder, examined: number): Sql {
  const direction = raw(order === 'newest first' ? 'desc' : 'asc');
  if (filter === undefined) {
    return sql`select ${columns} from ${log} where "id" >= ${slot(0)} and "id" < ${slot(1)}
      order by "id" ${direction} limit ${examined}`;
  }
  const pair = sql`(${id(filter)}, "id")`;
  return sql`select ${columns} from ${log} where ${pair} >= (${slot(2)}, ${slot(0)}) and ${pair} < (${slot(2)}, ${slot(1)})
    order by ${id(filter)} ${direction}, "id" ${direction} limit ${examined}`;
}

/** The condition on times. Slots: the first time, and the last one. */
const between = (first: number): Sql => sql`"at" >= ${slot(first)} and "at" <= ${slot(first + 1)}`;

export type AuditOrder = 'newest first' | 'oldest first';

/**
 * The first entries of a range. Of those that meet the first filter only a number is examined, so that it takes a bounded
 * time. Values: the first id, the id after the last one, the filters in order, the first and the last time, how many.
 *
 * @param examined the number of entries to examine.
 */
export function compileEntries(filters: readonly AuditFilter[], order: AuditOrder, examined: number): Sql {
  const others = filters.slice(1).map((name, n) => sql`${id(name)} = ${slot(3 + n)}`);
  const times = 2 + filters.length;
  const met = join([...others, between(times)], ' and ');
  const direction = raw(order === 'newest first' ? 'desc' : 'asc');
  const from = rangeOf(filters[0], COLUMNS, order, examined);
  return sql`select ${COLUMNS} from (${from}) examined where ${met} order by "id" ${direction} limit ${slot(times + 2)}`;
}

/**
 * The first entries of an object in a range of ids that are changes of content: the key of the actor, the name, and the
 * details. Of the entries of the type only a number is examined. Values: the first id, the id after the last one, the
 * type, the id of the object, the number of entries.
 */
export function compileContentActors(examined: number): Sql {
  const columns = raw('"id", "action", "actor", "actor_name", "subject_id", "details"');
  const from = rangeOf('subject_type', columns, 'oldest first', examined);
  return sql`select "actor", "actor_name", "details" from (${from}) examined
    where "subject_id" = ${slot(3)} and "action" like 'entry.%' order by "id" limit ${slot(4)}`;
}

/**
 * How many entries of a range meet a filter, up to a number, and the last of their ids. Values: the first id, the id after
 * the last one, the filter.
 */
export function compileExamined(filter: AuditFilter | undefined, order: AuditOrder, examined: number): Sql {
  const last = raw(order === 'newest first' ? 'min("id")' : 'max("id")');
  return sql`select count(*), ${last} from (${rangeOf(filter, raw('"id"'), order, examined)}) examined`;
}

/**
 * The first id whose entry is not older than a time; ids follow the time, so this is a binary search. Value: the time.
 */
export function compileFirstSince(): Sql {
  const middle = sql`(s."low" + s."high") / 2`;
  const isOlder = sql`(select e."at" from ${log} e where e."id" >= ${middle} order by e."id" limit 1) < ${slot(0)}`;
  return sql`with recursive "search" ("low", "high") as (
      select coalesce((select min("id") from ${log}), 1), coalesce((select max("id") from ${log}), 0) + 1
      union all
      select case when ${isOlder} then ${middle} + 1 else s."low" end, case when ${isOlder} then s."high" else ${middle} end
      from "search" s where s."low" < s."high"
    ) select max("low") from "search"`;
}

/**
 * The values of a column with the latest name of the actor, in the order of the values: one look into the index for each
 * of them.
 */
export function compileValuesOf(filter: AuditFilter, most: number): Sql {
  const column = id(filter);
  const name =
    filter === 'actor'
      ? sql`(select e."actor_name" from ${log} e where e."actor" <= v."value" order by e."actor" desc, e."id" desc limit 1)`
      : raw('null');
  return sql`with recursive "found" ("value") as (
      select (select min(${column}) from ${log})
      union all
      select (select min(e.${column}) from ${log} e where e.${column} > f."value") from "found" f where f."value" is not null
    ) select v."value", ${name} from (select "value" from "found" where "value" is not null limit ${most}) v`;
}

/** The first and the last id; null if there is none. */
export function compileAuditRange(): Sql {
  return sql`select (select min("id") from ${log}), (select max("id") from ${log})`;
}

/** The id of the last entry that is older than a number of others: one row, or none. Value: the number. */
export function compileLastBeyond(): Sql {
  return sql`select "id" from ${log} order by "id" desc limit 1 offset ${slot(0)}`;
}

/**
 * Removes the oldest entries before a time or up to an id; `returning "id"`. Only the oldest ones are examined. Values: the
 * time, the id, the number to examine.
 */
export function compileForgetEntries(): Sql {
  return sql`delete from ${log} where "id" in (select "id" from ${log} order by "id" limit ${slot(2)})
    and ("at" < ${slot(0)} or "id" <= ${slot(1)}) returning "id"`;
}

/** Up to which entry a target has received the log: one row, or none. Value: the target. */
export function compileForwarded(): Sql {
  return sql`select "position" from ${id(FORWARDING_TABLE)} where "target" = ${slot(0)}`;
}

/** Notes up to which entry a target has received the log. Values: the target, the id. */
export function compileNoteForwarded(): Sql {
  return sql`insert into ${id(FORWARDING_TABLE)} ("target", "position") values (${slots(0, 2)})
    on conflict ("target") do update set "position" = excluded."position"`;
}
