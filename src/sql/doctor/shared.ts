/** Checks for shared attributes that differ between two locales of a document, the rows `a` and `b`. */
import type { ContentType } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE } from '../../schema/layout/layout.ts';
import type { Dialect } from '../dialect.ts';
import { id, join, literal, raw, type Sql, sql } from '../fragment.ts';

export interface ComparedComponent {
  readonly uid: string;
  readonly table: string;
  readonly columns: readonly string[];
}

/** `document_id` and both locales of the pairs of rows that differ. */
export function compileDifferingLocales(type: ContentType, table: string, differ: Sql): Sql {
  const state = type.draftAndPublish ? raw(' and (a."published_at" is null) = (b."published_at" is null)') : raw('');
  return sql`select a."document_id", a."locale" as "one", b."locale" as "other"
          from ${id(table)} a join ${id(table)} b on b."document_id" = a."document_id" and b."id" > a."id"
          and b."locale" <> a."locale"${state} where ${differ}`;
}

/** Whether a column differs. */
export function compileColumnDiffers(dialect: Dialect, column: string): Sql {
  return sql`not (${dialect.same(sql`a.${id(column)}`, sql`b.${id(column)}`)})`;
}

/** Whether only one of both has a password: equal passwords have different hashes. */
export function compilePasswordDiffers(column: string): Sql {
  return sql`(a.${id(column)} is null) <> (b.${id(column)} is null)`;
}

/** Whether one of both has a file that the other lacks. */
export function compileFilesDiffer(uid: string, field: string): Sql {
  const table = id(FILES_RELATED_TABLE);
  const of = (link: string, row: Sql): Sql =>
    sql`${raw(link)}."related_id" = ${row}."id" and ${raw(link)}."related_type" = ${literal(uid)} and ${raw(link)}."field" = ${literal(field)}`;
  return eitherLacks(
    (one, other) => sql`exists (select 1 from ${table} m where ${of('m', one)} and not exists (
    select 1 from ${table} n where ${of('n', other)} and n."file_id" = m."file_id"))`,
  );
}

/**
 * Whether one of both has a component at a place where the other has none with the same type and columns. Nested
 * components are not compared.
 *
 * @param ties the table of component links.
 */
export function compileEntriesDiffer(
  dialect: Dialect,
  ties: string,
  field: string,
  components: readonly ComparedComponent[],
): Sql {
  const tests = components.map((component) =>
    eitherLacks((one, other) => lacksEntry(dialect, id(ties), component, field, one, other)),
  );
  return tests.length === 0 ? raw('1 = 0') : join(tests, ' or ');
}

const eitherLacks = (lacks: (one: Sql, other: Sql) => Sql): Sql =>
  sql`(${lacks(raw('a'), raw('b'))} or ${lacks(raw('b'), raw('a'))})`;

function lacksEntry(
  dialect: Dialect,
  ties: Sql,
  { uid, table, columns }: ComparedComponent,
  field: string,
  one: Sql,
  other: Sql,
): Sql {
  const rows = id(table);
  const of = (tie: string, row: Sql): Sql =>
    sql`${raw(tie)}."entity_id" = ${row}."id" and ${raw(tie)}."field" = ${literal(field)} and ${raw(tie)}."component_type" = ${literal(uid)}`;
  const equal = [
    dialect.same(sql`m."order"`, sql`n."order"`),
    ...columns.map((column) => dialect.same(sql`c.${id(column)}`, sql`d.${id(column)}`)),
  ];
  return sql`exists (select 1 from ${ties} m join ${rows} c on c."id" = m."cmp_id" where ${of('m', one)} and not exists (
    select 1 from ${ties} n join ${rows} d on d."id" = n."cmp_id" where ${of('n', other)} and ${join(equal, ' and ')}))`;
}
