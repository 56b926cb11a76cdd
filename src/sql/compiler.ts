/** What compiling the parts of one statement shares. */
import type { Member } from '../plan/read-plan.ts';
import type { Budget } from '../query/budget.ts';
import type { Crowd, Dialect } from './dialect.ts';
import { id, join, raw, type Sql, sql } from './fragment.ts';

/** Hands out table aliases that are unique within a statement. */
export class Aliases {
  #count = 0;
  next(): Sql {
    return raw(`t${this.#count++}`);
  }
}

/** Tables that a statement works out once, in front of everything else. No content type has this name. */
export class CommonTables {
  readonly #tables: Sql[] = [];

  /** Adds a table, which may read those added before, and gives its name. */
  add(select: Sql, name: Sql = raw(`galley_common${this.#tables.length}`)): Sql {
    this.#tables.push(sql`${name} as materialized (${select})`);
    return name;
  }

  /** A statement behind its tables. */
  before(statement: Sql): Sql {
    return this.#tables.length === 0 ? statement : sql`with ${join(this.#tables, ', ')} ${statement}`;
  }
}

export interface Compiler {
  readonly dialect: Dialect;
  readonly aliases: Aliases;
  readonly common: CommonTables;
  readonly budget: Budget;
  /** How many lists of the answer lie around what is compiled. */
  readonly lists: number;
  /** Columns of the row at hand whose folded text is at hand as well. */
  readonly folded?: ReadonlyMap<string, Sql> | undefined;
  /** Bytes of the longest answer. */
  readonly longest: number;
  /** What objects are made of where this is compiled. */
  readonly crowd: Crowd;
  /** The tables of objects that rows of the page have in common, by the member that they are values of. */
  readonly shared?: ReadonlyMap<Member, Sql> | undefined;
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

/** Operands of a chain that stand side by side. */
const CHAIN = 8;

/** Joins operands. A long chain is told as a balanced tree, since engines limit how deep an expression may be. */
export function chain(operands: readonly Sql[], operator: ' and ' | ' or '): Sql {
  if (operands.length <= CHAIN) return join(operands, operator);
  const size = Math.ceil(operands.length / 2);
  const halves = [operands.slice(0, size), operands.slice(size)].map((half) => sql`(${chain(half, operator)})`);
  return join(halves, operator);
}
