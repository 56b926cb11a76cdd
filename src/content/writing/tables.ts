/** Statements on single tables, for the write path: texts are made once per shape and kept. */
import type { Queryable, Row } from '../../db/queryable.ts';
import type { Transaction } from '../../db/transaction.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { Leads } from '../../plan/leads.ts';
import type { Dialect, UnfoldedColumn } from '../../sql/dialect.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import { textInOrder } from '../../sql/statement.ts';
import {
  compileCopy,
  compileCopyOnto,
  compileCopyRows,
  compileDelete,
  compileDeleteEach,
  compileInsert,
  compileInsertEmpty,
  compileInsertLast,
  compileInsertMany,
  compileInsertManyLast,
  compileSelect,
  compileSetEach,
  compileUnion,
  compileUpdate,
  compileUpdateRows,
  type Selected,
  type Where,
} from '../../sql/write.ts';

/** Texts kept per database. Shapes are the project's tables and the attributes written together. */
const TEXTS = 4000;
/** Values of one `in` list; longer ones are one parameter, which the engine unfolds. */
const LIST = 64;
/** Rows that one statement takes from a list: where it runs on the thread that serves, it takes some 20 ms of that. */
const PART = 2000;
/** Selects of one statement: engines have a limit of some hundreds. */
const UNION = 100;
/** Rows with values of any kind that one statement inserts. */
const ROWS = 64;

export type Columns = ReadonlyMap<string, SqlValue>;
/** Column → value, or values of which one must match. Null matches null. */
export type Match = Readonly<Record<string, SqlValue | readonly SqlValue[]>>;

/** One of several selects that are asked together. */
export interface Select {
  readonly table: string;
  readonly columns: readonly Selected[];
  readonly match: Match;
  readonly leads: Leads | undefined;
}

/** Reads single tables. */
export class TableReader {
  readonly #db: Queryable;
  readonly #texts: LruCache<string, string>;

  /** @param texts the cache of texts of this database. */
  constructor(db: Queryable, texts: LruCache<string, string>) {
    this.#db = db;
    this.#texts = texts;
  }

  /** A cache of texts, one per database. */
  static texts(): LruCache<string, string> {
    return new LruCache(
      TEXTS,
      textWeight((key, text) => key.length + text.length),
    );
  }

  get dialect(): Dialect {
    return this.#db.dialect;
  }

  /**
   * Columns of all rows that match, ordered by columns.
   *
   * @param leads rows that lead nowhere are left out: other programs leave such (behaviour-storage.md, "Drafts,
   * publishing, deleting").
   */
  async select(
    table: string,
    columns: readonly string[],
    match: Match,
    order: readonly string[] = [],
    leads?: Leads,
  ): Promise<Row[]> {
    if (matchesNothing(match)) return [];
    const { where, values, shape } = whereOf(match);
    return this.prepared(`s ${table} ${columns} ${shape} ${order}${keyOfLeads(leads)}`, values, () =>
      compileSelect(this.dialect, table, columns, where, order, leads),
    );
  }

  /** The rows of several selects, which have as many columns of like kinds, asked together. */
  async selectAll(selects: readonly Select[]): Promise<Row[][]> {
    const found = selects.map((): Row[] => []);
    for (let from = 0; from < selects.length; from += UNION) {
      const asked = selects
        .slice(from, from + UNION)
        .map((select, n) => ({ ...select, n: from + n, ...whereOf(select.match) }))
        .filter(({ match }) => !matchesNothing(match));
      if (asked.length === 0) continue;
      const key = asked.map(({ table, columns, shape, leads }) => {
        const names = columns.map((column) => (typeof column === 'string' ? column : '-'));
        return `${table} ${names} ${shape}${keyOfLeads(leads)}`;
      });
      const values = asked.flatMap((select) => select.values);
      const rows = await this.prepared(`sa ${key.join(';')}`, values, () => compileUnion(this.dialect, asked));
      for (const [n, ...row] of rows) found[asked[Number(n)]!.n]!.push(row);
    }
    return found;
  }

  /** Runs a statement of the caller's own; `key` tells its shape. Slots are in the order of `values`. */
  run(key: string, values: readonly SqlValue[], compile: () => Sql): Promise<Row[]> {
    return this.prepared(`x ${key}`, values, compile);
  }

  /** Runs a statement whose text is made once for each key. */
  protected async prepared(key: string, values: readonly SqlValue[], compile: () => Sql): Promise<Row[]> {
    return this.#db.rows(this.textOf(key, compile), values);
  }

  protected textOf(key: string, compile: () => Sql): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = textInOrder(this.dialect, compile());
    this.#texts.set(key, text);
    return text;
  }
}

/** Writes single tables, in a transaction. */
export class Tables extends TableReader {
  readonly #tx: Transaction;

  /** @param texts the cache of texts of this database. */
  constructor(tx: Transaction, texts: LruCache<string, string>) {
    super(tx, texts);
    this.#tx = tx;
  }

  /** Runs a statement whose rows nobody needs. */
  #send(key: string, values: readonly SqlValue[], compile: () => Sql): unknown {
    return this.#tx.send(this.textOf(key, compile), values);
  }

  /** Inserts a row and gives its id. */
  async insert(table: string, columns: Columns): Promise<number> {
    const names = [...columns.keys()];
    const [row] = await this.prepared(`i ${table} ${names} 1`, [...columns.values()], () =>
      compileInsert(table, names),
    );
    return Number(row![0]);
  }

  /** Inserts rows with the same columns, of values of any kind, and gives their ids in order. */
  async insertRows(table: string, rows: readonly Columns[]): Promise<number[]> {
    const names = [...(rows[0]?.keys() ?? [])];
    if (names.length === 0) return this.#insertEmpty(table, rows.length);
    const ids: number[] = [];
    for (let from = 0, count = 0; from < rows.length; from += count) {
      count = lengthOfPart(rows.length - from);
      const values = rows.slice(from, from + count).flatMap((row) => [...row.values()]);
      const found = await this.prepared(`i ${table} ${names} ${count}`, values, () =>
        compileInsert(table, names, count),
      );
      ids.push(...inOrder(found));
    }
    return ids;
  }

  /** Updates rows that are there, each with values of any kind for the same columns. */
  async updateRows(table: string, rows: ReadonlyMap<number, Columns>): Promise<void> {
    const all = [...rows];
    const names = [...(all[0]?.[1].keys() ?? [])];
    if (names.length === 0) return;
    if (all.length <= this.dialect.fewRows) {
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

  /** Inserts a copy of each row of a list of ids, and gives the new ids in order. */
  async copyRows(table: string, rows: readonly number[], copied: readonly string[]): Promise<number[]> {
    if (copied.length === 0) return this.#insertEmpty(table, rows.length);
    const ids: number[] = [];
    await this.#inParts(
      rows,
      async (row) => ids.push(await this.copy(table, row, copied, new Map())),
      async (part) => {
        const json = JSON.stringify(part.map((row, n) => [n, row]));
        const compile = () => compileCopyRows(this.dialect, table, copied);
        ids.push(...inOrder(await this.prepared(`cr ${table} ${copied}`, [json], compile)));
      },
    );
    return ids;
  }

  /** Copies columns from row to row, pairs of the ids of both, and gives whether any of them differed. */
  async copyOnto(
    table: string,
    pairs: readonly (readonly [number, number])[],
    columns: readonly string[],
  ): Promise<boolean> {
    if (pairs.length === 0 || columns.length === 0) return false;
    const changed = await this.prepared(`co ${table} ${columns}`, [JSON.stringify(pairs)], () =>
      compileCopyOnto(this.dialect, table, columns),
    );
    return changed.length > 0;
  }

  /** Inserts rows without columns of their own, which are their ids alone. */
  async #insertEmpty(table: string, count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let n = 0; n < count; n++)
      ids.push(...inOrder(await this.prepared(`e ${table}`, [], () => compileInsertEmpty(table))));
    return ids;
  }

  /** Inserts a row whose column `last` gets the number behind the greatest of the rows that share column `group`. */
  async insertLast(table: string, columns: Columns, last: string, group: string): Promise<void> {
    const names = [...columns.keys()];
    const values = [...columns.values(), columns.get(group)!];
    await this.#send(`l ${table} ${names} ${last} ${group}`, values, () =>
      compileInsertLast(table, names, last, group),
    );
  }

  /**
   * Inserts rows with the same columns, of numbers and texts. The column `last.column` gets a number as `insertLast` gives
   * it: no two of the rows are of one group.
   */
  insertMany(
    table: string,
    rows: readonly Columns[],
    last?: { readonly column: string; readonly group: string },
  ): Promise<void> {
    const dialect = this.dialect;
    return this.#inParts(
      rows,
      (row) => (last ? this.insertLast(table, row, last.column, last.group) : this.insert(table, row)),
      (part) => {
        // a column without values would have no type
        const filled = [...part[0]!.keys()].filter((name) => part.some((row) => row.get(name) !== null));
        const { columns, json, shape } = unfoldedOf(
          part.map((row) => new Map(filled.map((name) => [name, row.get(name)!]))),
        );
        return this.#send(`im ${table} ${shape} ${last?.column} ${last?.group}`, [json], () =>
          last
            ? compileInsertManyLast(dialect, table, columns, last.column, last.group)
            : compileInsertMany(dialect, table, columns),
        );
      },
    );
  }

  /** Gives a column a number for each id. */
  setEach(table: string, column: string, numbers: ReadonlyMap<number, number | null>): Promise<void> {
    return this.#inParts(
      [...numbers],
      ([row, number]) => this.update(table, new Map([[column, number]]), { id: row }),
      (part) =>
        this.#send(`ue ${table} ${column}`, [JSON.stringify(part)], () =>
          compileSetEach(this.dialect, table, { name: column, kind: 'double' }),
        ),
    );
  }

  /** Deletes the rows that match one of several rows of values. */
  deleteEach(table: string, rows: readonly Columns[]): Promise<void> {
    return this.#inParts(
      rows,
      (row) => this.delete(table, Object.fromEntries(row)),
      (part) => {
        const { columns, json, shape, nullable } = unfoldedOf(part);
        return this.#send(`de ${table} ${shape} ${[...nullable]}`, [json], () =>
          compileDeleteEach(this.dialect, table, columns, nullable),
        );
      },
    );
  }

  /** Few items one by one where that is faster; more by a statement for each part of the list. */
  async #inParts<Item>(
    items: readonly Item[],
    one: (item: Item) => unknown,
    many: (part: readonly Item[]) => unknown,
  ): Promise<void> {
    if (items.length <= this.dialect.fewRows) {
      for (const item of items) await one(item);
      return;
    }
    for (let from = 0; from < items.length; from += PART) await many(items.slice(from, from + PART));
  }

  /** Inserts a copy of the row of an id: columns as there, others overridden. Gives the new row's id. */
  async copy(table: string, id: number, copied: readonly string[], overridden: Columns): Promise<number> {
    const names = [...overridden.keys()];
    const values = [...overridden.values(), id];
    const [row] = await this.prepared(`c ${table} ${copied} ${names}`, values, () => compileCopy(table, copied, names));
    return Number(row![0]);
  }

  /** Updates all rows that match. */
  async update(table: string, columns: Columns, match: Match): Promise<void> {
    if (columns.size === 0) return;
    if (matchesNothing(match)) return;
    const names = [...columns.keys()];
    const { where, values, shape } = whereOf(match);
    await this.#send(`u ${table} ${names} ${shape}`, [...columns.values(), ...values], () =>
      compileUpdate(this.dialect, table, names, where),
    );
  }

  /** Deletes all rows that match. */
  async delete(table: string, match: Match): Promise<void> {
    if (matchesNothing(match)) return;
    const { where, values, shape } = whereOf(match);
    await this.#send(`d ${table} ${shape}`, values, () => compileDelete(this.dialect, table, where));
  }
}

/** How many of the rows that are left one statement takes: few lengths make few statements. */
const lengthOfPart = (left: number): number => Math.min(ROWS, 2 ** Math.floor(Math.log2(left)));

/** Ids in the order in which their rows were inserted, whatever order the engine gives them in. */
const inOrder = (rows: readonly Row[]): number[] => rows.map(([id]) => Number(id)).sort((a, b) => a - b);

/** What of the key of a text tells which rows that lead nowhere it leaves out. */
const keyOfLeads = (leads: Leads | undefined): string =>
  leads ? ` ${leads.column} ${'table' in leads ? leads.table : leads.type}` : '';

/** An empty list matches nothing. */
const matchesNothing = (match: Match): boolean =>
  Object.values(match).some((value) => Array.isArray(value) && value.length === 0);

/** Rows as the JSON of a list of lists, with what their columns hold. */
function unfoldedOf(rows: readonly Columns[]) {
  const names = [...rows[0]!.keys()];
  const lists = rows.map((row) => [...row.values()]);
  const columns = names.map((name, n): UnfoldedColumn => ({ name, kind: kindOf(lists.map((list) => list[n]!)) }));
  const nullable = new Set(names.filter((_, n) => lists.some((list) => list[n] === null)));
  const shape = columns.map(({ name, kind }) => `${name}:${kind}`).join();
  return { columns, nullable, shape, json: JSON.stringify(lists) };
}

/** What a column of these values is unfolded as. */
function kindOf(values: readonly SqlValue[]): UnfoldedColumn['kind'] {
  const known = values.filter((value) => value !== null);
  if (known.every((value) => typeof value === 'string')) return 'text';
  if (!known.every((value) => typeof value === 'number')) throw new Error('a list of such values cannot be unfolded');
  return known.every(Number.isInteger) ? 'integer' : 'double';
}

/** A list with its last value repeated up to a power of two: few lengths make few statements. */
function padded(list: readonly SqlValue[]): SqlValue[] {
  const length = 2 ** Math.ceil(Math.log2(list.length));
  return [...list, ...Array<SqlValue>(length - list.length).fill(list.at(-1)!)];
}

function whereOf(match: Match): { where: Where[]; values: SqlValue[]; shape: string } {
  const where: Where[] = [];
  const values: SqlValue[] = [];
  for (const [column, value] of Object.entries(match)) {
    if (Array.isArray(value) && value.length > LIST) {
      where.push({ column, count: value.length, unfolded: kindOf(value) });
      values.push(JSON.stringify(value.map((item) => [item])));
    } else if (Array.isArray(value)) {
      const list = padded(value);
      where.push({ column, count: list.length });
      values.push(...list);
    } else if (value === null) where.push({ column, count: 0 });
    else {
      where.push({ column, count: 1 });
      values.push(value as SqlValue);
    }
  }
  return { where, values, shape: where.map(({ column, count, unfolded }) => `${column}:${unfolded ?? count}`).join() };
}
