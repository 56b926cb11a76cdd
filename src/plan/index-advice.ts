/**
 * ReadPlan → the indexes on single tables that would serve it, and the parts that no such index serves. Pure: the
 * caller finds out which indexes exist, and whether a table is large enough to need one.
 *
 * The columns of an index are in the order in which engines can use them: first columns compared with one value, then
 * the columns of the order or one range, then the id, which breaks ties in lists.
 */
import { TEXT_TYPES } from '../schema/catalog.ts';
import { isIndexable } from '../schema/layout/column-types.ts';
import type { ColumnType, Layout } from '../schema/layout/layout.ts';
import type { IndexDefinition } from '../schema/layout/table.ts';
import { conjuncts, type PlanCondition, type PlanOrder, type ReadPlan, type RowTest } from './read-plan.ts';

export interface IndexAdvice {
  readonly table: string;
  readonly columns: readonly string[];
  readonly descending: readonly string[];
  /** Columns of text that must be ordered by code point, because they are not only compared for equality. */
  readonly ordered: readonly string[];
  /** The rows in the index; undefined: all rows of the table. */
  readonly where: 'published' | 'draft' | undefined;
  readonly reason: IndexReason;
}

/** The purpose of an index, in names of attributes. */
export interface IndexReason {
  /** The sort keys that the index provides; empty if it only finds rows. */
  readonly order: readonly string[];
  /** The attributes compared with a value, or with one of several. */
  readonly equality: readonly string[];
  readonly range: string | undefined;
  /** Whether the index finds the rows of the total. */
  readonly total: boolean;
}

/**
 * Why a part of a plan is not served:
 *
 * - `search`: a piece of text, for which there are indexes of another kind
 * - `folded`: compared case-insensitively
 * - `negation`: matches most rows
 * - `or`: an alternative
 * - `relation`: the compared or sorted values belong to related rows
 * - `long`: the column may contain values that are too long for an index on some engines
 * - `cohort`: compares the draft with the published row
 * - `beyond`: comes after a range, or after as many columns as an index should have
 */
export type UnservedKind = 'search' | 'folded' | 'negation' | 'or' | 'relation' | 'long' | 'cohort' | 'beyond';

/** A part of a plan that no index on a single table serves. */
export interface Unserved {
  readonly kind: UnservedKind;
  readonly use: 'filter' | 'order';
  readonly table: string;
  readonly columns: readonly string[];
  /** The names of their attributes. */
  readonly names: readonly string[];
  /** Whether the part belongs to rows that are reached through a relation. */
  readonly isRelated: boolean;
}

export interface Advice {
  /** The most useful first. */
  readonly indexes: readonly IndexAdvice[];
  readonly unserved: readonly Unserved[];
}

/** The most columns of an index besides the locale and the id. */
const MOST_COLUMNS = 4;
/**
 * The most columns of text among them: engines refuse index entries of more than 2,704 bytes, and a text has up to
 * 1,020.
 */
const MOST_TEXTS = 2;

/**
 * The indexes that would serve a list. Reads of one document need none: they find it by its id.
 *
 * @param layout of the project that the plan was made for.
 */
export function adviseIndexes(layout: Layout, plan: ReadPlan): Advice {
  const advisor = new Advisor(layout);
  if (plan.list) {
    const conditions = [plan.rows, plan.where].filter((condition) => condition !== undefined);
    const { order, total } = plan.list;
    const count = total === 'counted';
    advisor.advise({ table: plan.table, tests: plan.tests, conditions, order, count });
  }
  return { indexes: advisor.indexes, unserved: advisor.unserved };
}

type Test = Extract<PlanCondition, { kind: 'test' }>;

/** The rows of one table that a part of a plan selects. */
interface RowSelection {
  readonly table: string;
  readonly tests: readonly RowTest[];
  /** All of them must hold. */
  readonly conditions: readonly PlanCondition[];
  /** Undefined: in any order. */
  readonly order: readonly PlanOrder[] | undefined;
  readonly count: boolean;
}

/** The columns of one table, by how the conditions compare them. */
interface Compared {
  /** Columns equal to one value; `among`: to one of several; `ranges`: within a range. */
  readonly equal: Set<string>;
  readonly among: Set<string>;
  readonly ranges: Set<string>;
  /** Tables of related rows through which an index finds the rows. */
  readonly related: Set<string>;
}

interface Key {
  readonly column: string;
  readonly descending: boolean;
}

const ID = 'id';
const LOCALE = 'locale';
/** Columns whose values identify a row or the rows of a document. */
const NAMING: ReadonlySet<string> = new Set([ID, 'document_id']);
const EQUALITIES: ReadonlySet<string> = new Set(['$eq', '$eqi', '$in']);
const RANGES: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte', '$between', 'isNull']);
const SEARCHES = /^\$(?:contains|startsWith|endsWith)i?$/;

class Advisor {
  readonly indexes: IndexAdvice[] = [];
  readonly unserved: Unserved[] = [];
  readonly #layout: Layout;
  /** The number of relations on the path to the current rows. */
  #depth = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** Collects advice for some rows. Returns whether an index finds them, an existing or an advised one. */
  advise({ table, tests, conditions, order, count }: RowSelection): boolean {
    const compared: Compared = { equal: new Set(), among: new Set(), ranges: new Set(), related: new Set() };
    for (const condition of conditions.flatMap(conjuncts)) this.#collect(table, condition, compared);
    const hasCohort = tests.some(({ kind }) => kind === 'sibling');
    if (hasCohort) this.#leave('cohort', 'filter', table, []);
    const { equal, among } = compared;
    if ([...equal, ...among].some((column) => this.#names(table, column))) return true;
    const isCompared = equal.size > 0 || among.size > 0;

    if (tests.some((test) => test.kind === 'locale' && test.slots.length === 1)) equal.add(LOCALE);
    const hasLocale = equal.has(LOCALE);
    const sorted = order && this.#keys(table, order, equal);
    // rows with one of several values are not sorted by that column, unless the order names it
    for (const { column } of sorted ?? []) among.delete(column);
    const wanted = [...inOrder(equal), ...inOrder(among)].filter((column) => column !== LOCALE);
    let room = new Room((column) => this.#typeOf(table, column));
    const equality = wanted.filter((column) => {
      const rest = room.without([column]);
      room = rest ?? room;
      return rest !== undefined;
    });
    const keys = sorted && room.without(columnsOf(sorted)) && sorted;
    if (sorted && !keys) this.#leave('beyond', 'order', table, columnsOf(sorted));

    const isSorted = keys?.some(({ column }) => column !== ID) === true;
    const ranges = [...compared.ranges].filter((column) => !equality.includes(column));
    const inOrderOfRange = isSorted && ranges.includes(keys[0]!.column);
    // a query that counts the rows of a range does not walk through all rows in the order
    const apart = inOrderOfRange || (isSorted && !count) ? undefined : ranges.find((column) => room.without([column]));
    const range = inOrderOfRange ? keys[0]!.column : apart;
    const beyond = [...wanted.filter((column) => !equality.includes(column)), ...ranges.filter((one) => one !== range)];
    if (beyond.length > 0) this.#leave('beyond', 'filter', table, beyond);

    const start = hasLocale ? [LOCALE, ...equality] : equality;
    const where = whereOf(tests);
    const isFound = isCompared || range !== undefined;
    const index = { table, start, where };
    const reason = { order: [], equality, range, total: count && (isFound || (conditions.length === 0 && !hasCohort)) };
    // rows with one of several values are sorted only within each value
    const orderOf = (by: readonly Key[]) =>
      equality.some((column) => among.has(column)) ? [] : columnsOf(withTieBreaker(by));
    if (isSorted) {
      const reached = apart === undefined ? reason : { ...reason, range: undefined, total: false };
      this.#add({ ...index, keys }, { ...reached, order: orderOf(keys) });
    }
    if (apart !== undefined) this.#add({ ...index, keys: [{ column: apart, descending: false }] }, reason);
    const isNarrowed = equality.length > 0 || (reason.total && (hasLocale || where !== undefined));
    // the primary key already has all rows in the order of their ids
    if (!isSorted && apart === undefined && isNarrowed)
      this.#add({ ...index, keys: [] }, { ...reason, order: keys ? orderOf([]) : [] });
    return isFound || compared.related.size > 0;
  }

  /** Adds an index. `reason` has names of columns. */
  #add({ table, start, keys, where }: Wanted, { order, equality, range, total }: IndexReason): void {
    const ending = withTieBreaker(keys);
    const names = (columns: readonly string[]) => columns.map((column) => this.#nameOf(table, column));
    this.indexes.push({
      table,
      columns: [...start, ...columnsOf(ending)],
      descending: columnsOf(ending.filter(({ descending }) => descending)),
      ordered: columnsOf(keys).filter((column) => this.#typeOf(table, column) === 'string'),
      where,
      reason: { order: names(order), equality: names(equality), range: range && this.#nameOf(table, range), total },
    });
  }

  /**
   * The keys of an order up to the id, without columns equal to one value; undefined if an index cannot have all keys.
   */
  #keys(table: string, order: readonly PlanOrder[], equal: ReadonlySet<string>): readonly Key[] | undefined {
    let isServed = true;
    const keys: Key[] = [];
    for (const { targets, column, descending } of order) {
      const end = targets.at(-1)?.table;
      const kind = end !== undefined ? 'relation' : this.#isLong(table, column) ? 'long' : undefined;
      if (kind !== undefined) {
        this.#leave(kind, 'order', end ?? table, [column]);
        isServed = false;
      } else if (!equal.has(column) && !keys.some((key) => key.column === column)) {
        keys.push({ column, descending });
        if (column === ID) break;
      }
    }
    return isServed ? keys : undefined;
  }

  /** Splits a condition into those that must all be true. */
  #collect(table: string, condition: PlanCondition, compared: Compared): void {
    switch (condition.kind) {
      case 'constant':
        break;
      case 'and':
      case 'or':
        this.#leave(condition.items.every(isSearch) ? 'search' : 'or', 'filter', table, ownColumns(condition));
        break;
      case 'test':
        this.#collectTest(table, condition, compared);
        break;
      case 'none':
        this.#leaveRelation(condition.target, condition.item);
        break;
      case 'exists': {
        const { target, item, orNone } = condition;
        const conditions = target.rows ? [target.rows, item] : [item];
        const { length } = this.unserved;
        this.#depth++;
        const isFound = !orNone && this.advise({ ...target, conditions, order: undefined, count: false });
        this.#depth--;
        if (isFound) compared.related.add(target.table);
        else if (this.unserved.length === length) this.#leaveRelation(target, item);
      }
    }
  }

  #collectTest(table: string, test: Test, { equal, among, ranges }: Compared): void {
    const { column, slots } = test;
    const kind = unservedKind(test) ?? (this.#isLong(table, column) ? 'long' : undefined);
    if (kind !== undefined) this.#leave(kind, 'filter', table, [column]);
    else if (RANGES.has(test.operator)) ranges.add(column);
    else if (slots.length === 1) equal.add(column);
    else if (slots.length > 1) among.add(column);
  }

  #leaveRelation({ table }: { readonly table: string }, item: PlanCondition | undefined): void {
    this.#leave('relation', 'filter', table, item ? ownColumns(item) : []);
  }

  #leave(kind: UnservedKind, use: Unserved['use'], table: string, columns: readonly string[]): void {
    const names = columns.map((column) => this.#nameOf(table, column));
    this.unserved.push({ kind, use, table, columns, names, isRelated: this.#depth > 0 });
  }

  /** Whether each value of a column belongs to few documents, so that an index finds them. */
  #names(table: string, column: string): boolean {
    if (NAMING.has(column)) return true;
    const { indexes = [], ownIndexes = [] } = this.#layout.tables.find(({ name }) => name === table) ?? {};
    const isOf = ({ columns, ordered }: IndexDefinition): boolean =>
      columns.length === 1 && columns[0] === column && !ordered;
    return ownIndexes.some(isOf) || indexes.some((index) => index.unique && isOf(index));
  }

  #isLong(table: string, column: string): boolean {
    const type = this.#typeOf(table, column);
    return type === undefined || !isIndexable(type);
  }

  #typeOf(table: string, column: string): ColumnType | undefined {
    const columns = this.#layout.tables.find(({ name }) => name === table)?.columns;
    return columns?.find(({ name }) => name === column)?.type;
  }

  #nameOf(table: string, column: string): string {
    for (const model of this.#layout.models.values()) {
      if (model.table !== table) continue;
      for (const [name, own] of model.columns) if (own === column) return name;
    }
    return column;
  }
}

/** An index, by the purpose of its columns. */
interface Wanted {
  readonly table: string;
  readonly start: readonly string[];
  readonly keys: readonly Key[];
  readonly where: IndexAdvice['where'];
}

/** The number of columns, and of text columns, that an index can still take. */
class Room {
  readonly #typeOf: (column: string) => ColumnType | undefined;
  readonly #columns: number;
  readonly #texts: number;

  constructor(typeOf: (column: string) => ColumnType | undefined, columns = MOST_COLUMNS, texts = MOST_TEXTS) {
    this.#typeOf = typeOf;
    this.#columns = columns;
    this.#texts = texts;
  }

  /** The remaining size after some columns; undefined if there is not enough. */
  without(columns: readonly string[]): Room | undefined {
    const own = columns.filter((column) => column !== ID);
    const remaining = this.#columns - own.length;
    const texts = this.#texts - own.filter((column) => this.#typeOf(column) === 'string').length;
    return remaining < 0 || texts < 0 ? undefined : new Room(this.#typeOf, remaining, texts);
  }
}

/**
 * The keys followed by the id, which ascends as in lists. If all keys descend, the id included, an index of ascending
 * keys is read backwards.
 */
function withTieBreaker(keys: readonly Key[]): readonly Key[] {
  if (keys.at(-1)?.column !== ID) return [...keys, { column: ID, descending: false }];
  return keys.every(({ descending }) => descending) ? keys.map(({ column }) => ({ column, descending: false })) : keys;
}

function columnsOf(keys: readonly Key[]): string[] {
  return keys.map(({ column }) => column);
}

function whereOf(tests: readonly RowTest[]): IndexAdvice['where'] {
  const published = tests.find((test) => test.kind === 'published');
  return published && (published.is ? 'published' : 'draft');
}

/** Columns in a canonical order, so that queries that name them in any order share an index. */
function inOrder(columns: ReadonlySet<string>): string[] {
  return [...columns].sort();
}

/** Why no index finds the rows of a test, whatever its column; undefined if one does. */
function unservedKind(test: Test): UnservedKind | undefined {
  const { operator, type, outcome } = test;
  if (outcome !== 'true') return 'negation';
  if (isSearch(test)) return 'search';
  if (operator === '$eqi' && TEXT_TYPES.has(type)) return 'folded';
  return EQUALITIES.has(operator) || RANGES.has(operator) ? undefined : 'negation';
}

/** Whether a condition only searches for pieces of text. */
function isSearch(condition: PlanCondition): boolean {
  if (condition.kind === 'and') return condition.items.every(isSearch);
  return condition.kind === 'test' && condition.outcome === 'true' && SEARCHES.test(condition.operator);
}

/** The columns of the row itself that a condition compares. */
function ownColumns(condition: PlanCondition): string[] {
  if (condition.kind === 'test') return [condition.column];
  const columns = condition.kind === 'and' || condition.kind === 'or' ? condition.items.flatMap(ownColumns) : [];
  return [...new Set(columns)];
}
