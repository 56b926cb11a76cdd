/** A snapshot of a MySQL or MariaDB database: a transaction that only reads. Galley stores nothing on these engines. */
import { isUtf8 } from 'node:buffer';
import type { Connection, TypeCastField } from 'mysql2';
import { UsageError } from '../../errors.ts';
import type { ColumnType } from '../../schema/layout/table.ts';
import type { Executor, Row } from '../interface/queryable.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import { assemble, type ExistingForeignKey, type ExistingTable } from '../migration/schema-engine.ts';
import { mysqlRows } from './canonical-rows.ts';

/**
 * Double quotes around names, and times of `timestamp` columns in UTC. A server may be slow to send a page while the rows
 * before it are written elsewhere, so it waits for long.
 */
const SETTINGS = `set session sql_mode = 'ANSI_QUOTES', time_zone = '+00:00', net_write_timeout = 3600, wait_timeout = 28800`;
const ISOLATION = 'set session transaction isolation level repeatable read';
const BEGIN = 'start transaction with consistent snapshot, read only';
/** MySQL otherwise gives numbers of rows and ids that were true some hours ago. */
const CURRENT_NUMBERS = 'set session information_schema_stats_expiry = 0';

const COLUMNS = `
  select c.table_name, c.column_name, c.column_type, if(c.is_nullable = 'YES', 1, null), c.column_default
  from information_schema.columns c join information_schema.tables t
    on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
  where c.table_schema = database() order by c.table_name, c.ordinal_position`;

/** The indexes of all tables. The name of an index is unique within its table alone, so the table's name precedes it. */
const INDEXES = `
  select table_name, concat(table_name, '.', index_name), if(sub_part is null, column_name, null),
    if(non_unique = 0, 1, null), null, null
  from information_schema.statistics
  where table_schema = database() and index_name <> 'PRIMARY' order by table_name, index_name, seq_in_index`;

/** MariaDB stores JSON in columns of text with this check. */
const JSON_CHECKS = `select table_name, check_clause from information_schema.check_constraints
  where constraint_schema = database() and check_clause like 'json_valid(%'`;

const FOREIGN_KEYS = `
  select k.constraint_name, k.column_name, k.referenced_table_name, k.referenced_column_name, r.delete_rule
  from information_schema.key_column_usage k join information_schema.referential_constraints r
    on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name and r.table_name = k.table_name
  where k.table_schema = database() and k.table_name = ? and k.referenced_table_name is not null
  order by k.constraint_name`;

/** The types of columns by their existing types, the first that matches. */
const TYPES: readonly (readonly [existing: RegExp, type: ColumnType])[] = [
  [/^(?:tinyint\(1\)|bool)/, 'boolean'],
  [/^bigint/, 'biginteger'],
  [/^(?:tiny|small|medium)?int/, 'integer'],
  [/^(?:double|float|real)/, 'double'],
  [/^(?:decimal|numeric)/, 'decimal'],
  [/^json/, 'json'],
  [/^(?:var)?char|^enum/, 'string'],
  [/^(?:tiny|medium|long)?text/, 'text'],
  [/^(?:datetime|timestamp)/, 'datetime'],
  [/^date/, 'date'],
  [/^time/, 'time'],
];

/**
 * @param address `mysql://user:password@host:port/name`.
 * @throws UsageError in one line if the server cannot be reached, refuses, or lacks the database.
 */
export async function openSnapshot(address: string): Promise<Snapshot> {
  const { createConnection } = await import('mysql2');
  const connection = createConnection({
    uri: address.replace(/^mariadb:/i, 'mysql:'),
    charset: 'utf8mb4',
    rowsAsArray: true,
    typeCast: textOf,
  });
  const executor: Executor = { rows: (text, values) => run(connection, text, values) };
  let isMariaDb: boolean;
  try {
    const [[version]] = (await executor.rows('select version()', [])) as [[string]];
    isMariaDb = /mariadb/i.test(version);
    for (const text of [SETTINGS, ISOLATION, ...(isMariaDb ? [] : [CURRENT_NUMBERS]), BEGIN])
      await executor.rows(text, []);
  } catch (error) {
    connection.destroy();
    const { message, code } = error as NodeJS.ErrnoException;
    throw new UsageError(`the MySQL database cannot be opened: ${message || code}`, 1);
  }
  return {
    ...executor,
    form: mysqlRows,
    placeholder: () => '?',
    tables: () => introspect(executor, isMariaDb),
    foreignKeys: async (table) => (await executor.rows(FOREIGN_KEYS, [table])).map(foreignKeyOf),
    typeOf: (existing) => TYPES.find(([pattern]) => pattern.test(existing))?.[1],
    isWallClock: (existing) => existing.startsWith('datetime'),
    close: async () => connection.destroy(),
  };
}

/** Values as the server's texts: numbers, times and decimals would otherwise lose digits. Bytes stay bytes. */
function textOf(field: TypeCastField): string | Buffer | null {
  const bytes = field.buffer();
  return bytes !== null && isUtf8(bytes) ? bytes.toString() : bytes;
}

function run(connection: Connection, text: string, values: readonly unknown[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    connection.query(text, [...values], (error, rows) =>
      error ? reject(error) : resolve(Array.isArray(rows) ? (rows as Row[]) : []),
    );
  });
}

async function introspect(executor: Executor, isMariaDb: boolean): Promise<ReadonlyMap<string, ExistingTable>> {
  const checks = isMariaDb ? await executor.rows(JSON_CHECKS, []) : [];
  const isJson = new Set(checks.map(([table, clause]) => `${table} ${/[`"](.+)[`"]/.exec(String(clause))?.[1]}`));
  const columns = (await executor.rows(COLUMNS, [])).map((row) =>
    isJson.has(`${row[0]} ${row[1]}`) ? row.with(2, 'json') : row,
  );
  const tables = assemble(columns, await executor.rows(INDEXES, []), () => false);
  const named = ({ name: table, indexes }: ExistingTable) =>
    indexes.map((index) => ({ ...index, name: index.name.slice(table.length + 1) }));
  return new Map([...tables].map(([name, table]) => [name, { ...table, indexes: named(table) }]));
}

const foreignKeyOf = (row: Row): ExistingForeignKey => {
  const [name, column, table, referenced, onDelete] = row.map(String) as [string, string, string, string, string];
  return { name, column, references: { table, column: referenced }, onDelete };
};
