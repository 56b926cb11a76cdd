/** Queries of single tables for the write path. Statement texts are compiled once per shape and cached. */
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { ForeignKey } from '../../plan/foreign-key.ts';
import type { RowQuery } from '../../plan/row-query.ts';
import type { Dialect, UnfoldedColumn } from '../../sql/dialect.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import { textInOrder } from '../../sql/statement.ts';
import { compileSelect, compileSome, compileUnion, type HoldingTable, type Where } from '../../sql/write.ts';
import type { Queryable, Row } from './queryable.ts';

/** Texts cached per project. A shape is a table with the columns that are written or compared together. */
const TEXTS = 4000;
/** The most values of an `in` list; more values are one parameter, which the engine unfolds. */
const LIST = 64;
/** The most queries of one statement: engines allow some hundreds. */
const UNION = 100;

/** Column → value, or several values of which one must match. Null matches null. */
export type Match = Readonly<Record<string, OneOrMany>>;

/** A query with the values of its columns `by`, each one value or several of which one must match. */
export interface BoundQuery {
  readonly query: RowQuery;
  readonly values: readonly OneOrMany[];
}

type OneOrMany = SqlValue | readonly SqlValue[];

/** The rows whose own parts a query leaves out. */
export interface OwnedRows {
  readonly rows: readonly number[];
  /** Distinguishes `column` and `held` in the key of the text. */
  readonly key: string;
  readonly column: string;
  readonly held: readonly HoldingTable[] | undefined;
}

/** Reads single tables. Rows that an engine returns synchronously are not awaited. */
export class TableReader {
  readonly #db: Queryable;
  readonly #texts: LruCache<string, string>;

  /** @param texts the project's cache of texts. */
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
  find({ key, table, columns, by, order, foreignKey }: RowQuery, values: readonly OneOrMany[]): Row[] | Promise<Row[]> {
    if (matchesNothing(values)) return [];
    const bound = boundOf(values);
    return this.prepared(`f ${key} ${bound.shape}`, bound.values, () =>
      compileSelect(this.dialect, table, columns, whereOf(by, bound.shape), order, foreignKey),
    );
  }

  /**
   * At most so many rows of a query, in any order, without those that belong to other rows: their `column` is one of
   * these rows or, with component links, a component that one of them holds.
   */
  async some(query: RowQuery, values: readonly OneOrMany[], most: number, owned: OwnedRows): Promise<Row[]> {
    if (matchesNothing(values)) return [];
    const { key, table, columns, by, foreignKey } = query;
    const bound = boundOf(values);
    const parameters = [JSON.stringify(owned.rows.map((row) => [row])), ...bound.values, most];
    return this.prepared(`s ${key} ${bound.shape} ${owned.key}`, parameters, () => {
      const from = { table, where: whereOf(by, bound.shape), foreignKey };
      return compileSome(this.dialect, columns, from, bound.values.length, owned);
    });
  }

  /**
   * The rows of several queries in one statement; the queries must have the same number of columns of the same kinds.
   * The last column of each row is the number of its query.
   */
  async findAll(all: readonly BoundQuery[]): Promise<Row[][]> {
    const results = all.map((): Row[] => []);
    for (let from = 0; from < all.length; from += UNION) {
      const places: number[] = [];
      const values: SqlValue[] = [];
      const shapes: string[] = [];
      let key = 'fa';
      for (let n = from; n < Math.min(from + UNION, all.length); n++) {
        const each = all[n]!;
        if (matchesNothing(each.values)) continue;
        const bound = boundOf(each.values);
        places.push(n);
        values.push(...bound.values);
        shapes.push(bound.shape);
        key += ` ${each.query.key} ${bound.shape}`;
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
      for (const row of rows) results[places[Number(row.at(-1))]!]!.push(row);
    }
    return results;
  }

  /**
   * Columns of all rows that match, ordered by columns.
   *
   * @param foreignKey rows whose foreign key points to a missing row are left out: other programs leave such rows, as
   * Strapi does when it deletes.
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

  /** Runs any statement; `key` identifies its shape. Slots are in the order of `values`. */
  run(key: string, values: readonly SqlValue[], compile: () => Sql): Row[] | Promise<Row[]> {
    return this.prepared(`x ${key}`, values, compile);
  }

  /** Runs a statement whose text is compiled once for each key. */
  protected prepared(key: string, values: readonly SqlValue[], compile: () => Sql): Row[] | Promise<Row[]> {
    return this.#db.rows(this.statementText(key, compile), values);
  }

  protected statementText(key: string, compile: () => Sql): string {
    const cached = this.#texts.get(key);
    if (cached !== undefined) return cached;
    const text = textInOrder(this.dialect, compile());
    this.#texts.set(key, text);
    return text;
  }
}

/** The part of a text's key that identifies its foreign key. */
const keyOfForeignKey = (foreignKey: ForeignKey | undefined): string =>
  foreignKey ? ` ${foreignKey.column} ${'table' in foreignKey ? foreignKey.table : foreignKey.type}` : '';

/** Whether a list of values is empty, which matches nothing. */
export function matchesNothing(values: readonly OneOrMany[]): boolean {
  for (const value of values) if (Array.isArray(value) && value.length === 0) return true;
  return false;
}

/** The kind of column that values are unfolded as. */
export function kindOf(values: readonly SqlValue[]): UnfoldedColumn['kind'] {
  const present = values.filter((value) => value !== null);
  if (present.every((value) => typeof value === 'string')) return 'text';
  if (!present.every((value) => typeof value === 'number'))
    throw new Error('values of several types cannot be unfolded');
  return present.every(Number.isInteger) ? 'integer' : 'double';
}

/** A list with its last value repeated up to a power of two, so that few lengths, and few statements, are needed. */
function padded(list: readonly SqlValue[]): SqlValue[] {
  const length = 2 ** Math.ceil(Math.log2(list.length));
  return [...list, ...Array<SqlValue>(length - list.length).fill(list.at(-1)!)];
}

/**
 * The values as parameters, and the shape on which the text depends: the number of values of each column, 0 for null.
 */
export function boundOf(inputs: readonly OneOrMany[]): { values: SqlValue[]; shape: string } {
  const values: SqlValue[] = [];
  let shape = '';
  for (const value of inputs) {
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
