/**
 * The differences between engines, as capabilities and never by name. Each engine's folder under `db/` contains one
 * implementation; everything else of the compiler is shared.
 */
import type { IndexSearch } from '../plan/read-plan.ts';
import type { ScalarType } from '../schema/catalog.ts';
import { COLUMN_TYPES } from '../schema/layout/column-types.ts';
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

/** The number of rows that objects are built from: few; many that hardly repeat; or any, the same ones repeatedly. */
export type Crowd = 'few' | 'many' | 'any';

/** What determines the length of an object, apart from the objects and arrays inside it. */
export interface ObjectWeight {
  readonly crowd: Crowd;
  readonly id: Sql;
  /** Its least number of bytes. */
  readonly fixed: number;
  /** Columns of text that the schema keeps short. */
  readonly short: readonly Sql[];
  readonly long: readonly Sql[];
}

/** How an engine builds the JSON of an answer. */
export interface JsonDialect {
  /** A column as a JSON scalar in the format of answers: biginteger as text, times in ISO 8601. */
  column(column: Sql, kind: ColumnKind): Sql;

  /** A JSON object; the result has the form `json`. */
  object(members: readonly JsonMember[]): Sql;

  /**
   * An object of a row. A statement whose objects or arrays grow far beyond the longest answer (bytes) is stopped while
   * it builds them. An engine weighs either the objects or the arrays.
   */
  weighed(object: Sql, weight: ObjectWeight, longest: number): Sql;

  /** A query of ids (`id`) and objects (`v`), weighed like the objects of an array. */
  collected(objects: Sql, longest: number): Sql;

  /** An object that was built and weighed earlier in the statement and is now repeated in the answer. */
  reused(object: Sql, longest: number): Sql;

  /**
   * Aggregate: a JSON array of an object over the current rows, in their order; `[]` without rows.
   *
   * @param item a column, so that it is not computed twice; `asItem` makes one.
   * @param gaps whether the object may be null, which the array leaves out.
   */
  array(item: Sql, gaps: boolean, longest: number): Sql;

  /** An object of each row of a FROM clause as an item for `array`: it may become a column of `alias`. */
  asItem(object: Sql, from: Sql, alias: Sql): { readonly item: Sql; readonly from: Sql };

  /** JSON text in the form that the driver returns fastest: text, or its UTF-8 bytes. */
  bytes(json: Sql): Sql;

  /**
   * An aggregate whose rows count towards the most rows that one statement may populate. Unchanged where the engine
   * cannot stop a statement for that.
   */
  counted(array: Sql): Sql;

  /** A scalar that fails the statement if it has more bytes, where returning it would be costly; otherwise unchanged. */
  bounded(json: Sql, longest: number): Sql;

  /** A scalar subquery of one JSON object or no row, which becomes the JSON null. */
  orNull(subquery: Sql): Sql;

  /** A JSON column as JSON, with `mark` in front of each string under a key, at any depth. */
  marked(column: Sql, key: string, mark: Sql): Sql;

  /** A number as JSON, for counts. */
  number(value: Sql): Sql;

  /** A JSON constant. */
  flag(value: boolean): Sql;
}

/** The direction of rows in the order of ids, and the id after which they begin. */
export interface IdOrder {
  readonly descending: boolean;
  readonly after: Sql | undefined;
}

/** Results of queries that the rest of a statement reads from notes. */
export interface NotedResults {
  /** A column that notes the result of a query. Columns of one query are evaluated in their order. */
  note(place: number, select: Sql, columns: readonly UnfoldedColumn[]): Sql;
  /** A noted result, as a JSON list of lists. */
  list(place: number): Sql;
  /** The end of a subquery of noted results that is not merged into the query around it. */
  readonly unmerged: Sql;
}

/** Values of a common table (`id`, `v`) gathered into one value, in which they are looked up by id. */
export interface LookUp {
  /** A query of one row. */
  gather(table: Sql): Sql;
  /** The value of an id in the result of that query, given as a common table; null for ids without one. */
  find(gathered: Sql, id: Sql): Sql;
}

/** Advice for an engine's planner. It changes how fast a statement runs, never its result. */
export interface PlannerAdvice {
  /** A test that most rows pass, where the planner would otherwise prefer an index on its column alone. */
  likely(test: Sql): Sql;

  /** A test that few rows pass, whether or not an index serves it. */
  unlikely(test: Sql): Sql;

  /** A test of rows that another index finds. Without this the planner would combine both indexes. */
  withoutIndex(test: Sql): Sql;

  /**
   * A condition that a column equals a text, written so that rows in the order of the column and of their ids come from
   * an index that begins with both, forwards or backwards. With `after` their ids also come after that id. Undefined where
   * the planner chooses that index anyway.
   */
  readonly inIndexOrder: ((column: Sql, rowId: Sql, text: Sql, by: IdOrder) => Sql) | undefined;

  /** Keeps an `exists` condition from becoming a join, which may take several times as long for a few rows. */
  withoutJoin(exists: Sql): Sql;

  /**
   * How rows of a subquery that runs for each of many others find numbers in a common table, where the engine would scan
   * the table in every run; undefined where it builds an index of a joined table once.
   */
  readonly lookUp: LookUp | undefined;

  /** The most rows of a range whose ids are gathered from its index to choose a page among them. */
  readonly smallRange: number;

  /** The most rows that are written faster by a statement each, or by a list of values, than by one JSON parameter. */
  readonly smallBatch: number;
}

/** A column that values of a list become. */
export interface UnfoldedColumn {
  readonly name: string;
  readonly kind: 'integer' | 'double' | 'text';
}

/** How a list is narrowed to the candidates of search indexes. */
export interface TextSearch {
  /**
   * The query of an index for a piece of text, which is searched literally or is folded already. Undefined where the index
   * cannot decide: the piece is too short for it, or contains letters that the index folds differently.
   */
  ask(piece: string, folded: boolean): string | undefined;
  /** The tables to put in front of the rows' table in a FROM clause, and the conditions that make the rows candidates. */
  narrow(
    search: IndexSearch,
    table: string,
    row: Sql,
    alias: Sql,
  ): { readonly before: Sql; readonly where: readonly Sql[] };
  /**
   * A condition that is true when there are so many candidates that a page, or with `counted` a page and the total, is
   * found sooner without them. Undefined where that cannot be.
   */
  common(search: IndexSearch, table: string, counted: boolean): Sql | undefined;
}

/** The differences between engines. */
export interface Dialect {
  /** How the engine builds JSON. */
  readonly json: JsonDialect;

  /** Advice for the engine's planner. */
  readonly planner: PlannerAdvice;

  /** How search indexes narrow a list. */
  readonly search: TextSearch;

  /** The placeholder of the n-th value of a statement, from 1. */
  placeholder(n: number): string;

  /** A value's placeholder, typed so that the engine compares it with a column of this kind, by an index if it can. */
  value(slot: Sql, kind: ColumnKind): Sql;

  /**
   * For engines whose typed placeholders do not take every number: whether one takes an encoded value, and a dialect whose
   * placeholders take all of them, with equal results but without the index. Undefined where placeholders take any number.
   */
  readonly wide: { takes(value: SqlValue, kind: ColumnKind): boolean; readonly dialect: Dialect } | undefined;

  /** A value of a column kind in the driver's form; times are given in epoch milliseconds. */
  encode(value: string | number | boolean | bigint | null, kind: ColumnKind): SqlValue;

  /** A point in time in the form of a `datetime` column. */
  encodeTime(milliseconds: number): SqlValue;

  /** An expression that is ordered and equal by code point on every engine. */
  comparable(column: Sql, kind: ColumnKind): Sql;

  /**
   * One key of an ORDER BY clause, with nulls where the engine places them by default (docs/differences.md, "Populate,
   * sort, fields and pages").
   */
  orderBy(expression: Sql, kind: ColumnKind, descending: boolean): Sql;

  /** Whether `orderBy` treats null as the smallest value; otherwise it is the largest. */
  readonly nullIsLeast: boolean;

  /** The rank of a row by a column, ascending: a whole number, equal for equal values. */
  rank(column: Sql, kind: ColumnKind): Sql;

  /** Aggregate: the value that `orderBy` puts first, nulls included. */
  first(value: Sql, kind: ColumnKind, descending: boolean): Sql;

  /** A value in a form that the driver returns without loss, at any precision. */
  exact(value: Sql, kind: ColumnKind): Sql;

  /**
   * A result of `exact` in the driver's form, to be compared with values of the same kind; undefined if `exact` cannot
   * have returned it. Never called with null.
   */
  encodeExact(value: string | number, kind: ColumnKind): SqlValue | undefined;

  /**
   * The text of a column as answers show it, for text operators. Numbers have the shortest form that JavaScript gives
   * them (`2`, `10.5`, `1e+21`).
   */
  asText(column: Sql, kind: ColumnKind): Sql;

  /** Aggregate: the different texts among the current rows, separated by commas; null if there are none. */
  distinctTexts(text: Sql): Sql;

  /** Case-folded text. */
  fold(text: Sql): Sql;

  /** The operand of a test of folded text, folded in the same way as `fold`. */
  foldValue(text: string): string;

  /** Whether text contains a needle, literally and by code point. Every text contains the empty needle. */
  matches(text: Sql, needle: Sql, match: Match): Sql;

  /**
   * Whether the folded texts within a JSON column contain a folded needle.
   *
   * @param isBlocks whether the texts of each block count as one text; otherwise each string is one, keys excluded.
   */
  textsContain(column: Sql, isBlocks: boolean, needle: Sql): Sql;

  /**
   * For an engine that copies a common table, and all those that it uses, to each place that names it: notes that hold
   * the results of queries while the statement runs. Undefined where common tables may use each other freely.
   */
  readonly noted: NotedResults | undefined;

  /** Equality that is true for two nulls. */
  same(a: Sql, b: Sql): Sql;

  /**
   * The rows of a JSON list of lists, in its order, as a table for a FROM clause, without its alias: the way in which many
   * values reach a statement as one parameter.
   */
  unfold(json: Sql, columns: readonly UnfoldedColumn[]): Sql;

  /** A LIMIT clause with an offset. */
  limit(count: Sql, offset: Sql): Sql;

  /**
   * A statement that lists the columns that store fewer decimals than they are given: table, column, decimals. Undefined
   * where columns store all of them.
   */
  readonly rounding: Sql | undefined;

  /**
   * A statement that draws ids for rows to be inserted later. `tables` is a JSON list of pairs of a table's name and a
   * number of rows. Each row of the result is the place of the table in the list and an id, in ascending order, or null for
   * a table without a sequence. Undefined where the id of an inserted row is known at once.
   */
  readonly drawIds: ((tables: Sql) => Sql) | undefined;

  /**
   * A text that is equal in two statements only if both saw the same state of the database; null where the engine cannot
   * tell. Undefined where `Database.changeClock` tells it without a statement.
   */
  readonly snapshot: Sql | undefined;

  /**
   * For an engine on which transactions may commit in another order than they drew the numbers of their rows. `begun`: a
   * number above those of all transactions that have written so far; `over`: a number below which all have ended.
   * Undefined where there is one writer at a time.
   */
  readonly writers: { readonly begun: Sql; readonly over: Sql } | undefined;

  /**
   * A statement that makes transactions with the same keys take turns: it locks each key, exclusively or shared, until the
   * transaction ends. `keys` is a JSON array of texts, each a key after `s` (shared) or `x` (exclusive), locked in this
   * order. Without `waits` a key that another transaction holds gives the text `false`. Undefined where writers take turns
   * anyway.
   */
  readonly lock: ((keys: Sql, waits: boolean) => Sql) | undefined;

  /**
   * What a subquery of rows to change ends with, so that it leaves out rows that other transactions are changing. Empty
   * where writers take turns anyway.
   */
  readonly skipLocked: Sql;

  /** The bytes of the database on disk. */
  readonly databaseSize: Sql;
}

/** The column kind of an attribute type; text for every type that is stored as text. */
export function columnKind(type: string): ColumnKind {
  if (type === 'id') return 'id';
  const column = COLUMN_TYPES[type as ScalarType];
  return column === undefined || column === 'string' ? 'text' : column;
}
