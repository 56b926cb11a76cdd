/** Shared attributes that are not equal in all locales of a document (decisions.md, "shared attributes"). */
import { isScalar } from '../../access/fields.ts';
import { type ContentType, modelOf } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf, type ModelLayout } from '../../schema/layout/layout.ts';
import { SchemaIndex } from '../../schema/schema-index.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { id, join, literal, raw, type Sql, sql } from '../../sql/fragment.ts';
import type { Check } from './check.ts';
import type { Subject } from './orphans.ts';

const ADVICE = 'publish the locale that is correct: its values are then copied to the others';

/** Checks of every localized type. Which of two values is right, only a person can tell. */
export function sharedChecks(subject: Subject, dialect: Dialect): Check[] {
  const index = new SchemaIndex(subject.catalog);
  return [...subject.catalog.contentTypes.values()].flatMap((type) => {
    const layout = layoutOf(subject.layout, type.uid);
    return [...index.sharedAttributes(type.uid)].map((name): Check => {
      const differ = difference(subject, dialect, type, layout, name);
      const state = type.draftAndPublish
        ? raw(' and (a."published_at" is null) = (b."published_at" is null)')
        : raw('');
      return {
        problem: `${name} differs between locales`,
        table: layout.table,
        columns: ['document_id', 'locale', 'other'],
        find: sql`select a."document_id", a."locale" as "one", b."locale" as "other"
          from ${id(layout.table)} a join ${id(layout.table)} b on b."document_id" = a."document_id" and b."id" > a."id"
          and b."locale" <> a."locale"${state} where ${differ}`,
        advice: ADVICE,
      };
    });
  });
}

/** Whether an attribute of the rows `a` and `b` differs. */
function difference(subject: Subject, dialect: Dialect, type: ContentType, layout: ModelLayout, name: string): Sql {
  const attribute = type.attributes.get(name)!;
  if (isScalar(attribute)) {
    const column = id(layout.columns.get(name)!);
    // equal passwords have different hashes
    if (attribute.type === 'password') return sql`(a.${column} is null) <> (b.${column} is null)`;
    return sql`not (${dialect.same(sql`a.${column}`, sql`b.${column}`)})`;
  }
  const both = (lacks: (one: Sql, other: Sql) => Sql): Sql =>
    sql`(${lacks(raw('a'), raw('b'))} or ${lacks(raw('b'), raw('a'))})`;
  if (attribute.type === 'media') return both((one, other) => lacksFile(type.uid, name, one, other));
  const uids = attribute.type === 'component' ? [attribute.component] : [];
  if (attribute.type === 'dynamiczone') uids.push(...attribute.components);
  const tests = uids.map((uid) => {
    const component = layoutOf(subject.layout, uid);
    const scalars = [...modelOf(subject.catalog, uid).attributes.values()].filter(isScalar);
    const columns = scalars.map((scalar) => component.columns.get(scalar.name)!);
    return both((one, other) => lacksEntry(dialect, layout, component, name, columns, one, other));
  });
  return tests.length === 0 ? raw('1 = 0') : join(tests, ' or ');
}

/** `one` has a file that `other` has not. */
function lacksFile(uid: string, field: string, one: Sql, other: Sql): Sql {
  const table = id(FILES_RELATED_TABLE);
  const of = (link: string, row: Sql): Sql =>
    sql`${raw(link)}."related_id" = ${row}."id" and ${raw(link)}."related_type" = ${literal(uid)} and ${raw(link)}."field" = ${literal(field)}`;
  return sql`exists (select 1 from ${table} m where ${of('m', one)} and not exists (
    select 1 from ${table} n where ${of('n', other)} and n."file_id" = m."file_id"))`;
}

/** `one` has a component at a place where `other` has none of the same kind and columns. Components inside do not count. */
function lacksEntry(
  dialect: Dialect,
  layout: ModelLayout,
  component: ModelLayout,
  field: string,
  columns: readonly string[],
  one: Sql,
  other: Sql,
): Sql {
  const ties = id(layout.componentsTable!);
  const rows = id(component.table);
  const of = (tie: string, row: Sql): Sql =>
    sql`${raw(tie)}."entity_id" = ${row}."id" and ${raw(tie)}."field" = ${literal(field)} and ${raw(tie)}."component_type" = ${literal(component.uid)}`;
  const equal = [
    dialect.same(sql`m."order"`, sql`n."order"`),
    ...columns.map((column) => dialect.same(sql`c.${id(column)}`, sql`d.${id(column)}`)),
  ];
  return sql`exists (select 1 from ${ties} m join ${rows} c on c."id" = m."cmp_id" where ${of('m', one)} and not exists (
    select 1 from ${ties} n join ${rows} d on d."id" = n."cmp_id" where ${of('n', other)} and ${join(equal, ' and ')}))`;
}
