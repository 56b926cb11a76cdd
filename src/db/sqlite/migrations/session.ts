/** The connection of migrations to an SQLite file. */
import { setTimeout as pause } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import {
  late,
  type MigrationSession,
  type NamedRow,
  type SessionAnswer,
  type SessionWords,
} from '../../knex/session.ts';
import { connect } from '../connection.ts';
import { isLocked } from '../failures.ts';

/** Milliseconds between two looks whether another process has finished. */
const LOOK = 50;

const COLUMNS = 'select name from pragma_table_info(?) order by cid';
const OWN = `select type, name from sqlite_schema
  where type in ('index', 'trigger') and name like 'galley\\_%' escape '\\' and tbl_name = coalesce(?, tbl_name)`;
const INDEXES_OF = `select distinct i.name from pragma_index_list(?) i join pragma_index_info(i.name) c
  where i.origin = 'c' and c.name in (select value from json_each(?))`;

const TYPES: Readonly<Record<string, string>> = {
  increments: 'integer not null primary key autoincrement',
  bigIncrements: 'integer not null primary key autoincrement',
  ...{ integer: 'integer', tinyint: 'tinyint', smallint: 'integer', bigInteger: 'bigint', bigint: 'bigint' },
  ...{
    text: 'text',
    float: 'float',
    double: 'float',
    decimal: 'float',
    boolean: 'boolean',
    date: 'date',
    time: 'time',
  },
  ...{
    datetime: 'datetime',
    dateTime: 'datetime',
    timestamp: 'datetime',
    json: 'json',
    jsonb: 'json',
    uuid: 'char(36)',
  },
};

const words: SessionWords = {
  columnType: (type, [length]) => (type === 'string' ? `varchar(${Number(length ?? 255)})` : TYPES[type]!),
  placeholder: () => '?',
  missing: 'null',
  uniqueIsConstraint: false,
};

/** Opens a connection beside those of the server. */
export function openSession(filename: string): MigrationSession {
  const connection = connect(filename, false, 0);
  let end = Number.POSITIVE_INFINITY;
  const prepared = (text: string): Sqlite.Statement<unknown[], unknown> => {
    if (performance.now() > end) throw late();
    return connection.prepare<unknown[], unknown>(text);
  };
  const ask = async (text: string, values: readonly unknown[]): Promise<SessionAnswer> => {
    const statement = prepared(text);
    const given = values.map(stored);
    if (statement.reader) {
      const rows = statement.all(...given) as NamedRow[];
      return { rows, count: rows.length, inserted: rows, native: rows };
    }
    const done = statement.run(...given);
    return { rows: [], count: done.changes, inserted: [Number(done.lastInsertRowid)], native: done };
  };
  const drop = (kind: unknown, name: unknown): void =>
    void connection.exec(`drop ${String(kind)} if exists "${String(name).replaceAll('"', '""')}"`);
  return {
    client: 'better-sqlite3',
    words,
    ask,
    rows: (text, values) => {
      const statement = prepared(text);
      if (statement.reader) return statement.raw().all(...values.map(stored)) as unknown[][];
      statement.run(...values.map(stored));
      return [];
    },
    script: async (text) => void connection.exec(text),
    columns: async (table) => prepared(COLUMNS).pluck().all(table) as string[],
    loosen: async (table, dropped = []) => {
      for (const [kind, name] of prepared(OWN)
        .raw()
        .all(table ?? null) as unknown[][])
        drop(kind, name);
      if (table === undefined || dropped.length === 0) return;
      // https://sqlite.org/lang_altertable.html: a column of an index cannot be dropped
      for (const name of prepared(INDEXES_OF).pluck().all(table, JSON.stringify(dropped))) drop('index', name);
    },
    begin: async (until) => {
      end = until;
      for (;;) {
        try {
          prepared('begin immediate').run();
          return;
        } catch (error) {
          if (!isLocked(error)) throw error;
        }
        await pause(LOOK);
      }
    },
    commit: async () => void prepared('commit').run(),
    rollback: async () => {
      end = Number.POSITIVE_INFINITY;
      if (connection.inTransaction) connection.exec('rollback');
    },
    close: async () => void connection.close(),
  };
}

/** A value as the layout stores it: times as their milliseconds. */
function stored(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.getTime();
  if (value === undefined) return null;
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value) ? JSON.stringify(value) : value;
}
