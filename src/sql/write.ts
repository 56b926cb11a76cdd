/** Inserts, updates and deletes of rows as SQL. Values are slots in the order of the columns. */
import { id, join, raw, type Sql, slot, sql } from './fragment.ts';

/** `insert … returning "id"`; the value of the i-th column is slot i. */
export function compileInsert(table: string, columns: readonly string[]): Sql {
  const names = join(columns.map(id), ', ');
  const values = join(
    columns.map((_, index) => slot(index)),
    ', ',
  );
  return sql`insert into ${id(table)} (${names}) values (${values}) returning "id"`;
}

/** Updates the row of a document; the value of the i-th column is slot i, the document id comes after them. */
export function compileUpdate(table: string, columns: readonly string[]): Sql {
  const sets = join(
    columns.map((column, index) => sql`${id(column)} = ${slot(index)}`),
    ', ',
  );
  return sql`update ${id(table)} set ${sets} where "document_id" = ${slot(columns.length)}`;
}

/** Deletes every row of a document (slot 0). */
export function compileDelete(table: string): Sql {
  return sql`delete from ${id(table)} where "document_id" = ${slot(0)}`;
}

/** The ids of a document's rows (slot 0), the oldest first; without a document, of the type's first row. */
export function compileFindRows(table: string, single: boolean): Sql {
  const where = single ? raw('') : sql` where "document_id" = ${slot(0)}`;
  return sql`select "id", "document_id" from ${id(table)}${where} order by "id" limit 1`;
}

/** Ids of rows whose column equals slot 0, other than those of the document of slot 1. */
export function compileTaken(table: string, column: string): Sql {
  return sql`select 1 from ${id(table)} where ${id(column)} = ${slot(0)} and "document_id" <> ${slot(1)} limit 1`;
}
