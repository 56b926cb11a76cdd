/**
 * Copies of a database as lines of JSON in canonical values: a form of backups that needs no other program. The first
 * line describes the tables. Then a line with a table and columns precedes its rows, which are lists.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { linesOf } from '../../byte-lines.ts';
import type { CanonicalValue } from '../../db/interface/canonical-rows.ts';
import type { DatabaseCopies } from '../../db/interface/database-copies.ts';
import type { Executor, Queryable } from '../../db/interface/queryable.ts';
import type { Snapshot } from '../../db/interface/snapshot.ts';
import { UsageError } from '../../errors.ts';
import { TOTALS_TABLE } from '../../sql/totals.ts';
import { survey } from '../loader.ts';
import { type MovedSource, type MoveTarget, move } from '../move.ts';
import { Findings } from '../report.ts';
import type { RowBatch, SourceFile } from '../rows.ts';
import { DatabaseSource } from './database-source.ts';
import { chooseTables, type LeftOut, type SourceTable } from './source-tables.ts';

/** The form of these copies. */
const FORM = 'rows';
const VERSION = 1;

/** The first line. */
interface Head {
  readonly galleyRows: number;
  readonly tables: readonly SourceTable[];
  readonly lastIds: readonly (readonly [table: string, last: number])[];
}

interface RowCopiesParts {
  readonly openSnapshot: () => Promise<Snapshot>;
  /** Reads like a database with the rows of a snapshot. */
  readonly queryable: (snapshot: Executor) => Queryable;
  /** Opens the database for writing. */
  readonly withTarget: <T>(work: (target: MoveTarget) => Promise<T>) => Promise<T>;
}

export function rowCopies({ openSnapshot, queryable, withTarget }: RowCopiesParts): DatabaseCopies {
  return {
    form: FORM,
    async create(file, during) {
      const snapshot = await openSnapshot();
      try {
        const existing = await snapshot.tables();
        // the server counts the rows again
        const unknownTable = (name: string) => (name === TOTALS_TABLE ? 'reported' : 'brought');
        const { tables, left } = await chooseTables({
          snapshot,
          existing,
          wanted: [],
          unknownTable,
          unknownColumns: 'brought',
        });
        refuseMisfits(await misfitsOf(snapshot, tables, left));
        const source = new DatabaseSource({ snapshot, tables, left: [] });
        const rows = Object.fromEntries(tables.map(({ definition }) => [definition.name, 0]));
        const findings = new Findings();
        const lines = written(source, rows, findings);
        await pipeline(lines, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
        refuseMisfits(findings.lines());
        await during(queryable(snapshot), rows);
        return rows;
      } finally {
        await snapshot.close();
      }
    },
    async check(file) {
      const source = await CopySource.open(file);
      const rows: Record<string, number> = Object.fromEntries(
        source.tables.map(({ definition }) => [definition.name, 0]),
      );
      for await (const batch of source.rows()) rows[batch.table]! += batch.rows.length;
      return rows;
    },
    async restore(file) {
      const source = await CopySource.open(file);
      const tables = source.tables.map(({ definition }) => definition);
      await withTarget(async (target) => {
        const surveyed = await survey(source, { tables, form: target.form, takesOwnState: true }, () => undefined);
        refuseMisfits(surveyed.findings.lines());
        await move(source, surveyed, target, { writing: () => undefined, comparing: () => undefined });
      });
    },
  };
}

/** What this form would leave out or change: a restore deletes the original. */
async function misfitsOf(
  snapshot: Snapshot,
  tables: readonly SourceTable[],
  left: readonly LeftOut[],
): Promise<readonly string[]> {
  const misfits = left.filter(({ table }) => table !== TOTALS_TABLE).map(({ table }) => `${table} has no column id`);
  for (const { definition, columns } of tables) {
    for (const { name, existing } of columns)
      if (snapshot.typeOf(existing) === undefined) misfits.push(`${definition.name}.${name} is ${existing}`);
    for (const { column, onDelete } of await snapshot.foreignKeys(definition.name))
      if (onDelete !== 'CASCADE' && onDelete !== 'SET NULL')
        misfits.push(`the foreign key of ${definition.name}.${column} neither deletes nor sets null`);
  }
  return misfits;
}

/** The misfits that an error names. */
const NAMED = 5;

function refuseMisfits(misfits: readonly string[]): void {
  if (misfits.length === 0) return;
  const named = misfits.slice(0, NAMED).map((line) => line.trim());
  const more = misfits.length > NAMED ? ` and ${misfits.length - NAMED} more` : '';
  const what = `a backup in the form rows cannot contain everything: ${named.join('; ')}${more}`;
  throw new UsageError(`${what}. pg_dump, pg_restore and psql can: install those of the server's version`, 1);
}

/** The lines of a source. @param counts receives the number of rows of each table. */
async function* written(
  source: DatabaseSource,
  counts: Record<string, number>,
  findings: Findings,
): AsyncGenerator<string> {
  const head: Head = { galleyRows: VERSION, tables: source.tables, lastIds: [...(await source.lastIds())] };
  yield `${JSON.stringify(head)}\n`;
  for await (const { table, columns, rows } of source.rows(findings.add)) {
    counts[table]! += rows.length;
    yield `${JSON.stringify({ table, columns })}\n${rows.map((row) => `${JSON.stringify(row.map(encoded))}\n`).join('')}`;
  }
}

/** JSON has no whole numbers of 64 bits, and no numbers that are not finite. */
const encoded = (value: CanonicalValue): unknown =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
    ? { [typeof value]: String(value) }
    : value;

function decoded(value: unknown): CanonicalValue {
  if (typeof value !== 'object' || value === null) return value as CanonicalValue;
  const { bigint, number } = value as { readonly bigint?: string; readonly number?: string };
  return bigint === undefined ? Number(number) : BigInt(bigint);
}

/** Rows that are given at once. */
const BATCH = 1000;

class CopySource implements MovedSource {
  readonly tables: readonly SourceTable[];
  readonly #file: string;
  readonly #head: Head;

  private constructor(file: string, head: Head) {
    this.#file = file;
    this.#head = head;
    this.tables = head.tables;
  }

  /** @throws UsageError for any other file. */
  static async open(file: string): Promise<CopySource> {
    for await (const line of linesOf(createReadStream(file))) {
      const head = JSON.parse(line) as Head;
      if (head.galleyRows === VERSION) return new CopySource(file, head);
      break;
    }
    throw new UsageError('the database of the backup is of another version of Galley', 1);
  }

  async *rows(): AsyncGenerator<RowBatch, void, undefined> {
    let shape: { readonly table: string; readonly columns: readonly string[] } | undefined;
    let rows: CanonicalValue[][] = [];
    let isHead = true;
    for await (const line of linesOf(createReadStream(this.#file))) {
      if (isHead) {
        isHead = false;
        continue;
      }
      const value = JSON.parse(line) as unknown[] | NonNullable<typeof shape>;
      if (Array.isArray(value)) rows.push(value.map(decoded));
      if (shape && rows.length > 0 && (rows.length === BATCH || !Array.isArray(value))) {
        yield { ...shape, rows };
        rows = [];
      }
      if (!Array.isArray(value)) shape = value;
    }
    if (shape && rows.length > 0) yield { ...shape, rows };
  }

  async lastIds(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.#head.lastIds);
  }

  async *files(): AsyncGenerator<SourceFile, void, undefined> {}

  readonly progress = (): number => 0;

  async close(): Promise<void> {}
}
