/** Comparing and copying single rows of documents. Slots are in the order of the text. */
import type { Dialect } from './dialect.ts';
import { id, join, list, raw, type Sql, slot, sql } from './fragment.ts';

/**
 * Copies columns from one row of a table to another, and sets other columns. Values: those of `others`, the source row,
 * the target row.
 */
export function compileCopyColumns(table: string, columns: readonly string[], others: readonly string[]): Sql {
  const copied = list(columns.map(id));
  const [source, target] = [slot(others.length), slot(others.length + 1)];
  const sets = others.map((name, n) => sql`${id(name)} = ${slot(n)}`);
  sets.push(sql`(${copied}) = (select ${copied} from ${id(table)} where "id" = ${source})`);
  return sql`update ${id(table)} set ${list(sets)} where "id" = ${target}`;
}

/** A row if two rows of a table differ in columns. Values: both ids. */
export function compileColumnsDiffer(dialect: Dialect, table: string, columns: readonly string[]): Sql {
  const same = columns.map((column) => dialect.same(sql`a.${id(column)}`, sql`b.${id(column)}`));
  return sql`select 1 from ${id(table)} a, ${id(table)} b where a."id" = ${slot(0)} and b."id" = ${slot(1)} and not (${join(same, ' and ')})`;
}

/** The document id of the first row of a table. */
export function compileFirstDocumentId(table: string): Sql {
  return sql`select "document_id" from ${id(table)} order by "id" limit 1`;
}

/** The rows among which a value may be taken. */
export interface TakenScope {
  readonly inLocale: boolean;
  readonly published: boolean;
}

/** A row if another document has a value. Values: the value, the document, and the locale with `inLocale`. */
export function compileTakenValue(
  dialect: Dialect,
  table: string,
  column: string,
  { inLocale, published }: TakenScope,
): Sql {
  const ofLocale = inLocale ? sql` and ${dialect.planner.likely(sql`"locale" = ${slot(2)}`)}` : raw('');
  const ofState = raw(published ? ' and "published_at" is not null' : '');
  return sql`select 1 from ${id(table)} where ${id(column)} = ${slot(0)} and "document_id" <> ${slot(1)}${ofLocale}${ofState} limit 1`;
}
