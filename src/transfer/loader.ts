/**
 * Loads a source into a database: reads it whole and lists everything that does not fit, then writes the rows in one
 * transaction. A load that is interrupted leaves the database as it was.
 */

import type { CanonicalColumn, CanonicalRows } from '../db/interface/canonical-rows.ts';
import { readEntry, storeEntry } from '../db/interface/core-store.ts';
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { deleteRows, insertRow, query, selectRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { SEEDED_TABLES } from '../db/migration/bookkeeping.ts';
import type { SchemaEngine } from '../db/migration/schema-engine.ts';
import { UsageError } from '../errors.ts';
import type { Layout } from '../schema/layout/layout.ts';
import type { TableDefinition } from '../schema/layout/table.ts';
import { compileIndex } from '../sql/ddl.ts';
import { compileDropIndex } from '../sql/schema-changes.ts';
import { CORE_STORE_TABLE, OWN_STATE } from '../sql/settings.ts';
import { compileDeleteAll, compileHasRows, compileUpdateRows } from '../sql/write.ts';
import { beginInsertion } from './insertion.ts';
import { createTables } from './new-tables.ts';
import { Findings, type TypeCounts } from './report.ts';
import { RepeatedKeys } from './row-ids.ts';
import type { CanonicalValue, RowBatch, Source } from './rows.ts';

/** Reads and writes how far the work is: 0 to 1. */
export type OnProgress = (fraction: number) => void;

/** The tables of a target and the way in which its engine takes rows. */
export interface Shapes {
  /** All tables of the target, also those that it does not have yet (`wantedTables`). */
  readonly tables: readonly TableDefinition[];
  readonly form: CanonicalRows;
  /** Whether Galley's own entries of the core store, and not only the settings, come from the source. */
  readonly takesOwnState?: boolean;
}

/** What is known of a source after it has been read. */
export interface Survey {
  readonly findings: Findings;
  /** The rows that the target takes, by table. */
  readonly counts: ReadonlyMap<string, number>;
  /** Columns that have to store longer texts, or more digits, than the reference gives them: `table.column`. */
  readonly wider: ReadonlySet<string>;
  readonly acceptance: Acceptance;
}

/** Reads a source to its end, without writing. @throws UsageError for a source that cannot be read. */
export async function survey(source: Source, shapes: Shapes, onProgress: OnProgress): Promise<Survey> {
  const acceptance = new Acceptance(shapes);
  for (;;) {
    const findings = new Findings();
    const reading = acceptance.read(findings.add);
    for await (const batch of source.rows(findings.add)) {
      reading.take(batch);
      onProgress(source.progress?.() ?? 0);
    }
    // repeated keys are known after a second reading
    if (acceptance.isCertain) return { findings, counts: reading.counts, wider: acceptance.wider, acceptance };
    acceptance.isCertain = true;
  }
}

/** The columns of rows that are compared: those of unique indexes. */
interface TableShape {
  readonly definition: TableDefinition;
  readonly types: ReadonlyMap<string, CanonicalColumn['type']>;
}

/** Which rows a target takes, and with which values. */
class Acceptance {
  readonly #form: CanonicalRows;
  readonly #takesOwnState: boolean;
  readonly #tables: ReadonlyMap<string, TableShape>;
  readonly #repeated = new RepeatedKeys();
  /** Columns with values that the engine does not take as they are; all others are not looked at again. */
  readonly #suspects = new Set<string>();
  readonly wider = new Set<string>();
  #readings = 0;
  isCertain = false;

  constructor({ tables, form, takesOwnState = false }: Shapes) {
    this.#form = form;
    this.#takesOwnState = takesOwnState;
    this.#tables = new Map(
      tables.map((definition) => {
        const types = new Map(definition.columns.map(({ name, type }) => [name, type]));
        return [definition.name, { definition, types }];
      }),
    );
  }

  /** Begins a reading of the source. In the first one, keys that occur more than once are only noted. */
  read(report: Findings['add']): Reading {
    this.#readings += 1;
    const isFirst = this.#readings === 1;
    const isRepeated = this.#repeated.areSuspected ? this.#repeated.reading() : undefined;
    const counts = new Map<string, number>();
    const take = (all: RowBatch): RowBatch => {
      const batch = this.#takesOwnState || all.table !== CORE_STORE_TABLE ? all : withoutOwnState(all);
      const shape = this.#tables.get(batch.table);
      if (!shape) {
        const message = 'the target has no such table: its rows are left out';
        const { length: rows } = batch.rows;
        report({ kind: 'unknown-table', place: batch.table, type: batch.table, count: rows, rows, message });
        return { ...batch, rows: [] };
      }
      const values = this.#fitting(batch, shape, isFirst || !this.isCertain, report);
      if (batch.isUpdate) return values;
      const kept = this.#withoutRepeated(values, shape, isFirst, isRepeated, report);
      counts.set(batch.table, (counts.get(batch.table) ?? 0) + kept.rows.length);
      return kept;
    };
    return {
      counts,
      take: (batch) => {
        const taken = take(batch);
        if (isFirst) this.isCertain = !this.#repeated.areSuspected;
        return taken;
      },
    };
  }

  /** Replaces values that the engine does not take. */
  #fitting(batch: RowBatch, { definition, types }: TableShape, looksAtAll: boolean, report: Findings['add']): RowBatch {
    const { table, columns } = batch;
    let rows = batch.rows;
    for (const [place, column] of columns.entries()) {
      const key = `${table}.${column}`;
      if (!looksAtAll && !this.#suspects.has(key)) continue;
      const type = types.get(column);
      if (type === undefined) throw new Error(`the target has no column ${key}`);
      for (let n = 0; n < rows.length; n++) {
        const value = rows[n]![place]!;
        const misfit = this.#form.misfit(value, type);
        if (!misfit) continue;
        if (misfit.isOfSize) {
          this.wider.add(key);
          continue;
        }
        this.#suspects.add(key);
        if (rows === batch.rows) rows = [...rows];
        (rows as (readonly CanonicalValue[])[])[n] = rows[n]!.with(place, misfit.instead);
        const stays = misfit.instead === null ? 'it is left empty' : 'the nearest value that fits is stored';
        const message = `the value ${misfit.reason}: ${stays}`;
        const uid = definition.owner?.uid ?? table;
        report({ kind: 'invalid-value', place: placeIn(batch, n), type: uid, attribute: column, message });
      }
    }
    return rows === batch.rows ? batch : { ...batch, rows };
  }

  /** Leaves out rows whose values of a unique index occur before. */
  #withoutRepeated(
    batch: RowBatch,
    { definition }: TableShape,
    isFirst: boolean,
    isRepeated: ((key: string) => boolean) | undefined,
    report: Findings['add'],
  ): RowBatch {
    if (!isFirst && !isRepeated) return batch;
    const unique = definition.indexes
      // a component has one owner, as its row has one id
      .filter((index) => index.unique && !index.columns.includes('cmp_id'))
      .map(({ columns }) => columns.map((column) => batch.columns.indexOf(column)))
      .filter((places) => !places.includes(-1));
    if (unique.length === 0) return batch;
    const { owner } = definition;
    const rows = batch.rows.filter((row, n) => {
      for (const [index, places] of unique.entries()) {
        if (places.some((place) => row[place] === null)) continue;
        const key = `${definition.name} ${index} ${places.map((place) => String(row[place])).join('\n')}`;
        if (isFirst) this.#repeated.add(key);
        else if (isRepeated?.(key)) {
          const names = places.map((place) => `${batch.columns[place]} ${row[place]}`).join(', ');
          const message = `${names} occurs before: the later row is left out`;
          const what = { type: owner?.uid ?? batch.table, ...(owner?.attribute && { attribute: owner.attribute }) };
          report({ kind: 'duplicate-link', place: placeIn(batch, n), ...what, rows: 1, message });
          return false;
        }
      }
      return true;
    });
    return rows.length === batch.rows.length ? batch : { ...batch, rows };
  }
}

export type { Acceptance };

/** The entries of the core store that may come from another place. */
function withoutOwnState(batch: RowBatch): RowBatch {
  const key = batch.columns.indexOf('key');
  const places = [...batch.rows.keys()].filter((n) => !OWN_STATE.test(String(batch.rows[n]![key])));
  return {
    ...batch,
    rows: places.map((n) => batch.rows[n]!),
    placeOf: (row: number) => placeIn(batch, places[row]!),
  };
}

interface Reading {
  readonly counts: ReadonlyMap<string, number>;
  /** The rows of a batch that the target takes. */
  take(batch: RowBatch): RowBatch;
}

const placeIn = (batch: RowBatch, row: number): string =>
  batch.placeOf?.(row) ?? `${batch.table}, row ${batch.rows[row]![0]}`;

/**
 * Galley's own rows that name rows of content by their ids, which belong to other rows after a load: links, sessions,
 * leases, grants of roles.
 */
const BOUND_TO_ROWS: readonly string[] = [
  ...['galley_pending_links', 'galley_draft_links', 'galley_file_leases', 'galley_restored_rows'],
  ...['galley_sessions', 'galley_accounts', 'galley_admin_saves', 'galley_admin_presence', 'galley_admin_refused'],
];

/**
 * The tables with rows that make a target not empty: those of content, without administrators and tokens, and others of
 * which the source has rows.
 *
 * @param existing the tables that the target has.
 */
export async function filledTables(
  database: Queryable,
  layout: Layout,
  { counts }: Pick<Survey, 'counts'>,
  existing: ReadonlySet<string>,
): Promise<string[]> {
  const content = layout.tables.filter(({ owner }) => !owner?.uid.startsWith('admin::')).map(({ name }) => name);
  const filled: string[] = [];
  for (const name of new Set([...content, ...counts.keys()])) {
    if (!existing.has(name) || SEEDED_TABLES.includes(name) || name === CORE_STORE_TABLE) continue;
    if ((await query(database, compileHasRows(name))).length > 0) filled.push(name);
  }
  return filled;
}

/** Options of content types by which the reference, at its next start, knows what the rows are. */
export type SwitchesByType = ReadonlyMap<string, { readonly draftAndPublish: boolean; readonly localized: boolean }>;

export interface LoadRequest extends Shapes {
  readonly database: Database;
  readonly engine: SchemaEngine;
  readonly layout: Layout;
  /** What `survey` has returned for the source. */
  readonly surveyed: Survey;
  /** Whether rows of the target are deleted first. */
  readonly replaces: boolean;
  /** Tables of the source that the target may lack, which are created. */
  readonly added?: readonly TableDefinition[];
  readonly switches?: SwitchesByType;
  readonly onProgress: OnProgress;
  /** Called in the transaction, before its commit, with the number of rows. */
  readonly before?: (tx: Transaction, rows: number) => Promise<void>;
}

/** Rows by table that were written. */
export type Written = ReadonlyMap<string, number>;

/**
 * Writes the rows of a source into a database that has the layout, in one transaction.
 *
 * @throws UsageError if the target has rows and is not to be replaced; errors of the engine.
 */
export async function load(source: Source, request: LoadRequest): Promise<Written> {
  const { database, surveyed } = request;
  const written = new Map<string, number>();
  await database.transaction(
    async (tx) => {
      written.clear();
      const { added = [], engine } = request;
      const existing = await engine.introspect(
        tx,
        added.map(({ name }) => name),
      );
      const finish = await createTables(tx, added, engine, existing);
      await clear(tx, request);
      const brought = new Set(surveyed.counts.keys());
      const tables = request.tables.filter(({ name }) => brought.has(name));
      for (const key of surveyed.wider) await widen(tx, request, key);
      const restore = await withoutIndexes(tx, request, tables);
      const settings = brought.has(CORE_STORE_TABLE) ? await takeSettings(tx) : [];
      const insertion = await beginInsertion(tx, request.form, tables);
      const findings = new Findings();
      const reading = surveyed.acceptance.read(findings.add);
      const keys = new Set<unknown>();
      for await (const batch of source.rows(findings.add)) {
        const taken = reading.take(batch);
        if (taken.table === CORE_STORE_TABLE) {
          const place = taken.columns.indexOf('key');
          for (const row of taken.rows) keys.add(row[place]);
        }
        if (taken.isUpdate) await updateRows(tx, taken);
        else {
          await insertion.insert(taken);
          written.set(taken.table, (written.get(taken.table) ?? 0) + taken.rows.length);
        }
        request.onProgress(source.progress?.() ?? 0);
      }
      await restore();
      await finish();
      await insertion.end(await source.lastIds?.());
      for (const setting of settings) if (!keys.has(setting.key)) await insertRow(tx, CORE_STORE_TABLE, setting);
      if (request.switches) await storeSwitches(tx, request.switches);
      await request.before?.(
        tx,
        [...written.values()].reduce((sum, rows) => sum + rows, 0),
      );
    },
    { once: true },
  );
  return written;
}

/** Deletes the rows that the source replaces. */
async function clear(tx: Transaction, { layout, tables, surveyed, replaces }: LoadRequest): Promise<void> {
  const names = new Set(tables.map(({ name }) => name));
  const filled = await filledTables(tx, layout, surveyed, names);
  if (!replaces && filled.length > 0) throw notEmpty(filled);
  const replaced = SEEDED_TABLES.filter((name) => (surveyed.counts.get(name) ?? 0) > 0);
  for (const name of [...filled, ...replaced, ...BOUND_TO_ROWS]) {
    if (names.has(name)) await query(tx, compileDeleteAll(name));
  }
  if (!replaced.includes('up_roles')) return;
  // grants of roles that are replaced; those of tokens stay
  for (const [role] of await selectRows(tx, 'galley_permissions', ['role_id'], {})) {
    if (role !== null) await deleteRows(tx, 'galley_permissions', { role_id: Number(role) });
  }
}

/** @param filled the tables that have rows. */
export function notEmpty(filled: readonly string[]): UsageError {
  const more = filled.length > 3 ? ` and ${filled.length - 3} more` : '';
  return new UsageError(
    `the database of the project is not empty: ${filled.slice(0, 3).join(', ')}${more} have rows. Use --replace to make a backup and replace them`,
    1,
  );
}

async function widen(tx: Transaction, { form, tables }: LoadRequest, key: string): Promise<void> {
  for (const { name, columns } of tables) {
    for (const column of columns) if (`${name}.${column.name}` === key) await form.widen?.(tx, name, column);
  }
}

/** Rows from which on the indexes of a table are built after its rows: that takes a fraction of the time. */
const MANY = 5000;

/**
 * Drops the indexes of tables that receive many rows, and stops counting their rows one by one. The returned function
 * undoes that.
 */
async function withoutIndexes(
  tx: Transaction,
  { engine: { ddl }, surveyed }: LoadRequest,
  tables: readonly TableDefinition[],
): Promise<() => Promise<void>> {
  const large = tables.filter(({ name }) => (surveyed.counts.get(name) ?? 0) >= MANY);
  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await tx.rows(statement, []);
  };
  const plain = large.map((table) => {
    const indexes = table.indexes.filter(({ unique }) => !unique);
    return { ...table, indexes };
  });
  for (const { name, indexes, keepsTotals } of plain) {
    if (keepsTotals) await run(ddl.forgetTotals(name));
    for (const index of indexes) await query(tx, compileDropIndex(index.name));
  }
  return async () => {
    for (const { name, indexes, keepsTotals } of plain) {
      await run(indexes.map((index) => compileIndex(name, index, ddl)));
      if (keepsTotals) await run(ddl.keepTotals(name));
    }
  };
}

/** Rows of one statement. */
const UPDATES = 500;

async function updateRows(tx: Transaction, { table, columns, rows }: RowBatch): Promise<void> {
  for (let from = 0; from < rows.length; from += UPDATES) {
    const part = rows.slice(from, from + UPDATES);
    await query(tx, compileUpdateRows(table, columns, part.length), part.flat());
  }
}

interface Setting {
  readonly key: string;
  readonly [column: string]: string | null;
}

/** Removes the settings of the target, and returns them: those that the source does not have stay. */
async function takeSettings(tx: Transaction): Promise<Setting[]> {
  const columns = ['key', 'value', 'type', 'environment', 'tag'];
  const rows = await selectRows(tx, CORE_STORE_TABLE, columns, {}, ['id']);
  await query(tx, compileDeleteAll(CORE_STORE_TABLE));
  return rows.map((row) => Object.fromEntries(columns.map((name, n) => [name, row[n]])) as Setting);
}

/** The entry by which the reference notices changed options of content types. */
const OPTIONS_ENTRY = 'strapi_content_types_schema';

/** Stores which options the rows have, where the reference knows of other ones: it would move the rows at its start. */
async function storeSwitches(tx: Transaction, switches: SwitchesByType): Promise<void> {
  const entry = await readEntry(tx, OPTIONS_ENTRY);
  if (entry === undefined) return;
  const schemas: Record<string, Record<string, Record<string, unknown>>> = JSON.parse(entry);
  for (const [uid, { draftAndPublish, localized }] of switches) {
    const schema = Object.hasOwn(schemas, uid) ? schemas[uid] : undefined;
    if (!schema) continue;
    schema.options = { ...schema.options, draftAndPublish };
    if (localized || schema.pluginOptions?.i18n) {
      const i18n = { ...(schema.pluginOptions?.i18n as object | undefined), localized };
      schema.pluginOptions = { ...schema.pluginOptions, i18n };
    }
  }
  await storeEntry(tx, OPTIONS_ENTRY, JSON.stringify(schemas), 'object');
}

/** The counts of a report, by type. @param written rows by table; undefined where nothing was written. */
export function countsOf(surveyed: Survey, tables: readonly TableDefinition[], written?: Written): TypeCounts[] {
  const byType = new Map<string, { -readonly [Key in keyof TypeCounts]: TypeCounts[Key] }>();
  const of = (type: string) => {
    const counts = byType.get(type) ?? { type, read: 0, written: 0, links: 0, writtenLinks: 0, refused: 0 };
    byType.set(type, counts);
    return counts;
  };
  for (const { name, owner } of tables) {
    const own = surveyed.counts.get(name);
    // rows that tie components to their owners say nothing about the archive
    if (own === undefined || (owner && !owner.attribute && name.endsWith('_cmps'))) continue;
    const counts = of(owner?.uid ?? name);
    if (owner?.attribute) {
      counts.links += own;
      counts.writtenLinks += written?.get(name) ?? 0;
    } else {
      counts.read += own;
      counts.written += written?.get(name) ?? 0;
    }
  }
  for (const { type, isLink, rows } of surveyed.findings.refused) {
    const counts = of(type);
    counts.refused += rows;
    if (isLink) counts.links += rows;
    else counts.read += rows;
  }
  return [...byType.values()].sort((one, other) => (one.type < other.type ? -1 : 1));
}
