/** `knex('articles').where(…).update(…)`: a query that is made step by step and runs when it is waited for. */
import { id, join, raw, render, type Sql, slot, sql } from '../../sql/fragment.ts';
import {
  between,
  Conditions,
  conditionOf,
  type GroupFiller,
  isNull,
  listed,
  negated,
  rawCondition,
} from './conditions.ts';
import { type Bind, isPiece, named, PIECE, type Piece, valued } from './pieces.ts';
import type { MigrationSession, NamedRow, SessionAnswer } from './session.ts';

/** Wraps what code gets, so that what is not there says so. */
export type Guard = <T extends object>(name: string, target: T) => T;

interface State {
  table: unknown;
  action: 'select' | 'insert' | 'update' | 'delete';
  /** What of the rows is given. */
  shape: 'rows' | 'first' | { readonly pluck: string };
  readonly columns: unknown[];
  isDistinct: boolean;
  readonly joins: ((bind: Bind) => Sql)[];
  readonly where: Conditions;
  readonly groups: unknown[];
  readonly orders: ((bind: Bind) => Sql)[];
  limit: number | undefined;
  offset: number | undefined;
  rows: readonly NamedRow[];
  values: NamedRow;
  returning: readonly unknown[];
}

/** Parameters of one insert at most: what both engines take. */
const PARAMETERS = 30_000;

/** What runs later, with the place in the project's code that asked for it in whatever it fails with. */
export function placed<T>(run: () => Promise<T>): () => Promise<T> {
  const { stack = '' } = new Error();
  return async () => {
    try {
      return await run();
    } catch (error) {
      if (error instanceof Error) error.stack = `${error.name}: ${error.message}${stack.slice(stack.indexOf('\n'))}`;
      throw error;
    }
  };
}

/** Runs a fragment, whose slots are indices into the values that its pieces bound. */
export function ask(session: MigrationSession, make: (bind: Bind) => Sql): Promise<SessionAnswer> {
  const { text, values } = compiled(session, make);
  return session.ask(text, values);
}

export function compiled({ words }: MigrationSession, make: (bind: Bind) => Sql) {
  const given: unknown[] = [];
  const bind: Bind = (value) => slot(given.push(value) - 1);
  const { text, order } = render(make(bind), words.placeholder);
  return { text, values: order.map((index) => given[index]) };
}

export function queryOf(session: MigrationSession, guard: Guard, table?: unknown): object {
  const state: State = {
    ...{ table, action: 'select', shape: 'rows', columns: [], isDistinct: false, joins: [], where: new Conditions() },
    ...{ groups: [], orders: [], limit: undefined, offset: undefined, rows: [], values: {}, returning: [] },
  };
  const grouped = (fill: GroupFiller): Conditions => {
    const conditions = new Conditions();
    const inner: object = guard(
      'knex where',
      conditionMethods(conditions, grouped, () => inner),
    );
    fill.call(inner, inner);
    return conditions;
  };
  const step =
    <A extends unknown[]>(work: (...args: A) => void) =>
    (...args: A): object => {
      work(...args);
      return query;
    };
  const select = step((...columns: unknown[]) => void state.columns.push(...columns.flat()));
  const from = step((place: unknown) => {
    state.table = place;
  });
  const joining = (words: string) =>
    step((place: unknown, first: unknown, ...rest: unknown[]) => {
      if (typeof first === 'function') throw new Error('a join on a function is not supported by Galley');
      const [operator, second] = rest.length > 1 ? rest : ['=', rest[0]];
      if (operator !== '=') throw new Error('a join is supported by Galley on = alone');
      state.joins.push(
        (bind) => sql`${raw(` ${words} join `)}${named(place, bind)} on ${named(first, bind)} = ${named(second, bind)}`,
      );
    });
  const summed = (name: string) =>
    step((column: unknown = '*') => {
      for (const [alias, of] of aliased(column)) {
        state.columns.push(
          piece((bind) => sql`${raw(name)}(${named(of, bind)})${alias ? sql` as ${id(alias)}` : raw('')}`),
        );
      }
    });
  const change = (action: State['action'], returning: unknown, work: () => void): object => {
    state.action = action;
    if (returning !== undefined) state.returning = [returning].flat();
    work();
    return query;
  };
  const changeBy = (sign: string) =>
    step((column: string, amount: number = 1) => {
      state.action = 'update';
      state.values = { ...state.values, [column]: piece((bind) => sql`${id(column)} ${raw(sign)} ${bind(amount)}`) };
    });
  const run = placed(() => answerOf(session, state));
  const remove = (returning?: unknown): object => change('delete', returning, () => {});
  const methods: object = {
    ...{ select, column: select, columns: select, from, into: from, table: from },
    ...conditionMethods(state.where, grouped, () => query),
    distinct: step((...columns: unknown[]) => {
      state.isDistinct = true;
      state.columns.push(...columns.flat());
    }),
    ...{ join: joining('inner'), innerJoin: joining('inner'), leftJoin: joining('left') },
    ...{ count: summed('count'), min: summed('min'), max: summed('max'), sum: summed('sum'), avg: summed('avg') },
    groupBy: step((...columns: unknown[]) => void state.groups.push(...columns.flat())),
    orderBy: step((given: unknown, direction: unknown = 'asc') => {
      for (const one of [given].flat()) {
        const { column, order } = isOrder(one) ? one : { column: one, order: direction };
        const words = raw(String(order ?? 'asc').toLowerCase() === 'desc' ? ' desc' : ' asc');
        state.orders.push((bind) => sql`${named(column, bind)}${words}`);
      }
    }),
    limit: step((most: number) => {
      state.limit = Number(most);
    }),
    offset: step((first: number) => {
      state.offset = Number(first);
    }),
    first: step((...columns: unknown[]) => {
      state.columns.push(...columns.flat());
      state.shape = 'first';
      state.limit = 1;
    }),
    pluck: step((column: string) => {
      state.columns.push(column);
      state.shape = { pluck: column.split('.').at(-1)! };
    }),
    insert: (rows: unknown, returning?: unknown) =>
      change('insert', returning, () => {
        state.rows = [rows].flat() as NamedRow[];
      }),
    update: (given: unknown, second?: unknown, third?: unknown) => {
      const isPair = typeof given === 'string';
      const values = isPair ? { [given]: second } : (given as NamedRow);
      return change('update', isPair ? third : second, () => {
        state.values = { ...state.values, ...values };
      });
    },
    ...{ increment: changeBy('+'), decrement: changeBy('-'), delete: remove, del: remove },
    returning: step((columns: unknown) => {
      state.returning = [columns].flat();
    }),
    toString: () => compiled(session, (bind) => selectSql(state, bind)).text,
    // biome-ignore lint/suspicious/noThenProperty: it is waited for, as whoever writes a migration expects
    then: (done?: (value: unknown) => unknown, failed?: (error: unknown) => unknown) => run().then(done, failed),
    catch: (failed: (error: unknown) => unknown) => run().catch(failed),
    finally: (last: () => void) => run().finally(last),
    [PIECE]: (bind: Bind) => selectSql(state, bind),
  };
  const query = guard('knex query', methods);
  return query;
}

const piece = (make: (bind: Bind) => Sql): Piece => ({ [PIECE]: make });

const isOrder = (one: unknown): one is { column: unknown; order?: unknown } =>
  typeof one === 'object' && one !== null && 'column' in one;

/** `'* as n'` and `{ n: '*' }` with their aliases. */
function aliased(column: unknown): [string | undefined, unknown][] {
  if (typeof column === 'object' && column !== null && !isPiece(column)) return Object.entries(column);
  const [, of, alias] = /^(.+?)\s+as\s+(.+)$/i.exec(String(column)) ?? [];
  return [[alias, isPiece(column) ? column : (of ?? column)]];
}

/** `where` with all its kin, which add to conditions. */
function conditionMethods(
  conditions: Conditions,
  grouped: (fill: GroupFiller) => Conditions,
  self: () => object,
): Record<string, (...args: unknown[]) => object> {
  const kinds: Readonly<Record<string, (args: unknown[]) => (bind: Bind) => Sql>> = {
    '': (args) => conditionOf(args, grouped),
    Not: (args) => negated(conditionOf(args, grouped)),
    Null: ([name]) => isNull(name, false),
    NotNull: ([name]) => isNull(name, true),
    In: ([name, values]) => listed(name, values, false),
    NotIn: ([name, values]) => listed(name, values, true),
    Between: ([name, values]) => between(name, values, false),
    NotBetween: ([name, values]) => between(name, values, true),
    Like: ([name, value]) => conditionOf([name, 'like', value], grouped),
    ILike: ([name, value]) => conditionOf([name, 'ilike', value], grouped),
    Raw: ([text, bindings]) => rawCondition(String(text), bindings),
  };
  const methods: Record<string, (...args: unknown[]) => object> = {};
  for (const [kind, make] of Object.entries(kinds)) {
    const adding =
      (how: 'and' | 'or') =>
      (...args: unknown[]): object => {
        conditions.add(how, make(args));
        return self();
      };
    Object.assign(methods, { [`where${kind}`]: adding('and'), [`andWhere${kind}`]: adding('and') });
    methods[`orWhere${kind}`] = adding('or');
  }
  return methods;
}

async function answerOf(session: MigrationSession, state: State): Promise<unknown> {
  const { action, shape, returning } = state;
  if (action === 'insert') return inserted(session, state);
  const answer = await ask(session, (bind) => {
    if (action === 'update') return updateSql(state, bind);
    return action === 'delete' ? deleteSql(state, bind) : selectSql(state, bind);
  });
  if (action !== 'select') return returning.length > 0 ? answer.rows : answer.count;
  if (shape === 'rows') return answer.rows;
  return shape === 'first' ? answer.rows[0] : answer.rows.map((row) => row[shape.pluck]);
}

async function inserted(session: MigrationSession, { table, rows, returning }: State): Promise<unknown> {
  if (rows.length === 0) return [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const all: NamedRow[] = [];
  const most = Math.max(1, Math.floor(PARAMETERS / Math.max(1, columns.length)));
  let last: SessionAnswer | undefined;
  for (let from = 0; from < rows.length; from += most) {
    last = await ask(session, (bind) => {
      const place = sql`insert into ${named(table, bind)}`;
      if (columns.length === 0) return sql`${place} default values${returningSql(returning, bind)}`;
      const part = rows.slice(from, from + most).map((row) => {
        const each = columns.map((column) =>
          row[column] === undefined ? raw(session.words.missing) : valued(row[column], bind),
        );
        return sql`(${join(each, ', ')})`;
      });
      const names = join(columns.map(id), ', ');
      return sql`${place} (${names}) values ${join(part, ', ')}${returningSql(returning, bind)}`;
    });
    all.push(...last.rows);
  }
  return returning.length > 0 ? all : last!.inserted;
}

function updateSql({ table, values, where, returning }: State, bind: Bind): Sql {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new Error('an update without values');
  const sets = given.map(([column, value]) => sql`${named(column, bind)} = ${valued(value, bind)}`);
  return sql`update ${named(table, bind)} set ${join(sets, ', ')}${whereSql(where, bind)}${returningSql(returning, bind)}`;
}

function deleteSql({ table, where, returning }: State, bind: Bind): Sql {
  return sql`delete from ${named(table, bind)}${whereSql(where, bind)}${returningSql(returning, bind)}`;
}

function selectSql(state: State, bind: Bind): Sql {
  const { table, columns, isDistinct, joins, where, groups, orders, limit, offset } = state;
  const names = columns.length === 0 ? raw('*') : list(columns, bind);
  const parts = [sql`select ${raw(isDistinct ? 'distinct ' : '')}${names}`];
  if (table !== undefined) parts.push(sql` from ${named(table, bind)}`);
  parts.push(...joins.map((make) => make(bind)), whereSql(where, bind));
  if (groups.length > 0) parts.push(sql` group by ${list(groups, bind)}`);
  if (orders.length > 0) {
    parts.push(
      sql` order by ${join(
        orders.map((make) => make(bind)),
        ', ',
      )}`,
    );
  }
  // one engine takes no offset without a limit
  const most = limit ?? (offset === undefined ? undefined : Number.MAX_SAFE_INTEGER);
  if (most !== undefined) parts.push(sql` limit ${bind(most)}`);
  if (offset !== undefined) parts.push(sql` offset ${bind(offset)}`);
  return join(parts, '');
}

const list = (names: readonly unknown[], bind: Bind): Sql =>
  join(
    names.map((name) => named(name, bind)),
    ', ',
  );

const whereSql = (where: Conditions, bind: Bind): Sql => (where.isEmpty ? raw('') : sql` where ${where.toSql(bind)}`);

const returningSql = (columns: readonly unknown[], bind: Bind): Sql =>
  columns.length === 0 ? raw('') : sql` returning ${list(columns, bind)}`;
