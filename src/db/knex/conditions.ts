/** The conditions of a query as Knex takes them, `where` and its kin. */
import { join, raw, type Sql, sql } from '../../sql/fragment.ts';
import { type Bind, isPiece, named, PIECE, rawPiece, valued } from './pieces.ts';

type Condition = (bind: Bind) => Sql;

/** Operators that may stand between a name and a value: what else is written there is refused, since it is no parameter. */
const OPERATORS: ReadonlySet<string> = new Set([
  ...['=', '<', '>', '<=', '>=', '<>', '!=', 'like', 'not like', 'ilike', 'not ilike', 'is', 'is not', 'in', 'not in'],
  ...['between', 'not between'],
]);

const NEVER: Condition = () => raw('1 = 0');

export class Conditions {
  readonly #all: { readonly how: 'and' | 'or'; readonly condition: Condition }[] = [];

  add(how: 'and' | 'or', condition: Condition): void {
    this.#all.push({ how, condition });
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  toSql(bind: Bind): Sql {
    const parts = this.#all.map(({ how, condition }, index) =>
      index === 0 ? condition(bind) : sql`${raw(` ${how} `)}${condition(bind)}`,
    );
    return join(parts, '');
  }
}

/**
 * What `where(…)` is given: an object, a name with a value, with an operator between them or not, a function that adds
 * conditions in brackets, or a raw condition.
 *
 * @param grouped has a function of the project add conditions.
 */
export function conditionOf(args: readonly unknown[], grouped: (fill: GroupFiller) => Conditions): Condition {
  const [first, second, third] = args;
  if (args.length === 1 && typeof first === 'function' && !isPiece(first)) {
    const inner = grouped(first as GroupFiller);
    return inner.isEmpty ? () => raw('1 = 1') : (bind) => sql`(${inner.toSql(bind)})`;
  }
  if (isPiece(first) && args.length === 1) return (bind) => first[PIECE](bind);
  if (typeof first === 'boolean' && args.length === 1) return () => raw(first ? '1 = 1' : '1 = 0');
  if (typeof first === 'object' && first !== null && !isPiece(first)) {
    const each = Object.entries(first).map(([name, value]) => compared(name, '=', value));
    if (each.length === 0) return () => raw('1 = 1');
    return (bind) =>
      sql`(${join(
        each.map((one) => one(bind)),
        ' and ',
      )})`;
  }
  return args.length >= 3 ? compared(first, second, third) : compared(first, '=', second);
}

export type GroupFiller = (this: object, builder: object) => unknown;

function compared(name: unknown, given: unknown, value: unknown): Condition {
  const operator = String(given).trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (!OPERATORS.has(operator)) throw new Error(`there is no operator ${String(given)}`);
  if (operator.endsWith('in')) return listed(name, value, operator === 'not in');
  if (operator.endsWith('between')) return between(name, value, operator === 'not between');
  if (value === null) return isNull(name, operator === '<>' || operator === '!=' || operator === 'is not');
  return (bind) => sql`${named(name, bind)} ${raw(operator)} ${valued(value, bind)}`;
}

export const isNull =
  (name: unknown, not: boolean): Condition =>
  (bind) =>
    sql`${named(name, bind)} ${raw(not ? 'is not null' : 'is null')}`;

/** @param values a list, or a query. */
export function listed(name: unknown, values: unknown, not: boolean): Condition {
  const words = raw(not ? ' not in ' : ' in ');
  if (isPiece(values)) return (bind) => sql`${named(name, bind)}${words}(${values[PIECE](bind)})`;
  if (!Array.isArray(values)) throw new Error('in needs a list');
  if (values.length === 0) return not ? () => raw('1 = 1') : NEVER;
  return (bind) => {
    const each = values.map((value) => valued(value, bind));
    return sql`${named(name, bind)}${words}(${join(each, ', ')})`;
  };
}

export function between(name: unknown, values: unknown, not: boolean): Condition {
  if (!Array.isArray(values) || values.length !== 2) throw new Error('between needs a list of two values');
  const words = raw(not ? ' not between ' : ' between ');
  return (bind) => sql`${named(name, bind)}${words}${valued(values[0], bind)} and ${valued(values[1], bind)}`;
}

export const negated =
  (condition: Condition): Condition =>
  (bind) =>
    sql`not (${condition(bind)})`;

export const rawCondition = (text: string, bindings: unknown): Condition => rawPiece(text, bindings)[PIECE];
