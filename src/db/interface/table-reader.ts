/** Queries of single tables, for the write path: texts are made once per shape and kept. */
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { ForeignKey } from '../../plan/foreign-key.ts';
import type { RowQuery } from '../../plan/row-query.ts';
import type { Dialect, UnfoldedColumn } from '../../sql/dialect.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import { textInOrder } from '../../sql/statement.ts';
import { compileSelect, compileSome, compileUnion, type HoldingTable, type Where } from '../../sql/write.ts';
import type { Queryable, Row } from './queryable.ts';

/** Texts kept per project. Shapes are its tables and the attributes written together. */
const TEXTS = 4000;
/** Values of one `in` list; longer ones are one parameter, which the engine unfolds. */
const LIST = 64;
/** Queries of one statement: engines have a limit of some hundreds. */
const UNION = 100;

/** Column → value, or values of which one must match. Null matches null. */
export type Match = Readonly<Record<string, Given>>;

/** A query with the values of its columns `by`, each one value or several of which one must match. */
export interface BoundQuery {
  readonly query: RowQuery;
  readonly values: readonly Given[];
}

type Given = SqlValue | readonly SqlValue[];

/** Rows whose own are left out of a query. */
export interface Outside {
  readonly rows: readonly number[];
  /** Tells `column` and `held` from others of the query. */
  readonly key: string;
  readonly column: string;
  readonly held: readonly HoldingTable[] | undefined;
}

/** Reads single tables. Rows that an engine gives at once are not waited for. */
export class TableReader {
  readonly #db: Queryable;
  readonly #texts: LruCache<string, string>;

  /** @param texts the cache of texts of the project. */
  constructor(db: Queryable, texts: LruCache<string, string>) {
    this.#db = db;
    this.#texts = texts;
  }

  /** A cache of texts, one per project. */
  static texts(): LruCache<string, string> {
    return new LruCache(
      TEXTS,
      textWeight((key, text) => key.length + text.length),
    );
  }

  get dialect(): Dialect {
    return this.#db.dialect;
  }

  /** The rows of a query, in its order. */
  find({ key, table, columns, by, order, foreignKey }: RowQuery, values: readonly Given[]): Row[] | Promise<Row[]> {
    if (matchesNothing(values)) return [];
    const bound = boundOf(values);
    return this.prepared(`f ${key} ${bound.shape}`, bound.values, () =>
      compileSelect(this.dialect, table, columns, whereOf(by, bound.shape), order, foreignKey),
    );
  }

  /**
   * Rows of a query, as many as are wanted at most, in any order, without those that belong to others: their `column` is
   * one of these or, where tables of ties are given, is a part that one of them holds.
   */
  async some(query: RowQuery, values: readonly Given[], most: number, outside: Outside): Promise<Row[]> {
    if (matchesNothing(values)) return [];
    const { key, table, columns, by, foreignKey } = query;
    const bound = boundOf(values);
    const given = [JSON.stringify(outside.rows.map((row) => [row])), ...bound.values, most];
    return this.prepared(`s ${key} ${bound.shape} ${outside.key}`, given, () => {
      const from = { table, where: whereOf(by, bound.shape), foreignKey };
      return compileSome(this.dialect, columns, from, bound.values.length, outside);
    });
  }

  /** The rows of several queries, which have as many columns of like kinds, in one statement: a number stands behind each. */
  async findAll(all: readonly BoundQuery[]): Promise<Row[][]> {
    const found = all.map((): Row[] => []);
    for (let from = 0; from < all.length; from += UNION) {
      const places: number[] = [];
      const values: SqlValue[] = [];
      const shapes: string[] = [];
      let key = 'fa';
      for (let n = from; n < Math.min(from + UNION, all.length); n++) {
        const asked = all[n]!;
        if (matchesNothing(asked.values)) continue;
        const bound = boundOf(asked.values);
        places.push(n);
        values.push(...bound.values);
        shapes.push(bound.shape);
        key += ` ${asked.query.key} ${bound.shape}`;
      }
      if (places.length === 0) continue;
      const rows = await this.prepared(key, values, () =>
        compileUnion(
          this.dialect,
          places.map((place, n) => {
            const { table, columns, by, foreignKey } = all[place]!.query;
            return { table, columns, where: whereOf(by, shapes[n]!), foreignKey };
          }),
        ),
      );
      for (const row of rows) found[places[Number(row.at(-1))]!]!.push(row);
    }
    return found;
  }

  /**
   * Columns of all rows that match, ordered by columns.
   *
   * @param leads rows that lead nowhere are left out: other programs leave dangling ones, as Strapi does when it
   * deletes.
   */
  select(
    table: string,
    columns: readonly string[],
    match: Match,
    order: readonly string[] = [],
    foreignKey?: ForeignKey,
  ): Row[] | Promise<Row[]> {
    const by = Object.keys(match);
    const key = `${table} ${columns} ${by} ${order}${keyOfForeignKey(foreignKey)}`;
    return this.find({ key, table, columns, by, order, foreignKey }, Object.values(match));
  }

  /** Runs a statement of the caller's own; `key` tells its shape. Slots are in the order of `values`. */
  run(key: string, values: readonly SqlValue[], compile: () => Sql): Row[] | Promise<Row[]> {
    return this.prepared(`x ${key}`, values, compile);
  }

  /** Runs a statement whose text is made once for each key. */
  protected prepared(key: string, values: readonly SqlValue[], compile: () => Sql): Row[] | Promise<Row[]> {
    return this.#db.rows(this.statementText(key, compile), values);
  }

  protected statementText(key: string, compile: () => Sql): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = textInOrder(this.dialect, compile());
    this.#texts.set(key, text);
    return text;
  }
}

/** What of the key of a text tells which rows that lead nowhere it leaves out. */
const keyOfForeignKey = (foreignKey: ForeignKey | undefined): string =>
  foreignKey ? ` ${foreignKey.column} ${'table' in foreignKey ? foreignKey.table : foreignKey.type}` : '';

/** An empty list matches nothing. */
export function matchesNothing(given: readonly Given[]): boolean {
  for (const value of given) if (Array.isArray(value) && value.length === 0) return true;
  return false;
}

/** What a column of these values is unfolded as. */
export function kindOf(values: readonly SqlValue[]): UnfoldedColumn['kind'] {
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

/** Values as parameters; the shape tells what the text depends on: for each of them how many there are, 0 for null. */
export function boundOf(given: readonly Given[]): { values: SqlValue[]; shape: string } {
  const values: SqlValue[] = [];
  let shape = '';
  for (const value of given) {
    if (value === null) shape += '0 ';
    else if (!Array.isArray(value)) {
      shape += '1 ';
      values.push(value as SqlValue);
    } else if (value.length > LIST) {
      shape += `${kindOf(value)} `;
      values.push(JSON.stringify(value.map((item) => [item])));
    } else {
      const list = padded(value);
      shape += `${list.length} `;
      values.push(...list);
    }
  }
  return { values, shape };
}

/** The conditions on columns whose values have a shape (`boundOf`). */
export function whereOf(columns: readonly string[], shape: string): Where[] {
  const parts = shape.split(' ');
  return columns.map((column, n) => {
    const part = parts[n]!;
    const count = Number(part);
    return Number.isNaN(count) ? { column, count: 1, unfolded: part as UnfoldedColumn['kind'] } : { column, count };
  });
}
