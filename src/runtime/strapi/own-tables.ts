/** `strapi.db.query` of the reference's tables without a content type: its settings and its webhooks. */
import type { Knex } from 'knex';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { requireGroups, requireObject } from '../documents/conditions.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import { guarded, missingMember, unsupported } from '../guarded.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { defaultSetting, requireSetting } from './store.ts';

interface OwnTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Columns that hold JSON, and booleans. */
  readonly json: readonly string[];
  readonly booleans: readonly string[];
}

const TABLES: Readonly<Record<string, OwnTable>> = {
  'strapi::core-store': {
    table: CORE_STORE_TABLE,
    columns: ['id', 'key', 'value', 'type', 'environment', 'tag'],
    json: [],
    booleans: [],
  },
  'strapi::webhook': {
    table: 'strapi_webhooks',
    columns: ['id', 'name', 'url', 'headers', 'events', 'enabled'],
    json: ['headers', 'events'],
    booleans: ['enabled'],
  },
};

type Row = Record<string, unknown>;

/** @throws Unsupported for listeners to the rows of one of these tables, which Galley reads and writes without lifecycles. */
export function requireOtherModels(subscriber: unknown): void {
  const { models } = (subscriber ?? {}) as { readonly models?: unknown };
  const own = Array.isArray(models) ? models.find((uid) => Object.hasOwn(TABLES, uid)) : undefined;
  if (own !== undefined) missingMember(`lifecycles of ${own}`);
}

/** The rows of one of these tables; undefined for any other uid. */
export function ownTable({ database }: Pick<RuntimeContext, 'database'>, uid: string): object | undefined {
  const own = Object.hasOwn(TABLES, uid) ? TABLES[uid]! : undefined;
  return (
    own &&
    guarded(
      'strapi.db.query()',
      methodsOf(own, () => database),
    )
  );
}

function methodsOf(own: OwnTable, database: () => RuntimeContext['database']) {
  const rows = (params: Params = {}): Knex.QueryBuilder => {
    const { connection } = database();
    const where = params['where'] ?? params['filters'];
    if (where != null) {
      requireObject(where);
      requireGroups(where);
    }
    return narrowed(own, connection(own.table), where as Row | null | undefined);
  };
  const findMany = async (params: Params = {}): Promise<Row[]> => {
    const query = rows(params).select(selectedColumns(own, params['select']));
    for (const [column, order] of ordersOf(params['orderBy'] ?? 'id')) query.orderBy(requireColumn(own, column), order);
    if (params['limit'] !== undefined && Number(params['limit']) >= 0) query.limit(Number(params['limit']));
    if (params['offset']) query.offset(Number(params['offset']));
    return ((await query) as Row[]).map((row) => read(own, row));
  };
  const findOne = async (params: Params = {}): Promise<Row | null> => {
    const [row] = await findMany({ ...params, limit: 1 });
    if (!row && own.table === CORE_STORE_TABLE) requireRow((params['where'] as Params | undefined)?.['key']);
    return row ?? null;
  };
  const count = async (params: Params = {}): Promise<number> => {
    const [counted] = (await rows(params).count({ count: '*' })) as { count: unknown }[];
    return Number(counted!.count);
  };
  const create = async ({ data }: Params): Promise<Row | null> => {
    const [inserted] = (await rows()
      .insert(stored(own, data as Row))
      .returning('id')) as { id: number }[];
    return findOne({ where: { id: inserted!.id } });
  };
  const change = (params: Params): Promise<number> => rows(params).update(stored(own, params['data'] as Row)) as never;
  return {
    findMany,
    findOne,
    count,
    create,
    findWithCount: async (params?: Params) => [await findMany(params), await count(params)],
    createMany: async ({ data }: Params) => {
      const ids: unknown[] = [];
      for (const one of data as Row[]) ids.push((await create({ data: one }))?.['id']);
      return { count: ids.length, ids };
    },
    update: async (params: Params) => {
      const row = await findOne(params);
      if (!row) return null;
      await change({ ...params, where: { id: row['id'] } });
      return findOne({ where: { id: row['id'] } });
    },
    updateMany: async (params: Params) => ({ count: await change(params) }),
    delete: async (params: Params) => {
      const row = await findOne(params);
      if (row) await rows({ where: { id: row['id'] } }).del();
      return row;
    },
    deleteMany: async (params: Params = {}) => ({ count: await rows(params).del() }),
  };
}

/** @throws Unsupported for the key of a row that the reference has from its first start on. */
function requireRow(key: unknown): void {
  requireSetting(key);
  if (typeof key === 'string' && defaultSetting(key)) missingMember(`the row ${key} of strapi::core-store`);
}

function requireColumn({ columns, table }: OwnTable, name: string): string {
  return columns.includes(name) ? name : unsupported(`the attribute ${name} in a query of ${table}`);
}

function selectedColumns(own: OwnTable, select: unknown): readonly string[] {
  const names = [select ?? []].flat().map(String);
  return names.length === 0 || names.includes('*') ? own.columns : names.map((name) => requireColumn(own, name));
}

/** `'key'`, `{ key: 'desc' }`, or a list of either. */
const ordersOf = (orderBy: unknown): [string, string][] =>
  [orderBy].flat().flatMap((one) => {
    if (isPlain(one)) return Object.entries(one).map(([name, order]): [string, string] => [name, String(order)]);
    const [name = '', order = 'asc'] = String(one).split(':');
    return [[name, order] as [string, string]];
  });

/** Operators of conditions. */
const TESTS: Readonly<Record<string, (query: Knex.QueryBuilder, column: string, value: unknown) => unknown>> = {
  $eq: (query, column, value) => (value === null ? query.whereNull(column) : query.where(column, value as string)),
  $ne: (query, column, value) =>
    value === null ? query.whereNotNull(column) : query.whereNot(column, value as string),
  $in: (query, column, value) => query.whereIn(column, [value].flat() as string[]),
  $notIn: (query, column, value) => query.whereNotIn(column, [value].flat() as string[]),
  $lt: (query, column, value) => query.where(column, '<', value as string),
  $lte: (query, column, value) => query.where(column, '<=', value as string),
  $gt: (query, column, value) => query.where(column, '>', value as string),
  $gte: (query, column, value) => query.where(column, '>=', value as string),
  $null: (query, column, value) => (value ? query.whereNull(column) : query.whereNotNull(column)),
  $notNull: (query, column, value) => (value ? query.whereNotNull(column) : query.whereNull(column)),
  $contains: (query, column, value) => query.whereLike(column, `%${String(value)}%`),
  $startsWith: (query, column, value) => query.whereLike(column, `${String(value)}%`),
  $endsWith: (query, column, value) => query.whereLike(column, `%${String(value)}`),
};

/** A query with the conditions of `where`. */
function narrowed(own: OwnTable, query: Knex.QueryBuilder, where: Row | null | undefined): Knex.QueryBuilder {
  for (const [name, value] of Object.entries(where ?? {})) {
    if (name === '$and' || name === '$or') {
      query.where((group) => {
        for (const inner of value as Row[])
          group[name === '$or' ? 'orWhere' : 'andWhere']((part) => void narrowed(own, part, inner));
      });
    } else if (name === '$not') query.whereNot((part) => void narrowed(own, part, value as Row));
    else test(query, requireColumn(own, name), value);
  }
  return query;
}

function test(query: Knex.QueryBuilder, column: string, value: unknown): void {
  const tests = isPlain(value) ? Object.entries(value) : [[Array.isArray(value) ? '$in' : '$eq', value] as const];
  for (const [name, operand] of tests) {
    // one without a value would be met by every row
    if (operand === undefined) throw new Error(`Undefined binding(s) detected: the condition ${column} has no value`);
    (TESTS[name] ?? unsupported(`${name} in a query of strapi.db`))(query, column, operand);
  }
}

function read({ json, booleans }: OwnTable, row: Row): Row {
  const value = (name: string, one: unknown): unknown => {
    if (json.includes(name) && typeof one === 'string') return JSON.parse(one);
    return booleans.includes(name) && one !== null ? Boolean(one) : one;
  };
  return Object.fromEntries(Object.entries(row).map(([name, one]) => [name, value(name, one)]));
}

function stored(own: OwnTable, data: Row): Row {
  const entries = Object.entries(data ?? {}).filter(
    ([name, value]) => own.columns.includes(name) && value !== undefined,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, own.json.includes(name) && value !== null ? JSON.stringify(value) : value]),
  );
}
