/** Records of learned, created and suggested indexes. Slots are in the order of the named values. */
import { literal, type Sql, slot, sql } from './fragment.ts';

export const INDEXES_TABLE = 'galley_indexes';

/**
 * The name and origin of the row that is not an index: its last use is the time of the last check for unused indexes.
 */
export const LOOKED = 'looked';

/**
 * All records, the oldest first: name, table, definition, origin, reads, milliseconds, time of creation, time of the
 * last use.
 */
export function compileStoredIndexes(): Sql {
  return sql`select "name", "on_table", "definition", "origin", "reads", "milliseconds", "made_at", "used_at"
    from "galley_indexes" where "origin" <> ${literal(LOOKED)} order by "id"`;
}

/** The time of the last check for unused indexes. */
export function compileLastCheck(): Sql {
  return sql`select "used_at" from "galley_indexes" where "origin" = ${literal(LOOKED)}`;
}

/** Deletes a record. Value: the name. */
export function compileForgetIndex(): Sql {
  return sql`delete from "galley_indexes" where "name" = ${slot(0)}`;
}

/** Sets the last use of an index, unless a later one is recorded. Values: time, name. */
export function compileSetLastUse(): Sql {
  return sql`update "galley_indexes" set "used_at" = ${slot(0)} where "name" = ${slot(1)} and "used_at" < ${slot(0)}`;
}
