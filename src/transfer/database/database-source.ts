/** A database as a source: one state of it, table by table, the rows of each in the order of their ids. */
import type { CanonicalColumn, CanonicalValue } from '../../db/interface/canonical-rows.ts';
import type { Snapshot } from '../../db/interface/snapshot.ts';
import type { ForeignKeyDefinition } from '../../schema/layout/table.ts';
import type { Sql } from '../../sql/fragment.ts';
import { compileCount, compileDangling, compileOwnIf, refersToRow, textOf } from '../../sql/transfer.ts';
import type { ReportFinding, RowBatch, Source, SourceFile } from '../rows.ts';
import { readPages } from './row-pages.ts';
import type { LeftOut, SourceTable } from './source-tables.ts';
import type { WallClock } from './wall-clock.ts';

export interface DatabaseSourceOptions {
  readonly snapshot: Snapshot;
  readonly tables: readonly SourceTable[];
  /** What is not taken. */
  readonly left: readonly LeftOut[];
  /** Converts times without a zone; undefined: they are in UTC. */
  readonly wallClock?: WallClock | undefined;
}

/** What is known of the rows of a table before they are read. */
interface Counted {
  readonly rows: number;
  /** The foreign keys that some rows do not satisfy. */
  readonly broken: readonly { readonly key: ForeignKeyDefinition; readonly count: number }[];
}

export class DatabaseSource implements Source {
  readonly tables: readonly SourceTable[];
  readonly #options: DatabaseSourceOptions;
  #counted: ReadonlyMap<SourceTable, Counted> | undefined;
  #total = 0;
  #read = 0;

  constructor(options: DatabaseSourceOptions) {
    this.#options = options;
    this.tables = options.tables;
  }

  async *rows(report: ReportFinding): AsyncGenerator<RowBatch, void, undefined> {
    const counted = await this.#count();
    this.#read = 0;
    await this.#reportLeft(report);
    for (const [table, counts] of counted) yield* this.#rowsOf(table, counts, report);
  }

  /** The number of rows of the tables that are taken. */
  async total(): Promise<number> {
    await this.#count();
    return this.#total;
  }

  async *#rowsOf({ definition, columns }: SourceTable, { rows, broken }: Counted, report: ReportFinding) {
    const { snapshot, wallClock } = this.#options;
    const { name: table, owner } = definition;
    const what = { type: owner?.uid ?? table, ...(owner?.attribute && { attribute: owner.attribute }) };
    const instead = new Map<string, Sql>();
    const where: Sql[] = [];
    for (const { key, count } of broken) {
      const { column, references, onDelete } = key;
      const place = `${table}.${column}`;
      const missing = `${references.table} has no such row`;
      const test = refersToRow({ column, referenced: references });
      if (onDelete === 'CASCADE') {
        where.push(test);
        report({
          kind: 'dangling-link',
          place,
          ...what,
          count,
          rows: count,
          message: `${missing}: the row is left out`,
        });
      } else {
        instead.set(column, compileOwnIf(test, column));
        report({ kind: 'dangling-link', place, ...what, count, message: `${missing}: the reference is left empty` });
      }
    }
    const converted = wallClock
      ? columns.flatMap(({ type, existing }, n) => (type === 'datetime' && snapshot.isWallClock(existing) ? [n] : []))
      : [];
    const onUnreadable = (column: CanonicalColumn, rowId: unknown): void => {
      const message = 'the value is no text, number or time: it is left empty';
      report({ kind: 'invalid-value', place: `${table}, row ${rowId}`, ...what, attribute: column.name, message });
    };
    const place = { executor: snapshot, form: snapshot.form, placeholder: snapshot.placeholder };
    const names = columns.map(({ name }) => name);
    let found = 0;
    for await (const page of readPages({ ...place, table, columns, instead, where, onUnreadable })) {
      found += page.rows.length;
      this.#read += page.rows.length;
      const values = converted.length > 0 ? page.rows.map((row) => convert(row, converted, wallClock!)) : page.rows;
      yield { table, columns: names, rows: values, placeOf: (row: number) => `${table}, row ${page.ids[row]}` };
    }
    // such as ids that occur twice, in a table without a primary key
    const wanted = where.length > 0 ? found : rows;
    if (found !== wanted)
      throw new Error(`${table} has ${wanted} rows, of which only ${found} can be read by their ids`);
  }

  async #count(): Promise<ReadonlyMap<SourceTable, Counted>> {
    if (this.#counted) return this.#counted;
    const names = new Set(this.tables.map(({ definition }) => definition.name));
    const counted = new Map<SourceTable, Counted>();
    for (const table of this.tables) {
      if (table.columns.length === 0) continue;
      const { name, foreignKeys } = table.definition;
      const rows = await this.#number(compileCount(name));
      const broken: { key: ForeignKeyDefinition; count: number }[] = [];
      for (const key of rows === 0 ? [] : foreignKeys) {
        const isRead = table.columns.some((column) => column.name === key.column);
        if (!isRead || !names.has(key.references.table)) continue;
        const count = await this.#number(
          compileDangling({ table: name, column: key.column, referenced: key.references }),
        );
        if (count > 0) broken.push({ key, count });
      }
      counted.set(table, { rows, broken });
      this.#total += rows;
    }
    this.#counted = counted;
    return counted;
  }

  async #number(statement: Sql): Promise<number> {
    const { snapshot } = this.#options;
    const [row] = await snapshot.rows(textOf(statement, snapshot.placeholder), []);
    return Number(row![0]);
  }

  /** Reports what is not taken, with numbers. Nothing is lost with an empty table. */
  async #reportLeft(report: ReportFinding): Promise<void> {
    for (const { table, column, reason } of this.#options.left) {
      const count = await this.#number(compileCount(table, column));
      if (count === 0) continue;
      if (column === undefined)
        report({ kind: 'unknown-table', place: table, type: table, count, rows: count, message: reason });
      else
        report({
          ...{ kind: 'unknown-attribute', place: `${table}.${column}`, type: table, attribute: column, count },
          message: reason,
        });
    }
  }

  /** The last ids that were given to rows of the tables, also to deleted ones. */
  readonly lastIds = async (): Promise<ReadonlyMap<string, number>> => {
    const names = new Set(this.tables.map(({ definition }) => definition.name));
    const all = await this.#options.snapshot.form.lastIds(this.#options.snapshot);
    return new Map([...all].filter(([table]) => names.has(table)));
  };

  /** A database has no files, only their records. */
  async *files(): AsyncGenerator<SourceFile, void, undefined> {}

  readonly progress = (): number => (this.#total === 0 ? 1 : this.#read / this.#total);

  close(): Promise<void> {
    return this.#options.snapshot.close();
  }
}

function convert(row: readonly CanonicalValue[], places: readonly number[], clock: WallClock): CanonicalValue[] {
  const values = [...row];
  for (const place of places) {
    const value = values[place];
    if (typeof value === 'number') values[place] = clock.toMoment(value);
  }
  return values;
}
