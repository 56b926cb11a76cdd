/** Brings a database up to a layout: adds what is missing in one transaction, and changes nothing else. */
import { reasonOf, UsageError } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import { reviewLinkTables } from '../../schema/layout/review-tables.ts';
import type { TableDefinition } from '../../schema/layout/table.ts';
import { compileColumn, compileDuplicates, compileIndex, compileTables } from '../../sql/ddl.ts';
import { id, render, sql } from '../../sql/fragment.ts';
import type { Database } from '../interface/database.ts';
import type { Executor } from '../interface/queryable.ts';
import type { Transaction } from '../interface/transaction.ts';
import {
  MIGRATIONS_TABLE,
  OPTIONAL_TABLES,
  OWN_TABLES,
  REFERENCE_TABLES,
  VERSION_5_MIGRATIONS,
} from './bookkeeping.ts';
import {
  contradiction,
  isComplete,
  isDispensable,
  isOwn,
  type MigrationPlan,
  planMigration,
  refuseUnknownLayout,
} from './migration-plan.ts';
import type { ExistingTable, LaterWork, MissingIndex, SchemaEngine } from './schema-engine.ts';
import { type MissingRows, missingRows, type NewRole, seed } from './seed.ts';

export interface MigrateOptions {
  readonly engine: SchemaEngine;
  /** Creates document ids for the first rows of a new database. */
  readonly createId: () => string;
  /** The default locale of a database without locales; English if left out. */
  readonly locale?: { readonly code: string; readonly name: string };
  /** Returns the administrator roles for a database without any; none if left out. */
  readonly roles?: (() => readonly NewRole[]) | undefined;
  /** Whether requests are being served, which must not wait for long. */
  readonly isLive?: boolean;
  /** Epoch milliseconds; the clock's when absent. */
  readonly now?: number;
  /** The tables of the database, if the caller has just read them. */
  readonly existing?: ReadonlyMap<string, ExistingTable>;
  /** The types whose documents have stages of review; none if left out. */
  readonly reviewed?: readonly ContentType[];
}

export interface Migration {
  /** Names of the added tables, and `table.column` of the added columns. */
  readonly added: readonly string[];
  /** Sentences about differences from the layout that were left as they are. */
  readonly warnings: readonly string[];
  /** The remaining work (`Upkeep`). */
  readonly later: LaterWork;
}

/**
 * Adds what a database lacks of the layout: tables, columns, indexes, stored totals, the bookkeeping that lets Strapi 5
 * start on it, first rows (a locale, the roles `public` and `authenticated`, administrator roles) and Galley's own
 * tables. Never drops or changes anything, except the remains of a failed index build. If nothing is missing it writes
 * nothing, so a read-only database will do; so will one that lacks only indexes and totals of Galley's own. Several
 * processes may call it at once. Work that takes time in proportion to the rows of a table is left for later, unless
 * the table is small: at a start Galley's own indexes and totals, on which nothing depends; while requests are served,
 * all indexes.
 *
 * @throws UsageError if the database has another layout (Strapi 4, another program), or lacks something that cannot be
 * added; it is then unchanged.
 */
export async function migrate(database: Database, layout: Layout, options: MigrateOptions): Promise<Migration> {
  const wanted = wantedTables(layout, options.reviewed);
  const first = await survey(database, layout, wanted, options, options.existing);
  const { later } = first;
  if (isComplete(first.plan) && !rowsMissing(first.rows)) return { added: [], warnings: first.plan.warnings, later };

  return database
    .transaction(async (tx) => {
      await options.engine.lock(tx, options.isLive);
      return addMissing(tx, layout, options);
    })
    .catch((error: unknown) => {
      const reason = reasonOf(error);
      if (isDispensable(first.plan) && !rowsMissing(first.rows)) {
        const slow = `indexes that make reading faster could not be added: ${reason}`;
        return { added: [], warnings: [...first.plan.warnings, slow], later };
      }
      const missing = [...addedNames(first.plan), ...first.plan.indexes.map(({ index }) => index.name)];
      const lacks = missing.length === 0 ? 'its initial rows' : missing.slice(0, 5).join(', ');
      throw new UsageError(
        `the database lacks ${lacks}${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}, which could not be added: ${reason}`,
        1,
      );
    });
}

/** Does the same in a transaction that holds the lock of the schema. */
export async function addMissing(tx: Transaction, layout: Layout, options: MigrateOptions): Promise<Migration> {
  // another process may have been faster, so survey again under the lock
  const { plan, rows, later } = await survey(tx, layout, wantedTables(layout, options.reviewed), options);
  await apply(tx, plan, options.engine);
  if (rowsMissing(rows)) await seed(tx, rows, { ...options, now: options.now ?? Date.now() });
  return { added: addedNames(plan), warnings: plan.warnings, later };
}

/**
 * Refuses a database that must not be touched.
 *
 * @throws UsageError if it has another layout (Strapi 4, another program).
 */
export async function refuseForeign(database: Database, layout: Layout, engine: SchemaEngine): Promise<void> {
  const existing = await engine.introspect(database);
  refuseUnknownLayout(layout, existing, await isVersion5(database, existing));
}

interface Survey {
  /** What a transaction adds. */
  readonly plan: MigrationPlan;
  /** Work that is not done in a transaction, because others would wait for it. */
  readonly later: LaterWork;
  readonly rows: MissingRows;
}

async function survey(
  executor: Executor,
  layout: Layout,
  wanted: readonly TableDefinition[],
  { engine, roles, isLive = false }: MigrateOptions,
  known?: ReadonlyMap<string, ExistingTable>,
): Promise<Survey> {
  const existing = known ?? (await engine.introspect(executor));
  refuseUnknownLayout(layout, existing, await isVersion5(executor, existing));
  await refuseUnnumbered(executor, wanted, existing, engine);
  const optional = OPTIONAL_TABLES.filter(({ name }) => existing.has(name));
  const whole = planMigration([...wanted, ...optional], existing, engine.ddl);
  const { now, later } = await apportion(executor, whole, existing, { engine, isLive });
  const plan = await withoutImpossible(executor, { ...whole, ...now }, engine);
  const rows = await missingRows(executor, existing);
  return { plan, later, rows: { ...rows, administration: rows.administration && roles !== undefined } };
}

/** Divides the missing indexes and totals into those added at once and those left for later. */
async function apportion(
  executor: Executor,
  { indexes, totals, retired }: MigrationPlan,
  existing: ReadonlyMap<string, ExistingTable>,
  { engine, isLive }: { readonly engine: SchemaEngine; readonly isLive: boolean },
): Promise<{ now: Pick<MigrationPlan, 'indexes' | 'totals'>; later: LaterWork }> {
  const small = new Map<string, boolean>();
  const isSmall = async (table: string): Promise<boolean> => {
    let known = small.get(table);
    if (known === undefined) {
      known = !existing.has(table) || (await engine.isSmall(executor, table, isLive));
      small.set(table, known);
    }
    return known;
  };
  const now = { indexes: [] as MissingIndex[], totals: [] as string[] };
  const later = { indexes: [] as MissingIndex[], totals: [] as string[], retired };
  for (const one of indexes) {
    const mayWait = isLive || isOwn(one.index);
    (mayWait && !(await isSmall(one.table)) ? later : now).indexes.push(one);
  }
  for (const table of totals) ((await isSmall(table)) ? now : later).totals.push(table);
  return { now, later };
}

/** Turns unique indexes that existing rows contradict into warnings: rows are never removed. */
async function withoutImpossible(
  executor: Executor,
  plan: MigrationPlan,
  { ddl }: SchemaEngine,
): Promise<MigrationPlan> {
  const indexes: MissingIndex[] = [];
  const warnings = [...plan.warnings];
  for (const missing of plan.indexes) {
    const { table, index } = missing;
    const rests = plan.columns.some((added) => added.table === table && index.columns.includes(added.column.name));
    if (index.unique && !rests && (await executor.rows(compileDuplicates(table, index.columns, ddl), [])).length > 0) {
      warnings.push(contradiction(missing));
    } else indexes.push(missing);
  }
  return { ...plan, indexes, warnings };
}

/** @throws UsageError for a table whose rows would have no ids. */
async function refuseUnnumbered(
  executor: Executor,
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
  engine: SchemaEngine,
): Promise<void> {
  const table = await engine.unnumberedTable?.(executor, wanted, existing);
  if (table === undefined) return;
  throw new UsageError(
    `table ${table} of the database assigns no ids: its column id must be "integer primary key". Create the table again that way, and copy its rows with "insert into … select"`,
    1,
  );
}

/** Whether a database has passed the migrations of version 5. */
export async function isVersion5(executor: Executor, existing: ReadonlyMap<string, ExistingTable>): Promise<boolean> {
  if (!existing.has(MIGRATIONS_TABLE)) return false;
  const query = render(sql`select ${id('name')} from ${id(MIGRATIONS_TABLE)}`, String).text;
  const names = new Set((await executor.rows(query, [])).map(([name]) => name));
  return VERSION_5_MIGRATIONS.every((name) => names.has(name));
}

/**
 * The tables of a layout, plus the reference's and Galley's own tables that every database has.
 *
 * @param reviewed the types whose rows are linked to stages of review.
 */
export function wantedTables(layout: Layout, reviewed: readonly ContentType[] = []): readonly TableDefinition[] {
  const tables = [...layout.tables, ...REFERENCE_TABLES, ...reviewed.flatMap(reviewLinkTables), ...OWN_TABLES];
  return tables.map((table) =>
    table.ownIndexes ? { ...table, indexes: [...table.indexes, ...table.ownIndexes] } : table,
  );
}

async function apply(tx: Executor, plan: MigrationPlan, engine: SchemaEngine): Promise<void> {
  const { ddl } = engine;
  await engine.clearIndexes(tx, plan.indexes);
  const statements = [
    ...compileTables(plan.tables, ddl),
    ...plan.columns.flatMap(({ table, column, foreignKey }) => compileColumn(table, column, foreignKey, ddl)),
    ...plan.indexes.map(({ table, index }) => compileIndex(table, index, ddl)),
    ...plan.totals.flatMap((table) => ddl.keepTotals(table)),
  ];
  for (const statement of ddl.batch(statements)) await tx.rows(statement, []);
}

function rowsMissing({ migrations, locales, roles, administration }: MissingRows): boolean {
  return migrations || locales || roles || administration;
}

function addedNames({ tables, columns }: MigrationPlan): string[] {
  return [...tables.map(({ name }) => name), ...columns.map(({ table, column }) => `${table}.${column.name}`)];
}
