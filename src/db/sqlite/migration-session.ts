/** The connection on which migrations of a project run on an SQLite file. */
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { CHANGES_TABLES, type KnexClientClass, knexOn, Term } from '../migration/knex.ts';
import type { MigrationSession } from '../migration/project-migrations.ts';
import { connect } from './connection.ts';
import { isLocked } from './failures.ts';
import { ForeignKeys } from './migration-foreign-keys.ts';

/** Milliseconds between two attempts to begin while another process writes. */
const LOOK = 50;

const TABLE = `select 1 from sqlite_schema where type = 'table' and name = ?`;
const OWN = `select type, name from sqlite_schema
  where type in ('index', 'trigger') and name like 'galley\\_%' escape '\\'`;

/** Opens a connection beside those of the server. */
export function openSession(filename: string): MigrationSession {
  const connection = connect(filename, false, 0);
  const keys = new ForeignKeys(connection);
  const ids = new GivenIds(connection);
  const term = new Term();
  let knex: Promise<Knex> | undefined;
  const prepared = (text: string) => connection.prepare<unknown[], unknown>(text);
  /**
   * Drops Galley's own indexes and triggers, which prevent changes of tables; the next migration to the layout creates
   * them again.
   */
  const loosen = (): void => {
    for (const [kind, name] of prepared(OWN).raw().all() as string[][]) {
      connection.exec(`drop ${kind} if exists "${name!.replaceAll('"', '""')}"`);
    }
  };
  const run = async <T>(text: string, ask: () => Promise<T>): Promise<T> => {
    term.admit(text);
    if (CHANGES_TABLES.test(text)) loosen();
    return keys.during(text, ask);
  };
  return {
    knex: () => {
      knex ??= knexOn({ name: 'better-sqlite3', Client: clientOf(term, loosen), connection, run });
      return knex;
    },
    rows: (text, values) => {
      const statement = prepared(text);
      if (statement.reader) return statement.raw().all(...values) as unknown[][];
      statement.run(...values);
      return [];
    },
    script: (text) => run(text, async () => void connection.exec(text)),
    hasTable: async (name) => prepared(TABLE).get(name) !== undefined,
    begin: async (limit) => {
      const end = performance.now() + limit;
      while (!tried(() => connection.exec('begin immediate'))) {
        if (performance.now() > end) throw new Error('another process writes to the database');
        await pause(LOOK);
      }
      term.begin(limit);
      keys.begin();
      ids.begin();
    },
    commit: async () => {
      term.end();
      keys.end();
      ids.end();
      connection.exec('commit');
    },
    rollback: async () => {
      term.end();
      if (connection.inTransaction) connection.exec('rollback');
    },
    close: async () => void connection.close(),
  };
}

/** Knex's client. To change a column it reads the indexes of the table, which it creates again. */
function clientOf(term: Term, loosen: () => void): KnexClientClass {
  const Client: KnexClientClass = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3/index.js');
  return class extends Client {
    override ddl(...args: unknown[]): object {
      term.admit('');
      loosen();
      return super.ddl(...args);
    }
  };
}

/** Whether some work succeeds that another process may prevent. */
function tried(work: () => Sqlite.Database): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!isLocked(error)) throw error;
    return false;
  }
}

const KEPT = `select 1 from sqlite_schema where name = 'sqlite_sequence'`;
const ALL = 'select name, seq from sqlite_sequence';
const RAISE = 'update sqlite_sequence set seq = max(seq, :seq) where name = :name';
const ADD = `insert into sqlite_sequence (name, seq) select name, :seq from sqlite_schema
  where type = 'table' and name = :name and name not in (select name from sqlite_sequence)`;

class GivenIds {
  readonly #connection: Sqlite.Database;
  #known: readonly unknown[] = [];

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  /** Called when a transaction has begun. */
  begin(): void {
    this.#known = this.#connection.prepare(KEPT).get() ? this.#connection.prepare(ALL).all() : [];
  }

  /** Called before the commit. */
  end(): void {
    for (const last of this.#known) {
      this.#connection.prepare(RAISE).run(last);
      this.#connection.prepare(ADD).run(last);
    }
  }
}
