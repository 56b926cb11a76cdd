/** Runs the migrations of a project in transactions, and records them as the reference does. */
import type { Knex } from 'knex';
import { compileTables, type DdlDialect } from '../../sql/ddl.ts';
import { id, render, sql } from '../../sql/fragment.ts';
import type { Executor } from '../interface/queryable.ts';
import { USER_MIGRATIONS } from './bookkeeping.ts';
import { late } from './knex.ts';

/** The tools of a migration: a transaction of Knex, and a function that runs a text of several statements. */
export interface MigrationTools {
  readonly knex: Knex.Transaction;
  script(text: string): Promise<void>;
}

export class MigrationRuns {
  readonly #session: MigrationSession;
  readonly #ddl: DdlDialect;

  constructor(session: MigrationSession, ddl: DdlDialect) {
    this.#session = session;
    this.#ddl = ddl;
  }

  /** The names of the recorded migrations. */
  async executed(): Promise<ReadonlySet<string>> {
    const table = USER_MIGRATIONS.name;
    if (!(await this.#session.hasTable(table))) return new Set();
    const { text } = render(sql`select ${id('name')} from ${id(table)}`, String);
    const rows = await this.#session.rows(text, []);
    return new Set(rows.map(([name]) => String(name)));
  }

  /**
   * Runs a migration and records it in one transaction. If another process has run it meanwhile, it does nothing. The
   * migration gets a savepoint, which it may commit or roll back; nothing is kept without the record.
   *
   * @param limit milliseconds that it may take.
   * @throws any error of the work or the engine; everything is rolled back then.
   */
  async run(name: string, limit: number, work: (tools: MigrationTools) => Promise<unknown>): Promise<void> {
    const session = this.#session;
    await this.#inTransaction(limit, async () => {
      if ((await this.executed()).has(name)) return;
      const knex = await session.knex();
      let working: Promise<unknown> | undefined;
      await knex.transaction((trx) => {
        working = work({ knex: trx, script: (text) => session.script(text) });
        return working;
      });
      // the migration may end the savepoint and have more to do
      await working;
      await this.#mark(name);
    });
  }

  /**
   * Records a migration as run, unless it is recorded.
   *
   * @param limit milliseconds that it may take.
   */
  async mark(name: string, limit: number): Promise<void> {
    await this.#inTransaction(limit, async () => {
      if (!(await this.executed()).has(name)) await this.#mark(name);
    });
  }

  async #mark(name: string): Promise<void> {
    const { name: table } = USER_MIGRATIONS;
    if (!(await this.#session.hasTable(table))) {
      for (const statement of compileTables([USER_MIGRATIONS], this.#ddl)) await this.#session.rows(statement, []);
    }
    const knex = await this.#session.knex();
    await knex(table).insert({ name, time: this.#ddl.datetime(Date.now()) });
  }

  async #inTransaction(limit: number, work: () => Promise<void>): Promise<void> {
    const session = this.#session;
    let timer: NodeJS.Timeout | undefined;
    try {
      await session.begin(limit);
      const isLate = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(late()), limit);
      });
      await Promise.race([work(), isLate]);
      await session.commit();
    } catch (error) {
      await session.rollback();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

export interface MigrationSession extends Executor {
  /** Knex on this connection, loaded at the first call. Its transactions are savepoints in that of `begin`. */
  knex(): Promise<Knex>;
  /** Runs a text of any number of statements. */
  script(text: string): Promise<void>;
  hasTable(name: string): Promise<boolean>;
  /**
   * Begins a transaction once no other process migrates.
   *
   * @param limit milliseconds that it may take, and as many that it may wait for the other process.
   * @throws Error if the other process takes longer.
   */
  begin(limit: number): Promise<void>;
  /** @throws Error if the changes must not be kept. */
  commit(): Promise<void>;
  /** Never fails. */
  rollback(): Promise<void>;
  close(): Promise<void>;
}
