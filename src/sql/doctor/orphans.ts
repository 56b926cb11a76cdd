/** Checks for rows that refer to missing rows, or that nothing refers to. The examined row is called `x`. */
import { id, join, list, literal, raw, type Sql, sql } from '../fragment.ts';

export interface Inspected {
  readonly table: string;
  /** The selected columns, `id` first. */
  readonly columns: readonly string[];
  /** The number of examined rows, the newest; undefined: all. */
  readonly newest: number | undefined;
}

/** A column with ids of rows of a table. */
export interface Reference {
  readonly column: string;
  readonly table: string;
}

/** Two columns with ids of rows and the uids of their types. */
export interface TypedReference {
  readonly column: string;
  readonly typeColumn: string;
  /** The tables of types by uid. Rows of unknown types are not reported. */
  readonly tables: ReadonlyMap<string, string>;
}

/** Links without a row at one of their ends. */
export function compileLinksToGone(inspected: Inspected, ends: readonly Reference[]): Sql {
  return compileInspected(inspected, join(ends.map(missing), ' or '));
}

/** Rows whose column refers to a missing row. */
export function compileColumnsToGone(inspected: Inspected, reference: Reference): Sql {
  return compileInspected(inspected, sql`x.${id(reference.column)} is not null and ${missing(reference)}`);
}

/** Rows whose two columns refer to a missing row. */
export function compileTypedColumnsToGone(inspected: Inspected, reference: TypedReference): Sql {
  return compileInspected(inspected, sql`x.${id(reference.column)} is not null and ${goneByType(reference)}`);
}

/** Links to or from rows of any type without a row at one of their ends. */
export function compileTypedLinksToGone(
  inspected: Inspected,
  ends: readonly Reference[],
  reference: TypedReference,
): Sql {
  const lost = [sql`x.${id(reference.column)} is null`, goneByType(reference)];
  return compileInspected(inspected, join([...ends.map(missing), ...lost], ' or '));
}

/** Notes about a missing row. */
export function compileNotesOfGone(inspected: Inspected, reference: TypedReference): Sql {
  return compileInspected(inspected, goneByType(reference));
}

/**
 * Links that wait for missing documents.
 *
 * @param tables the tables of content types by uid.
 */
export function compileWaitingForGone(inspected: Inspected, tables: ReadonlyMap<string, string>): Sql {
  const tests = [...tables].map(
    ([uid, table]) =>
      sql`(x."target_type" = ${literal(uid)} and not exists (select 1 from ${id(table)} y where y."document_id" = x."target_document_id"))`,
  );
  return compileInspected(inspected, join(tests, ' or '));
}

/**
 * Component links without an owner or component.
 *
 * @param tables the tables of components by uid.
 */
export function compileTiesOfGone(inspected: Inspected, owner: string, tables: ReadonlyMap<string, string>): Sql {
  const tests = [...tables].map(
    ([uid, table]) => sql`(x."component_type" = ${literal(uid)} and ${missing({ column: 'cmp_id', table })})`,
  );
  return compileInspected(inspected, join([missing({ column: 'entity_id', table: owner }), ...tests], ' or '));
}

/** Rows of a component to which none of several tables of component links refers. */
export function compileUntied(inspected: Inspected, uid: string, ties: readonly string[]): Sql {
  const tests = ties.map(
    (table) =>
      sql`not exists (select 1 from ${id(table)} y where y."cmp_id" = x."id" and y."component_type" = ${literal(uid)})`,
  );
  return compileInspected(inspected, tests.length === 0 ? raw('1 = 1') : join(tests, ' and '));
}

function compileInspected({ table, columns, newest }: Inspected, where: Sql): Sql {
  const rows = newest === undefined ? id(table) : sql`(select * from ${id(table)} order by "id" desc limit ${newest})`;
  const names = list(columns.map((column) => sql`x.${id(column)}`));
  return sql`select ${names} from ${rows} x where ${where}`;
}

/** Whether no row of the table has the id; true for null as well. */
const missing = ({ column, table }: Reference): Sql =>
  sql`not exists (select 1 from ${id(table)} y where y."id" = x.${id(column)})`;

function goneByType({ column, typeColumn, tables }: TypedReference): Sql {
  const tests = [...tables].map(
    ([uid, table]) => sql`(x.${id(typeColumn)} = ${literal(uid)} and ${missing({ column, table })})`,
  );
  return tests.length === 0 ? raw('1 = 0') : sql`(${join(tests, ' or ')})`;
}
