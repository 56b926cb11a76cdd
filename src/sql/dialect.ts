/**
 * What differs between engines, asked by capability and never by name. Each engine's folder under `db/` contains one
 * implementation of about a hundred lines; everything else of the compiler is shared.
 */
import type { Sought } from '../plan/candidates.ts';
import type { Sql, SqlValue } from './fragment.ts';

/** Kinds of columns that the compiler distinguishes. */
export type ColumnKind =
  | 'id'
  | 'text'
  | 'json'
  | 'integer'
  | 'biginteger'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime';

/** A key of a JSON object with the SQL of its value. */
export interface JsonMember {
  readonly key: string;
  readonly value: Sql;
  /** `scalar`: an SQL value to be quoted; `document`: a JSON column; `json`: built by this dialect. */
  readonly form: 'scalar' | 'document' | 'json';
}

/** How text is matched. */
export type Match = 'contains' | 'startsWith' | 'endsWith';

/** The direction of rows in the order of ids, and the id that they come behind. */
export interface IdOrder {
  readonly descending: boolean;
  readonly after: Sql | undefined;
}

/** Values of a common table (`id`, `v`) gathered into one, which is looked into by id. */
export interface LookUp {
  /** A query of one row. */
  gather(table: Sql): Sql;
  /** The value of an id in the contents of a common table of that query; null for ids without one. */
  find(gathered: Sql, id: Sql): Sql;
}

/** How many rows objects are built from: few; many that hardly repeat; or any, the same ones again and again. */
export type Crowd = 'few' | 'many' | 'any';

/** What the length of an object depends on, apart from the objects and arrays in it. */
export interface ObjectWeight {
  readonly crowd: Crowd;
  /** Id of its row. */
  readonly id: Sql;
  /** Bytes that it has at least. */
  readonly fixed: number;
  /** Columns of text that the schema keeps short, and of any text. */
  readonly short: readonly Sql[];
  readonly long: readonly Sql[];
}

/** A column that values of a list become. */
export interface UnfoldedColumn {
  readonly name: string;
  readonly kind: 'integer' | 'double' | 'text';
}

/** How a list is narrowed to the candidates of search indexes. */
export interface TextSearch {
  /**
   * What an index is asked for a piece of text that is to be found as it is, or folded already. Undefined where an index
   * could not tell: the piece is too short for it, or of letters that it folds otherwise.
   */
  ask(piece: string, folded: boolean): string | undefined;
  /** What stands in front of the rows' table in a FROM clause, and the conditions that make the rows candidates. */
  narrow(sought: Sought, table: string, row: Sql, alias: Sql): { readonly before: Sql; readonly where: readonly Sql[] };
  /**
   * A condition: there are so many candidates that a page, or with `counted` a page and the total, is found sooner without.
   * Undefined where that cannot be.
   */
  common(sought: Sought, table: string, counted: boolean): Sql | undefined;
}

export interface Dialect {
  /** The placeholder of the n-th value of a statement, from 1. */
  placeholder(n: number): string;

  /** A column as a JSON scalar, in the form that answers have: biginteger as text, times in ISO 8601. */
  readColumn(column: Sql, kind: ColumnKind): Sql;

  /** A JSON object. What it gives is of form `json`. */
  object(members: readonly JsonMember[]): Sql;

  /**
   * An object of a row. A statement whose objects or arrays grow far beyond the longest answer (bytes) is ended while it
   * makes them, as `tooLong` says; an engine weighs the one or the other.
   */
  weighed(object: Sql, weight: ObjectWeight, longest: number): Sql;

  /** A query of ids (`id`) and objects (`v`), which are weighed as those of an array are. */
  collected(objects: Sql, longest: number): Sql;

  /** An object that was made, and weighed, before, and is now put into the answer once more. */
  reused(object: Sql, longest: number): Sql;

  /**
   * Aggregate: a JSON array of an object over the rows at hand, in their order. No rows give `[]`. `gaps`: the object
   * may be null, which is left out. Both ask for a column, not to be worked out twice; `asItem` makes it one.
   */
  array(item: Sql, gaps: boolean, longest: number): Sql;

  /** An object of each row of a FROM clause, in the form that `array` takes it in: it may become a column of `alias`. */
  asItem(object: Sql, from: Sql, alias: Sql): { readonly item: Sql; readonly from: Sql };

  /** JSON text in the form that the driver hands over fastest: text, or its UTF-8 bytes. */
  bytes(json: Sql): Sql;

  /**
   * An aggregate whose rows count towards the most rows that one statement may populate, where the engine can end a
   * statement for it; else the aggregate as it is.
   */
  counted(array: Sql): Sql;

  /** A scalar that is null instead where it has more bytes, where handing it over costs something; or as it is. */
  bounded(json: Sql, longest: number): Sql;

  /** A scalar subquery that gives one JSON object or no row, which becomes the JSON null. */
  orNull(subquery: Sql): Sql;

  /** A JSON column as JSON, with `mark` in front of each string under a key, at any depth. */
  marked(column: Sql, key: string, mark: Sql): Sql;

  /** A number as JSON, for counts. */
  number(value: Sql): Sql;

  /** A JSON constant. */
  flag(value: boolean): Sql;

  /** A value's placeholder, typed so that the engine compares it with a column of this kind, by an index if it can. */
  value(slot: Sql, kind: ColumnKind): Sql;

  /**
   * For engines where a placeholder of a type that an index serves cannot take every number: whether it takes an
   * encoded value, and the dialect whose placeholders take all of them, with the same results and without the index.
   * Undefined where placeholders take any number.
   */
  readonly wide: { takes(value: SqlValue, kind: ColumnKind): boolean; readonly dialect: Dialect } | undefined;

  /** A comparison that orders and equates text by code point on every engine. */
  comparable(column: Sql, kind: ColumnKind): Sql;

  /**
   * Order of one key, nulls placed as the engine's own default (docs/differences.md, "Populate, sort, fields and
   * pages").
   */
  orderBy(expression: Sql, kind: ColumnKind, descending: boolean): Sql;

  /** Whether `orderBy` takes null for the smallest value; else it is the largest. */
  readonly nullIsLeast: boolean;

  /** The rank of a row by a column, ascending: a whole number, equal for equal values. */
  rank(column: Sql, kind: ColumnKind): Sql;

  /** Aggregate: the value that `orderBy` puts first, nulls included. */
  first(value: Sql, kind: ColumnKind, descending: boolean): Sql;

  /** A value in a form that the driver hands over without loss, of any precision. */
  exact(value: Sql, kind: ColumnKind): Sql;

  /**
   * What `exact` gave, in the driver's form, to be compared with values of the same kind; undefined for what it cannot
   * have given. Null is not asked about.
   */
  encodeExact(value: string | number, kind: ColumnKind): SqlValue | undefined;

  /**
   * How rows of a subquery that runs for each of many others find numbers in a common table, where the engine would read
   * all of the table in every run; undefined where it makes an index of a joined table once.
   */
  readonly lookUp: LookUp | undefined;

  /**
   * The text of a column of any kind as answers show it, for text operators. Numbers have the shortest form that
   * JavaScript gives them (`2`, `10.5`, `1e+21`), however the engine writes them.
   */
  asText(column: Sql, kind: ColumnKind): Sql;

  /** Case-folded text; `foldValue` folds the operand in the same way. */
  fold(text: Sql): Sql;
  foldValue(text: string): string;

  /** Whether text contains a needle, literally and by code point. An empty needle is in every text. */
  matches(text: Sql, needle: Sql, match: Match): Sql;

  /**
   * Whether texts within a JSON column contain a needle, which is folded, as they are then. `isBlocks`: the texts of each
   * block are one; else each string is one, and keys are none.
   */
  textsContain(column: Sql, isBlocks: boolean, needle: Sql): Sql;

  readonly search: TextSearch;

  /** Equality that is true for two nulls. */
  same(a: Sql, b: Sql): Sql;

  /**
   * The rows of a JSON list of lists, in its order, as a table for a FROM clause that lacks its alias: this many values
   * reach a statement as one parameter.
   */
  unfold(json: Sql, columns: readonly UnfoldedColumn[]): Sql;

  /** A test that most rows pass, where the planner would think otherwise and prefer an index that serves it alone. */
  common(test: Sql): Sql;

  /** A test that few rows pass, whether or not an index serves it. */
  rare(test: Sql): Sql;

  /** A test of rows that another index finds: the planner would gather all that pass it to find those that pass both. */
  unindexed(test: Sql): Sql;

  /**
   * That a column is a text, in words that make rows in the order of the column and of their ids come from an index that
   * begins with the two, forwards or backwards; with `after`, that their ids come behind that one besides. Undefined where the
   * planner takes that index anyway.
   */
  readonly ofOneText: ((column: Sql, rowId: Sql, text: Sql, by: IdOrder) => Sql) | undefined;

  /** Keeps an `exists` condition from being turned into a join, which may take several times as long for a few rows. */
  rowTest(exists: Sql): Sql;

  /** The most rows of a range whose ids are gathered from its index to make a page of them. */
  readonly fewInRange: number;

  /** Rows that are written faster one by one, or by values, than as a list: where a statement does not travel. */
  readonly fewRows: number;

  /**
   * A statement that tells which columns keep fewer decimals than they are given: table, column, decimals. Undefined where
   * none does.
   */
  readonly rounding: Sql | undefined;

  /**
   * A statement that draws ids for rows which are inserted later: `tables` is a JSON list of lists of a table's name and a
   * number of rows; each row of the answer is the place of the table in the list and an id, or null where the table has none
   * to draw, in the order in which ids rise. Undefined where the id of an inserted row is known at once.
   */
  readonly drawIds: ((tables: Sql) => Sql) | undefined;

  /** Whether the row limit may come before the order of a correlated subquery: `limit`. */
  limit(count: Sql, offset: Sql): Sql;

  /**
   * A text that a statement has in common with another only if both saw the same state of the database; null where that
   * cannot be told. Undefined where it is known without asking (`Database.changeClock`).
   */
  readonly snapshot: Sql | undefined;

  /**
   * For an engine on which transactions may commit in another order than they drew the numbers of their rows. `begun`: a
   * number above those of all transactions that have written something by now; `over`: one below which all are over.
   * Undefined where there is one writer at a time.
   */
  readonly writers: { readonly begun: Sql; readonly over: Sql } | undefined;

  /** A value of a column kind in the driver's form; times come as epoch milliseconds. */
  encode(value: string | number | boolean | bigint | null, kind: ColumnKind): SqlValue;

  /** A point in time, in the form of a `datetime` column. */
  encodeTime(milliseconds: number): SqlValue;

  /**
   * A statement that makes transactions which name the same keys take turns: each key is locked, exclusively or
   * shared, until the transaction ends. `keys` is a JSON array of texts, each a key behind `s` (shared) or `x`
   * (exclusive), taken in its order. Without `waits` a key that is locked elsewhere gives the text `false`. Undefined
   * where writers take turns anyway.
   */
  readonly lock: ((keys: Sql, waits: boolean) => Sql) | undefined;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  id: 'id',
  blocks: 'json',
  json: 'json',
  integer: 'integer',
  biginteger: 'biginteger',
  float: 'float',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  timestamp: 'datetime',
};

/** The column kind of an attribute type; text for all that is stored as text. */
export function columnKind(type: string): ColumnKind {
  return KINDS[type] ?? 'text';
}
