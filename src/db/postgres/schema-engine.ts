/**
 * What migrations and reports ask of PostgreSQL: the tables of the current schema
 * (https://www.postgresql.org/docs/current/catalogs.html), their problems, and work that takes time in proportion to
 * their rows.
 */
import { counted } from '../../counted.ts';
import { reasonOf } from '../../errors.ts';
import type { ColumnType, TableDefinition } from '../../schema/layout/table.ts';
import { id, list, raw, type Sql, sql } from '../../sql/fragment.ts';
import type { Database } from '../interface/database.ts';
import type { Executor, Row } from '../interface/queryable.ts';
import {
  assemble,
  type ExistingForeignKey,
  type ExistingTable,
  type SchemaEngine,
  type TableProblem,
} from '../migration/schema-engine.ts';
import { type ColumnPair, pairsOf, statementOf, unknownRequired } from '../migration/table-problems.ts';
import { postgresDdl } from './ddl.ts';
import { explain } from './explain.ts';
import { isReadOnly } from './failures.ts';
import { advanceSequences, clearSequenceNotes, compileAdvance, laggingSequences, sequenceNotes } from './ids.ts';
import { addIndex, clearIndexes, dropIndex, USABLE } from './live-indexes.ts';
import { TABLE_PATIENCE, UNLIMITED } from './patience.ts';
import { postgresSearchEngine } from './search/indexes.ts';
import { countFromNowOn, dropTriggers, gather, KEPT, lockTotals, SCATTERED } from './totals.ts';

/** Whether a table is one of those to read: `$1` is an array of their names in JSON, or null for all tables. */
const CHOSEN = `($1::json is null or t.relname in (select json_array_elements_text($1::json)))`;

const COLUMNS = `
  select t.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), not a.attnotnull,
    coalesce(pg_get_expr(d.adbin, d.adrelid), nullif(a.attidentity::text, ''))
  from pg_class t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace and ${CHOSEN}
  order by t.relname, a.attnum`;

/** The collation "C", which orders by code point. */
const BY_CODE_POINT = 950;

const INDEXES = `
  select t.relname::text, x.relname::text, a.attname::text, i.indisunique, i.indpred is not null,
    c.oid = ${BY_CODE_POINT} and a.attcollation <> ${BY_CODE_POINT}
  from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  cross join lateral unnest(i.indkey::int2[]) with ordinality k (attnum, n)
  cross join lateral (select i.indcollation[k.n::int - 1]) c (oid)
  left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum and k.attnum > 0
    and c.oid in (a.attcollation, ${BY_CODE_POINT})
  where not i.indisprimary and k.n <= i.indnkeyatts and t.relnamespace = current_schema()::regnamespace
    and ${USABLE} and ${CHOSEN}
  order by t.relname, x.relname, k.n`;

const TOTALS = `
  select c.relname::text from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and ${KEPT}`;

const FOREIGN_KEYS = `
  select c.conname::text, a.attname::text, r.relname::text, ra.attname::text, c.confdeltype::text
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid
  join pg_class r on r.oid = c.confrelid
  join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
  join pg_attribute ra on ra.attrelid = r.oid and ra.attnum = c.confkey[1]
  where c.contype = 'f' and t.relname = $1 and t.relnamespace = current_schema()::regnamespace
  order by c.conname`;

const ON_DELETE: Readonly<Record<string, string>> = {
  a: 'NO ACTION',
  r: 'RESTRICT',
  c: 'CASCADE',
  n: 'SET NULL',
  d: 'SET DEFAULT',
};

/** A number that no other program is likely to lock: the letters `gall`. */
const LOCK = 0x67616c6c;
/** Waits until no other process changes tables, and excludes others until the transaction ends. */
export const ALONE = `select pg_advisory_xact_lock(${LOCK})::text`;

async function introspect(executor: Executor, tables?: readonly string[]): Promise<ReadonlyMap<string, ExistingTable>> {
  const chosen = [tables ? JSON.stringify(tables) : null];
  const totals = new Set((await executor.rows(TOTALS, [])).map(([table]) => table));
  const columns = await executor.rows(COLUMNS, chosen);
  return assemble(columns, await executor.rows(INDEXES, chosen), (table) => totals.has(table));
}

async function foreignKeys(executor: Executor, table: string): Promise<readonly ExistingForeignKey[]> {
  const rows = (await executor.rows(FOREIGN_KEYS, [table])) as readonly (readonly string[])[];
  return rows.map(([name, column, target, to, onDelete]) => ({
    name: name!,
    column: column!,
    references: { table: target!, column: to! },
    onDelete: ON_DELETE[onDelete!] ?? onDelete!,
  }));
}

async function lock(tx: Executor, isLive = false): Promise<void> {
  // building an index of a large table may take any time, here or in another process
  await tx.rows(UNLIMITED, []);
  await tx.rows(ALONE, []);
  if (isLive) await tx.rows(`set local lock_timeout = '${TABLE_PATIENCE}'`, []);
}

/** The length of a text column in the reference's tables. */
const TEXT_LENGTH = 255;
const WHOLE = /^(?:smallint|integer|bigint)$/;
/** Columns on which the triggers of totals depend: their type cannot be changed while the triggers exist. */
const COUNTED: ReadonlySet<string> = new Set(['locale', 'published_at']);

const WITH_PRIMARY_KEY = `
  select t.relname::text from pg_index i join pg_class t on t.oid = i.indrelid
  where i.indisprimary and t.relnamespace = current_schema()::regnamespace`;

/** Tables that the connection's role may not write to, with its name. */
const UNWRITABLE = `
  select t.relname::text, current_user::text, current_schema()::text from pg_class t
  where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace
    and not (has_table_privilege(t.oid, 'select') and has_table_privilege(t.oid, 'insert')
      and has_table_privilege(t.oid, 'update') and has_table_privilege(t.oid, 'delete'))
  order by 1`;

/** The problems of a layout's tables. Only reads. */
export async function tableProblems(
  executor: Executor,
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<TableProblem[]> {
  const own = new Set(wanted.map(({ name }) => name));
  const keyed = new Set((await executor.rows(WITH_PRIMARY_KEY, [])).map(([table]) => table));
  const pairs = pairsOf(wanted, existing);
  const lagging = (await laggingSequences(executor)).filter(({ table }) => own.has(table));
  return [
    ...unwritable(await executor.rows(UNWRITABLE, []), own),
    ...pairs.flatMap((pair) => columnProblems(pair)),
    ...pairs.flatMap(({ table, found: { name } }): TableProblem[] => {
      if (name !== 'id' || keyed.has(table)) return [];
      const remedy = [statementOf(sql`alter table ${id(table)} add primary key (${id(name)})`)];
      return [{ table, column: name, problem: 'is no primary key', remedy, isRepaired: false }];
    }),
    ...unknownRequired(wanted, existing, (table, column) => [
      statementOf(sql`alter table ${id(table)} alter column ${id(column)} drop not null`),
    ]),
    ...lagging.map((one) => ({
      table: one.table,
      column: 'id',
      problem: `reaches ${one.largest}, and its sequence ${one.sequence} only ${one.last}: new rows would get ids that are taken`,
      remedy: [`${compileAdvance(one)};`],
      isRepaired: true,
    })),
  ];
}

/** One problem for all tables, because a read-only role can write to none of them. */
function unwritable(rows: readonly Row[], own: ReadonlySet<unknown>): TableProblem[] {
  const [first, ...others] = rows.filter(([table]) => own.has(table));
  if (!first) return [];
  const [table, role, schema] = first.map(String) as [string, string, string];
  const problem = `${others.length > 0 ? `and ${counted(others.length, 'other table')} ` : ''}cannot be written to by the role ${role}`;
  const place = sql`in schema ${id(schema)} to ${id(role)}`;
  const remedy = [
    statementOf(sql`grant select, insert, update, delete on all tables ${place}`),
    statementOf(sql`grant usage, select, update on all sequences ${place}`),
  ];
  return [{ table, column: undefined, problem, remedy, isRepaired: false }];
}

function columnProblems({ table, wanted, found }: ColumnPair): TableProblem[] {
  const { type, name } = wanted;
  const of = { table, column: name };
  const problems: TableProblem[] = [];
  const length = /^character varying\((\d+)\)$/.exec(found.type)?.[1];
  if (!postgresDdl.sameType(type, found.type) || (type === 'string' && Number(length ?? TEXT_LENGTH) < TEXT_LENGTH)) {
    const expected = expectedType(type);
    const remedy = changeType({ table, wanted, found }, expected);
    problems.push({ ...of, problem: `is ${found.type}, the schema expects ${expected}`, remedy, isRepaired: false });
  }
  if (type.endsWith('increments') && found.defaultTo === null) {
    const problem = 'has neither a sequence nor another default: no row can be added';
    const column = sql`alter table ${id(table)} alter column ${id(name)}`;
    const notNull = found.nullable ? [statementOf(sql`${column} set not null`)] : [];
    const remedy = [...notNull, statementOf(sql`${column} add generated by default as identity`)];
    problems.push({ ...of, problem, remedy, isRepaired: WHOLE.test(found.type) });
  }
  return problems;
}

const expectedType = (type: ColumnType): string =>
  type === 'increments' ? 'integer' : type === 'bigincrements' ? 'bigint' : postgresDdl.columnType(type);

function changeType({ table, wanted, found }: ColumnPair, expected: string): string[] {
  const name = id(wanted.name);
  // the engine does not convert the default along with the values
  const withoutDefault = found.defaultTo === null ? [] : [sql`alter column ${name} drop default`];
  const change = sql`alter column ${name} type ${raw(expected)} using ${converted(name, wanted.type, found.type)}`;
  const triggers = COUNTED.has(wanted.name) ? [`${dropTriggers(table)};`] : [];
  return [...triggers, statementOf(sql`alter table ${id(table)} ${list([...withoutDefault, change])}`)];
}

/** The value of a column as another type. */
function converted(name: Sql, type: ColumnType, found: string): Sql {
  if (type === 'boolean' && (WHOLE.test(found) || found.startsWith('numeric'))) return sql`${name} <> 0`;
  // SQLite stores milliseconds
  if (type === 'datetime' && WHOLE.test(found)) return sql`to_timestamp(${name} / 1000.0) at time zone 'UTC'`;
  if (type === 'string' && found.startsWith('character(')) return sql`rtrim(${name})`;
  return sql`${name}::${raw(expectedType(type))}`;
}

/** The size in bytes of a table that is processed in a few milliseconds. */
const SMALL = 16 * 2 ** 20;

/** Whether a table is small, and no requests are being served. */
export async function isSmall(executor: Executor, table: string, isLive: boolean): Promise<boolean> {
  if (isLive) return false;
  const [row] = await executor.rows('select pg_relation_size(to_regclass(quote_ident($1))) < $2::bigint', [
    table,
    SMALL,
  ]);
  return row?.[0] === true;
}

/** Adds up totals that writers have left in many pieces. */
export async function gatherTotals(database: Database): Promise<void> {
  const scattered = await database.rows(SCATTERED, []);
  for (const [table] of scattered) {
    await database.transaction(async (tx) => {
      await tx.rows(gather(String(table)), []);
    });
  }
}

/** Counts the rows of a table, while its writers wait, and creates the triggers that maintain the totals. */
export async function keepTotals(database: Database, table: string): Promise<string | undefined> {
  try {
    await database.separately!(async (executor) => {
      await executor.rows('begin', []);
      // later statements queue behind this one
      await executor.rows(`set local lock_timeout = '${TABLE_PATIENCE}'`, []);
      for (const statement of lockTotals(table)) await executor.rows(statement, []);
      const query = `select ${KEPT} from pg_class c where c.oid = to_regclass(quote_ident($1))`;
      const [found] = await executor.rows(query, [table]);
      // another process may have been faster
      if (found?.[0] === true) return;
      for (const statement of countFromNowOn(table)) await executor.rows(statement, []);
      await executor.rows('commit', []);
    });
  } catch (error) {
    return `the totals of table ${table} cannot be kept: ${reasonOf(error)}`;
  }
}

/** What migrations and reports ask of the engine. */
export const postgresSchema: SchemaEngine = {
  ddl: postgresDdl,
  search: postgresSearchEngine,
  introspect,
  tableProblems,
  sequences: {
    advance: async (tx) => (await advanceSequences(tx)).map(({ table }) => table),
    isReadOnly: (error) => isReadOnly((error as { cause?: unknown }).cause),
    notes: sequenceNotes,
    clearNotes: clearSequenceNotes,
  },
  foreignKeys,
  lock,
  stopWriters: async (tx, table) => {
    await tx.rows(statementOf(sql`lock table ${id(table)} in share row exclusive mode`), []);
  },
  clearIndexes,
  explain,
  isSmall,
  addIndex,
  keepTotals,
  dropIndex,
  unaskedRows: 20_000_000,
  gatherTotals,
};
