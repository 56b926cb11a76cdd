/** Statements on single tables, for the write path: texts are made once per shape and kept. */
import { type Executor, Overtaken, type Row } from '../db/database.ts';
import { Recent, textWeight } from '../recent.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SqlValue } from '../sql/fragment.ts';
import { render, type Sql, slot } from '../sql/fragment.ts';
import {
  compileCopy,
  compileDelete,
  compileInsert,
  compileInsertEmpty,
  compileInsertLast,
  compileSelect,
  compileUpdate,
  type Leads,
  type Where,
} from '../sql/write.ts';

/** Texts kept per database. Shapes are the project's tables and the attributes written together. */
const TEXTS = 4000;
/** Values of one `in` list; longer ones are cut into several statements. */
export const LIST = 400;

export type Columns = ReadonlyMap<string, SqlValue>;
/** Column → value, or values of which one must match. Null matches null. */
export type Match = Readonly<Record<string, SqlValue | readonly SqlValue[]>>;

/** What a transaction holds until its end: alone, or together with others that share it. */
export interface Hold {
  readonly key: string;
  readonly shared: boolean;
}

export class Tables {
  readonly #executor: Executor;
  readonly #dialect: Dialect;
  readonly #texts: Recent<string, string>;

  constructor(executor: Executor, dialect: Dialect, texts: Recent<string, string>) {
    this.#executor = executor;
    this.#dialect = dialect;
    this.#texts = texts;
  }

  /** A cache of texts, one per database. */
  static texts(): Recent<string, string> {
    return new Recent(
      TEXTS,
      textWeight((key, text) => key.length + text.length),
    );
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  get executor(): Executor {
    return this.#executor;
  }

  /** Inserts a row and gives its id. */
  async insert(table: string, columns: Columns): Promise<number> {
    const names = [...columns.keys()];
    const [row] = await this.#run(`i ${table} ${names}`, [...columns.values()], () => compileInsert(table, names));
    return Number(row![0]);
  }

  /** Inserts a row of defaults and gives its id. */
  async insertEmpty(table: string): Promise<number> {
    const [row] = await this.#run(`e ${table}`, [], () => compileInsertEmpty(table));
    return Number(row![0]);
  }

  /** Inserts a row whose column `last` gets the number behind the greatest of the rows that share column `group`. */
  async insertLast(table: string, columns: Columns, last: string, group: string): Promise<void> {
    const names = [...columns.keys()];
    const values = [...columns.values(), columns.get(group)!];
    await this.#run(`l ${table} ${names} ${last} ${group}`, values, () => compileInsertLast(table, names, last, group));
  }

  /** Inserts a copy of the row of an id: columns as there, others overridden. Gives the new row's id. */
  async copy(table: string, id: number, copied: readonly string[], overridden: Columns): Promise<number> {
    const names = [...overridden.keys()];
    const values = [...overridden.values(), id];
    const [row] = await this.#run(`c ${table} ${copied} ${names}`, values, () => compileCopy(table, copied, names));
    return Number(row![0]);
  }

  /** Updates all rows that match. */
  async update(table: string, columns: Columns, match: Match): Promise<void> {
    if (columns.size === 0) return;
    const names = [...columns.keys()];
    for (const part of cut(match)) {
      const { where, values, shape } = whereOf(part);
      await this.#run(`u ${table} ${names} ${shape}`, [...columns.values(), ...values], () =>
        compileUpdate(table, names, where),
      );
    }
  }

  /** Deletes all rows that match. */
  async delete(table: string, match: Match): Promise<void> {
    for (const part of cut(match)) {
      const { where, values, shape } = whereOf(part);
      await this.#run(`d ${table} ${shape}`, values, () => compileDelete(table, where));
    }
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
    const led = leads ? ` ${leads.column} ${'table' in leads ? leads.table : leads.type}` : '';
    const rows: Row[] = [];
    for (const part of cut(match)) {
      const { where, values, shape } = whereOf(part);
      const found = await this.#run(`s ${table} ${columns} ${shape} ${order}${led}`, values, () =>
        compileSelect(table, columns, where, order, leads),
      );
      for (const row of found) rows.push(row);
    }
    return rows;
  }

  /**
   * Makes transactions that name the same keys take turns, from here to their end. Gives whether anything was taken
   * that was not held before: what was read of it may have changed since.
   */
  async hold(keys: Iterable<Hold>): Promise<boolean> {
    const { hold } = this.#dialect;
    const { holdings } = this.#executor;
    if (!hold || !holdings) return false;
    const { held, wanted, patient } = holdings;
    const missing = new Map<string, boolean>();
    const add = (key: string, shared: boolean) => {
      const now = held.get(key);
      if (now === undefined || (now && !shared)) missing.set(key, shared && (missing.get(key) ?? true));
    };
    for (const { key, shared } of keys) add(key, shared);
    if (missing.size === 0) return false;
    // the first keys are waited for in one order, so that no two transactions wait for each other; with those in hand
    // a key that is taken makes this one start anew
    const waits = held.size === 0 || patient;
    if (held.size === 0) for (const [key, shared] of wanted) add(key, shared);
    const ordered = [...missing.keys()].sort();
    const list = ordered.map((key) => (missing.get(key) ? 's' : 'x') + key);
    const rows = await this.run(`hold ${waits}`, [JSON.stringify(list)], () => hold(slot(0), waits));
    if (!waits && rows.some(([got]) => got === 'false')) {
      for (const [key, shared] of [...held, ...missing]) wanted.set(key, shared && (wanted.get(key) ?? true));
      throw new Overtaken('a key is held by another transaction');
    }
    for (const key of ordered) held.set(key, missing.get(key)!);
    return true;
  }

  /** Runs a statement of the caller's own; `key` tells its shape. Slots are in the order of `values`. */
  run(key: string, values: readonly SqlValue[], compile: () => Sql): Promise<Row[]> {
    return this.#run(`x ${key}`, values, compile);
  }

  async #run(key: string, values: readonly SqlValue[], compile: () => Sql): Promise<Row[]> {
    let text = this.#texts.get(key);
    if (text === undefined) {
      const rendered = render(compile(), (n) => this.#dialect.placeholder(n));
      if (rendered.order.some((slot, index) => slot !== index)) throw new Error(`${key} uses a value out of order`);
      text = rendered.text;
      this.#texts.set(key, text);
    }
    return this.#executor.rows(text, values);
  }
}

/** Cuts a match with one long list into several with short ones; an empty list matches nothing. */
function cut(match: Match): Match[] {
  for (const [column, value] of Object.entries(match)) {
    if (!Array.isArray(value)) continue;
    if (value.length === 0) return [];
    if (value.length <= LIST) continue;
    const parts: Match[] = [];
    for (let i = 0; i < value.length; i += LIST) parts.push({ ...match, [column]: value.slice(i, i + LIST) });
    return parts.flatMap(cut);
  }
  return [match];
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
    if (Array.isArray(value)) {
      const list = padded(value);
      where.push({ column, count: list.length });
      values.push(...list);
    } else if (value === null) where.push({ column, count: 0 });
    else {
      where.push({ column, count: 1 });
      values.push(value as SqlValue);
    }
  }
  return { where, values, shape: where.map(({ column, count }) => `${column}:${count}`).join() };
}
