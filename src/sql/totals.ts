/**
 * Stored totals: the numbers of rows of content types, by locale and status, so that lists need not count them.
 * Triggers maintain them: they include the writes of every program, and are rolled back with the rows.
 */
import type { RowTest } from '../plan/read-plan.ts';
import { short } from '../schema/layout/naming.ts';
import { all } from './compiler.ts';
import type { Dialect } from './dialect.ts';
import { id, list, literal, raw, type Sql, slot, sql } from './fragment.ts';

/**
 * A row: a number (`n`, which may be negative) of rows of the table `name` in a locale (empty: none) and a status.
 * Several rows with equal keys are added up.
 */
export const TOTALS_TABLE = 'galley_totals';

export const COUNTED = ['insert', 'delete', 'update'] as const;

/** The name of a trigger that maintains the totals of a table. */
export const totalTrigger = (table: string, event: string): string => short(['galley'], table, ['total'], [event]);

/** The statement that counts the rows of a table, before triggers maintain the numbers. */
export function compileCountAnew(table: string): Sql {
  const rows = sql`select ${literal(table)}, coalesce("locale", ''), "published_at" is not null, count(*) from ${id(table)} group by 2, 3`;
  return sql`insert into ${id(TOTALS_TABLE)} ("name", "locale", "published", "n") ${rows}`;
}

/** The statement that deletes the totals of a table. */
export function compileForgetTotals(table: string): Sql {
  return sql`delete from ${id(TOTALS_TABLE)} where "name" = ${literal(table)}`;
}

/** The number of rows of a table that pass tests, from its stored totals. */
export function compileKeptTotal(dialect: Dialect, table: string, tests: readonly RowTest[]): Sql {
  return sql`(select coalesce(sum("n"), 0) from ${id(TOTALS_TABLE)} where ${all([ofTable(table), ...testsOfTotals(dialect, tests)])})`;
}

/** Rows are rare if their table has this many times as many. */
const RARE = 50;

/** Whether the rows of a table that pass tests are rare, by its stored totals. */
export function compileIsRare(dialect: Dialect, table: string, tests: readonly RowTest[]): Sql {
  const rows = sql`coalesce(sum("n") filter (where ${all(testsOfTotals(dialect, tests))}), 0)`;
  return sql`(select ${rows} * ${raw(String(RARE))} < sum("n") from ${id(TOTALS_TABLE)} where ${ofTable(table)})`;
}

const ofTable = (table: string): Sql => sql`"name" = ${literal(table)}`;

function testsOfTotals(dialect: Dialect, tests: readonly RowTest[]): Sql[] {
  const where: Sql[] = [];
  for (const test of tests) {
    if (test.kind === 'published') where.push(test.is ? sql`"published"` : sql`not "published"`);
    else if (test.kind === 'locale') {
      const codes = test.slots.map((code) => dialect.value(slot(code), 'text'));
      where.push(sql`"locale" in (${list(codes)})`);
    } else throw new Error(`totals are not kept by ${test.kind}`);
  }
  return where;
}
