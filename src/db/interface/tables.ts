/** Writes single tables. Statement texts are compiled once per shape and cached. */
import type { LruCache } from '../../lru-cache.ts';
import type { ColumnList } from '../../plan/row-query.ts';
import type { UnfoldedColumn } from '../../sql/dialect.ts';
import { type Sql, type SqlValue, slot } from '../../sql/fragment.ts';
import {
  compileCopy,
  compileCopyAs,
  compileCopyOnto,
  compileCopyOntoOne,
  compileCopyRows,
  compileCopyRowsAs,
  compileDelete,
  compileDeleteEach,
  compileInsert,
  compileInsertEmpty,
  compileInsertLast,
  compileInsertMany,
  compileInsertManyLast,
  compileInsertOf,
  compileSetEach,
  compileUpdate,
  compileUpdateRows,
  type LastOfGroup,
} from '../../sql/write.ts';
import type { Row, Sent } from './queryable.ts';
import { boundOf, kindOf, type Match, matchesNothing, TableReader, whereOf } from './table-reader.ts';
import type { Transaction } from './transaction.ts';

/** The most rows of one statement: where statements run on the serving thread, this many take some 20 ms. */
const PART = 2000;
/** The most ids of one table that are drawn at a time; further rows are inserted without drawn ids. */
const MOST = 128;
/** The most rows with values of any kind that one statement inserts. */
const ROWS = 64;

export type Columns = ReadonlyMap<string, SqlValue>;
/** Values of some columns, in their order. */
type Values = readonly SqlValue[];
/** The ids of a copied row and of the row that receives its values. */
type IdPair = readonly [from: number, to: number];

/** Writes single tables, in a transaction. */
export class Tables extends TableReader {
  readonly #tx: Transaction;
  readonly #drawn: DrawnIds;

  /** @param texts the project's cache of texts. */
  constructor(tx: Transaction, texts: LruCache<string, string>) {
    super(tx, texts);
    this.#tx = tx;
    this.#drawn = new DrawnIds((values, compile) => this.run('draw', values, compile));
  }

  /**
   * Draws ids, by table, for rows to be inserted or copied, where each id would otherwise take a round trip. A row with
   * a drawn id is inserted without waiting.
   *
   * @param counts called only on engines that draw ids.
   */
  draw(counts: () => ReadonlyMap<string, number>): Promise<void> | undefined {
    const { drawIds } = this.dialect;
    return drawIds && this.#drawn.draw(drawIds, counts());
  }

  /** Runs any statement whose rows are not needed; otherwise as `run`. */
  write(key: string, values: readonly SqlValue[], compile: () => Sql): Sent {
    return this.#send(`x ${key}`, values, compile);
  }

  #send(key: string, values: readonly SqlValue[], compile: () => Sql): Sent {
    return this.#tx.send(this.statementText(key, compile), values);
  }

  /** Inserts a row and returns its id. */
  async insert(table: string, columns: Columns): Promise<number> {
    const names = [...columns.keys()];
    const [id] = this.#drawn.take(table, 1) ?? [];
    if (id !== undefined) {
      const compile = () => compileInsertOf(table, ['id', ...names]);
      await this.#send(`id ${table} ${names} 1`, [id, ...columns.values()], compile);
      return id;
    }
    const columnsOf = { key: `${table} ${names}`, table, names };
    const [inserted] = await this.#inserted(columnsOf, [...columns.values()], 1);
    return inserted!;
  }

  /** Inserts rows with values of any kind, in the order of their columns, and returns their ids in order. */
  insertRows(columns: ColumnList, rows: readonly Values[]): number[] | Promise<number[]> {
    const { table, names } = columns;
    if (names.length === 0) return this.#insertEmpty(table, rows.length);
    const drawn = this.#drawn.take(table, rows.length);
    if (drawn) return this.#insertDrawn(columns, rows, drawn);
    const { length } = rows;
    return length === lengthOfPart(length)
      ? this.#inserted(columns, flattened(rows), length)
      : this.#insertParts(columns, rows);
  }

  async #insertDrawn({ key, table, names }: ColumnList, rows: readonly Values[], ids: number[]): Promise<number[]> {
    for (let from = 0, count = 0; from < rows.length; from += count) {
      count = lengthOfPart(rows.length - from);
      const values = rows.slice(from, from + count).flatMap((row, n) => [ids[from + n]!, ...row]);
      await this.#send(`id ${key} ${count}`, values, () => compileInsertOf(table, ['id', ...names], count));
    }
    return ids;
  }

  async #insertParts(columns: ColumnList, rows: readonly Values[]): Promise<number[]> {
    const ids: number[] = [];
    for (let from = 0, count = 0; from < rows.length; from += count) {
      count = lengthOfPart(rows.length - from);
      ids.push(...(await this.#inserted(columns, flattened(rows.slice(from, from + count)), count)));
    }
    return ids;
  }

  /** Inserts as many rows as one statement takes, and returns their ids in order. */
  #inserted({ key, table, names }: ColumnList, values: Values, count: number): number[] | Promise<number[]> {
    // an engine that does not draw ids returns the last id, unless triggers of other programs may change what is
    // inserted
    if (this.#tx.returnsIds(table)) {
      const last = this.#tx.insert(
        this.statementText(`io ${key} ${count}`, () => compileInsertOf(table, names, count)),
        values,
      );
      return last instanceof Promise ? last.then((id) => rising(id, count)) : rising(last, count);
    }
    const statement = this.prepared(`i ${key} ${count}`, values, () => compileInsert(table, names, count));
    return statement instanceof Promise ? statement.then(inOrder) : inOrder(statement);
  }

  /** Updates existing rows, each with values of any kind for the same columns. */
  async updateRows(table: string, rows: ReadonlyMap<number, Columns>): Promise<void> {
    const all = [...rows];
    const names = [...(all[0]?.[1].keys() ?? [])];
    if (names.length === 0) return;
    if (all.length <= this.dialect.planner.smallBatch) {
      for (const [row, columns] of all) await this.update(table, columns, { id: row });
      return;
    }
    for (let from = 0, count = 0; from < all.length; from += count) {
      count = lengthOfPart(all.length - from);
      const values = all.slice(from, from + count).flatMap(([row, columns]) => [row, ...columns.values()]);
      await this.#send(`ur ${table} ${names} ${count}`, values, () =>
        compileUpdateRows(table, ['id', ...names], count),
      );
    }
  }

  /** Inserts a copy of each of the rows, and returns the new ids in order. */
  async copyRows(rows: readonly number[], copied: ColumnList): Promise<number[]> {
    const { key, table, names } = copied;
    if (names.length === 0) return this.#insertEmpty(table, rows.length);
    const drawn = rows.length > 1 ? this.#drawn.take(table, rows.length) : undefined;
    if (drawn) {
      const pairs = rows.map((row, n) => [drawn[n], row]);
      for (let from = 0; from < pairs.length; from += PART) {
        const compile = () => compileCopyRowsAs(this.dialect, table, names);
        await this.#send(`ca ${key}`, [JSON.stringify(pairs.slice(from, from + PART))], compile);
      }
      return drawn;
    }
    const ids: number[] = [];
    await this.#inParts(
      rows,
      async (row) => ids.push(await this.copy(row, copied, new Map())),
      async (part) => {
        const json = JSON.stringify(part.map((row, n) => [n, row]));
        const compile = () => compileCopyRows(this.dialect, table, names);
        ids.push(...inOrder(await this.prepared(`cr ${key}`, [json], compile)));
      },
    );
    return ids;
  }

  /** Copies columns between the rows of each pair, and returns whether any of them differed. */
  async copyOnto(pairs: readonly IdPair[], copied: ColumnList): Promise<boolean> {
    let isChanged = false;
    await this.#copyOnto(pairs, copied, async (...statement) => {
      if ((await this.prepared(...statement)).length > 0) isChanged = true;
    });
    return isChanged;
  }

  /** Copies columns between the rows of each pair. */
  sendCopies(pairs: readonly IdPair[], copied: ColumnList): Promise<void> {
    return this.#copyOnto(pairs, copied, (...statement) => this.#send(...statement));
  }

  async #copyOnto(
    pairs: readonly IdPair[],
    { key, table, names }: ColumnList,
    run: (key: string, values: readonly SqlValue[], compile: () => Sql) => unknown,
  ): Promise<void> {
    if (names.length === 0) return;
    const { dialect } = this;
    await this.#inParts(
      pairs,
      (pair) => run(`c1 ${key}`, pair, () => compileCopyOntoOne(dialect, table, names)),
      (part) => run(`co ${key}`, [JSON.stringify(part)], () => compileCopyOnto(dialect, table, names)),
    );
  }

  /** Inserts rows that have only an id. */
  async #insertEmpty(table: string, count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let n = 0; n < count; n++)
      ids.push(...inOrder(await this.prepared(`e ${table}`, [], () => compileInsertEmpty(table))));
    return ids;
  }

  /**
   * Inserts rows of numbers and texts, in the order of their columns. The column `last.column` gets the next number
   * within the rows that share `last.group`; no two of the new rows may share it.
   */
  insertMany(columns: ColumnList, rows: readonly Values[], last?: LastOfGroup): Sent {
    if (rows.length === 0) return undefined;
    return rows.length <= this.dialect.planner.smallBatch
      ? this.#insertFew(columns, rows, last)
      : this.#insertAll(columns, rows, last);
  }

  async #insertAll(columns: ColumnList, rows: readonly Values[], last: LastOfGroup | undefined): Promise<void> {
    for (let from = 0; from < rows.length; from += PART)
      await this.#insertUnfolded(columns, rows.slice(from, from + PART), last);
  }

  #insertFew({ key, table, names }: ColumnList, rows: readonly Values[], last: LastOfGroup | undefined): Sent {
    const count = rows.length;
    if (!last) return this.#send(`io ${key} ${count}`, flattened(rows), () => compileInsertOf(table, names, count));
    const { column, group } = last;
    const place = names.indexOf(group);
    const values = flattened(rows.map((row) => [...row, row[place]!]));
    return this.#send(`l ${key} ${column} ${group} ${count}`, values, () =>
      compileInsertLast(table, names, last, count),
    );
  }

  /** Inserts many rows as one parameter. */
  #insertUnfolded({ key, table, names }: ColumnList, rows: readonly Values[], last: LastOfGroup | undefined): Sent {
    const { dialect } = this;
    // the type of a column without values would be unknown
    const filled = [...names.keys()].filter((n) => rows.some((row) => row[n] !== null));
    const { columns, json, shape } = unfoldedOf(
      filled.map((n) => names[n]!),
      filled.length === names.length ? rows : rows.map((row) => filled.map((n) => row[n]!)),
    );
    return this.#send(`im ${key} ${shape} ${last?.column} ${last?.group}`, [json], () =>
      last ? compileInsertManyLast(dialect, table, columns, last) : compileInsertMany(dialect, table, columns),
    );
  }

  /** Sets a column to one number for each id. */
  setEach(table: string, column: string, numbers: ReadonlyMap<number, number | null>): Sent {
    if (numbers.size === 0) return undefined;
    return this.#inParts(
      [...numbers],
      ([row, number]) => this.update(table, new Map([[column, number]]), { id: row }),
      (part) =>
        this.#send(`ue ${table} ${column}`, [JSON.stringify(part)], () =>
          compileSetEach(this.dialect, table, { name: column, kind: 'double' }),
        ),
    );
  }

  /** Deletes the rows that equal one of several lists of values in all columns. */
  deleteEach({ key, table, names }: ColumnList, rows: readonly Values[]): Sent {
    if (rows.length === 0) return undefined;
    return this.#inParts(
      rows,
      (row) => this.delete(table, Object.fromEntries(names.map((name, n) => [name, row[n]!]))),
      (part) => {
        const { columns, json, shape } = unfoldedOf(names, part);
        const nullable = new Set(names.filter((_, n) => part.some((row) => row[n] === null)));
        return this.#send(`de ${key} ${shape} ${[...nullable]}`, [json], () =>
          compileDeleteEach(this.dialect, table, columns, nullable),
        );
      },
    );
  }

  /** Processes few items one by one, if that is faster, and more by one statement for each part of the list. */
  async #inParts<Item>(
    items: readonly Item[],
    one: (item: Item) => unknown,
    many: (part: readonly Item[]) => unknown,
  ): Promise<void> {
    if (items.length <= this.dialect.planner.smallBatch) {
      for (const item of items) await one(item);
      return;
    }
    for (let from = 0; from < items.length; from += PART) await many(items.slice(from, from + PART));
  }

  /** Inserts a copy of a row with some columns overridden, and returns the new id. */
  async copy(id: number, { key, table, names: copied }: ColumnList, overridden: Columns): Promise<number> {
    const [drawn] = this.#drawn.take(table, 1) ?? [];
    if (drawn !== undefined) {
      const names = ['id', ...overridden.keys()];
      const values = [drawn, ...overridden.values(), id];
      await this.#send(`cd ${key} ${names}`, values, () => compileCopyAs(table, copied, names));
      return drawn;
    }
    const names = [...overridden.keys()];
    const values = [...overridden.values(), id];
    const [row] = await this.prepared(`c ${key} ${names}`, values, () => compileCopy(table, copied, names));
    return Number(row![0]);
  }

  /** Updates all rows that match. */
  update(table: string, columns: Columns, match: Match): Sent {
    const operands = Object.values(match);
    if (columns.size === 0 || matchesNothing(operands)) return undefined;
    const by = Object.keys(match);
    const names = [...columns.keys()];
    const { values, shape } = boundOf(operands);
    return this.#send(`u ${table} ${names} ${by} ${shape}`, [...columns.values(), ...values], () =>
      compileUpdate(this.dialect, table, names, whereOf(by, shape)),
    );
  }

  /** Deletes all rows that match. */
  delete(table: string, match: Match): Sent {
    const operands = Object.values(match);
    if (matchesNothing(operands)) return undefined;
    const by = Object.keys(match);
    const { values, shape } = boundOf(operands);
    return this.#send(`d ${table} ${by} ${shape}`, values, () =>
      compileDelete(this.dialect, table, whereOf(by, shape)),
    );
  }
}

type Draw = (values: readonly SqlValue[], compile: () => Sql) => Row[] | Promise<Row[]>;

/** Drawn ids of rows that a transaction is about to insert: over a network, each id would otherwise be awaited. */
class DrawnIds {
  readonly #run: Draw;
  readonly #ids = new Map<string, number[]>();

  constructor(run: Draw) {
    this.#run = run;
  }

  async draw(drawIds: (tables: Sql) => Sql, counts: ReadonlyMap<string, number>): Promise<void> {
    const wanted = [...counts].filter(([, count]) => count > 0).map(([table, count]) => [table, Math.min(count, MOST)]);
    if (wanted.length === 0) return;
    const rows = await this.#run([JSON.stringify(wanted)], () => drawIds(slot(0)));
    for (const [place, id] of rows) {
      if (id === null) continue;
      const table = String(wanted[Number(place) - 1]![0]);
      const known = this.#ids.get(table);
      if (known) known.push(Number(id));
      else this.#ids.set(table, [Number(id)]);
    }
  }

  /** The given number of ids in the order in which they were drawn; undefined if fewer are available. */
  take(table: string, count: number): number[] | undefined {
    const ids = this.#ids.get(table);
    return ids && ids.length >= count ? ids.splice(0, count) : undefined;
  }
}

/** The number of rows of the next statement. Few lengths make few statements. */
const lengthOfPart = (remaining: number): number => Math.min(ROWS, 2 ** Math.floor(Math.log2(remaining)));

/** Consecutive ids that end with the last one. */
const rising = (last: number, count: number): number[] => Array.from({ length: count }, (_, n) => last - count + 1 + n);

/** The values of rows, row after row. */
function flattened(rows: readonly Values[]): Values {
  if (rows.length === 1) return rows[0]!;
  const values: SqlValue[] = [];
  for (const row of rows) for (const value of row) values.push(value);
  return values;
}

/** Ids in the order of insertion, whatever order the engine returns them in. */
const inOrder = (rows: readonly Row[]): number[] => rows.map(([id]) => Number(id)).sort((a, b) => a - b);

/** Rows as a JSON list of lists, with the kinds of their columns. */
function unfoldedOf(names: readonly string[], rows: readonly Values[]) {
  const columns = names.map((name, n): UnfoldedColumn => ({ name, kind: kindOf(rows.map((row) => row[n]!)) }));
  return { columns, shape: columns.map(({ name, kind }) => `${name}:${kind}`).join(), json: JSON.stringify(rows) };
}
