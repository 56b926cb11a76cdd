/** Reads what an archive in the reference's format contains. Slots are in the order of the named values. */
import { id, join, list, type Sql, slot, slots, sql } from './fragment.ts';

/** A column that holds ids of the rows of a table. */
export interface Holding {
  readonly column: string;
  readonly table: string;
}

/**
 * A page of rows in the order of their ids, of which each refers to existing rows. Values: the last known id, the number
 * of rows.
 *
 * @param columns what is selected after the id.
 */
export function compileArchivePage(table: string, columns: readonly Sql[], holding: readonly Holding[] = []): Sql {
  const exists = holding.map(
    ({ column, table: held }) =>
      sql`exists (select 1 from ${id(held)} held where held.${id('id')} = own.${id(column)})`,
  );
  const tests = [sql`own.${id('id')} > ${slot(0)}`, ...exists];
  return sql`select ${list([archiveColumn('id'), ...columns])} from ${id(table)} own
    where ${join(tests, ' and ')} order by own.${id('id')} limit ${slot(1)}`;
}

/** A column of the rows that are read. */
export const archiveColumn = (column: string): Sql => sql`own.${id(column)}`;

/** Rows that have one of some values in a column. Values: those. */
export function compileArchiveRows(table: string, columns: readonly Sql[], by: string, count: number): Sql {
  return sql`select ${list(columns)} from ${id(table)} own where own.${id(by)} in (${slots(0, count)})`;
}
