/** Indexes that were learned or made by hand, and those that would help, as SQL. Slots are in the order of the values named. */
import { literal, type Sql, slot, sql } from './fragment.ts';

export const INDEXES_TABLE = 'galley_indexes';

/** The name and origin of a row that is none of an index: its last use is when unused indexes were last looked for. */
export const LOOKED = 'looked';

/** All of them, the oldest first: name, table, definition, origin, reads, milliseconds, when it was made and last used. */
export function compileStoredIndexes(): Sql {
  return sql`select "name", "on_table", "definition", "origin", "reads", "milliseconds", "made_at", "used_at"
    from "galley_indexes" where "origin" <> ${literal(LOOKED)} order by "id"`;
}

/** When unused indexes were last looked for. */
export function compileLastCheck(): Sql {
  return sql`select "used_at" from "galley_indexes" where "origin" = ${literal(LOOKED)}`;
}

/** Forgets one. Value: the name. */
export function compileForgetIndex(): Sql {
  return sql`delete from "galley_indexes" where "name" = ${slot(0)}`;
}

/** Says when one was last used, unless that is known to be later. Values: time, name. */
export function compileSetLastUse(): Sql {
  return sql`update "galley_indexes" set "used_at" = ${slot(0)} where "name" = ${slot(1)} and "used_at" < ${slot(0)}`;
}
