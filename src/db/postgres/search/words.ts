/** SQL of the search indexes of PostgreSQL: trigrams of pg_trgm (https://www.postgresql.org/docs/current/pgtrgm.html). */
import { createHash } from 'node:crypto';
import { short } from '../../../schema/layout/naming.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import { id, render, type Sql, sql } from '../../../sql/fragment.ts';

/** What the names of search indexes begin with. */
export const PREFIX = 'galley_search';

const text = (statement: Sql): string => render(statement, String).text;

/**
 * The name of the index of a column. It tells how text is folded as well: another server, or its next version, may know
 * another collation, and no statement would use an index made with the one before.
 */
export function nameOf(dialect: Dialect, table: string, column: string): string {
  const hash = createHash('sha256')
    .update(text(dialect.fold(id(column))))
    .digest('hex')
    .slice(0, 5);
  return short([PREFIX], table, column, [hash]);
}

/** The schema that contains the extension. */
export const EXTENSION_SCHEMA = `select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pg_trgm'`;

export const CREATE_EXTENSION = 'create extension if not exists pg_trgm';

/** The statement that makes the index of a column: of the very expression that is searched. */
export function create(dialect: Dialect, table: string, column: string, extension: string): string {
  const name = nameOf(dialect, table, column);
  // of a text it is the text itself
  const expression = dialect.fold(sql`${id(column)}::text`);
  return text(
    sql`create index concurrently if not exists ${id(name)} on ${id(table)} using gin ((${expression}) ${id(extension)}.gin_trgm_ops)`,
  );
}

/** The statement that drops an index. */
export const drop = (name: string): string => text(sql`drop index concurrently if exists ${id(name)}`);

/** Search indexes: name, table, column, whether it is complete, and whether it is being built. */
export const LIST = `
  select x.relname::text, t.relname::text, a.attname::text, i.indisvalid,
    exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
  from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
    and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid and d.refobjsubid > 0
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
  where starts_with(x.relname::text, '${PREFIX}_') and t.relnamespace = current_schema()::regnamespace
  order by x.relname`;
