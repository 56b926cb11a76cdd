/** The tables of the database. */
import type { Dialect } from './dialect.ts';
import { type Sql, slot, sql } from './fragment.ts';

/** One row if the database has a table. Value: its name. */
export function compileHasTable({ hasTable }: Dialect): Sql {
  return sql`select 1 where ${hasTable(slot(0))}`;
}
