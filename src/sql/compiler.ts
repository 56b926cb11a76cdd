/** The state that the compilers of one statement share. */
import type { Member } from '../plan/read-plan.ts';
import type { Budget } from '../query/budget.ts';
import type { Crowd, Dialect } from './dialect.ts';
import { id, join, list, raw, type Sql, sql } from './fragment.ts';

/** Returns table aliases that are unique within a statement. */
export class Aliases {
  #count = 0;
  next(): Sql {
    return raw(`t${this.#count++}`);
  }
}

/**
 * The common tables of a statement, which are evaluated once, before everything else. No content type has such a name.
 */
export class CommonTables {
  readonly #tables: Sql[] = [];
  readonly #isWithin: boolean;

  /** @param isWithin whether tables are written out where they are read: for engines that limit their number. */
  constructor(isWithin = false) {
    this.#isWithin = isWithin;
  }

  /** Adds a table, which may read the tables added before, and returns what reads it in a FROM clause. */
  add(select: Sql, name: Sql = raw(`galley_common${this.#tables.length}`)): Sql {
    if (this.#isWithin) return sql`(${select})`;
    this.#tables.push(sql`${name} as materialized (${select})`);
    return name;
  }

  /** A statement with its common tables in front. */
  before(statement: Sql): Sql {
    return this.#tables.length === 0 ? statement : sql`with ${list(this.#tables)} ${statement}`;
  }
}

export interface Compiler {
  readonly dialect: Dialect;
  readonly aliases: Aliases;
  readonly common: CommonTables;
  readonly budget: Budget;
  /** The number of lists of the answer around the current object. */
  readonly lists: number;
  /** Columns of the current row whose folded text is available as well. */
  readonly folded?: ReadonlyMap<string, Sql> | undefined;
  /** The most bytes of an answer. */
  readonly longest: number;
  /** The number of rows from which the current objects are built. */
  readonly crowd: Crowd;
  /** What takes the places of stored tables, by their names. */
  readonly replaced?: ReadonlyMap<string, ReplacedTable> | undefined;
  /** The tables of objects that rows of the page share, by member. */
  readonly shared?: ReadonlyMap<Member, Sql> | undefined;
}

/** A subquery in the place of a stored table. */
export interface ReplacedTable {
  /** A planner that may merge it repeats the query around it for each of its parts, and finds rows by indexes. */
  readonly merged: Sql;
  /** The same rows, found before the query around them. */
  readonly apart: Sql;
}

/**
 * A table of rows or links in a FROM clause.
 *
 * @param isInner whether no table is read within the query around it. Repeating such a query costs little; others would
 * be repeated for the parts of every table around them.
 */
export function tableOf({ replaced }: Compiler, name: string, isInner = false): Sql {
  const table = replaced?.get(name);
  if (!table) return id(name);
  return isInner ? table.merged : table.apart;
}

export const TRUE = raw('1 = 1');
export const FALSE = raw('1 = 0');

/** A column of an aliased row. */
export function col(row: Sql, column: string): Sql {
  return sql`${row}.${id(column)}`;
}

/** All of the conditions; true for none. */
export function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? TRUE : chain(conditions, ' and ');
}

/** The most operands of a chain on one level. */
const CHAIN = 8;

/** Joins operands. A long chain becomes a balanced tree, because engines limit the depth of an expression. */
export function chain(operands: readonly Sql[], operator: ' and ' | ' or '): Sql {
  if (operands.length <= CHAIN) return join(operands, operator);
  const size = Math.ceil(operands.length / 2);
  const halves = [operands.slice(0, size), operands.slice(size)].map((half) => sql`(${chain(half, operator)})`);
  return join(halves, operator);
}
