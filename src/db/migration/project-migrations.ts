/** Runs migrations of a project in transactions, and marks those that were run as the reference does. */
import type { Knex } from 'knex';
import { compileTables, type DdlDialect } from '../../sql/ddl.ts';
import { id, render, sql } from '../../sql/fragment.ts';
import type { Executor } from '../interface/queryable.ts';
import { USER_MIGRATIONS } from './bookkeeping.ts';
import { late } from './knex.ts';

/** What a migration works with: a transaction of Knex, and a whole text of statements. */
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

  /** The names of the migrations that are marked as run. */
  async executed(): Promise<ReadonlySet<string>> {
    const table = USER_MIGRATIONS.name;
    if (!(await this.#session.hasTable(table))) return new Set();
    const { text } = render(sql`select ${id('name')} from ${id(table)}`, String);
    const rows = await this.#session.rows(text, []);
    return new Set(rows.map(([name]) => String(name)));
  }

  /**
   * Runs one in a transaction and marks it in the same one. Where another process has run it meanwhile, it does nothing.
   * The migration is given a savepoint: it may commit that, or roll it back, and nothing is kept but with the mark.
   *
   * @param limit milliseconds that it may take.
   * @throws whatever the work does, or the engine: nothing of it is kept then.
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
      // it is over as a transaction when the migration ends it, which may have more to do
      await working;
      await this.#mark(name);
    });
  }

  /** Marks one as run that is not. @param limit milliseconds that it may take. */
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
  /** Knex on this connection, loaded when it is first asked for. Its transactions are savepoints in that of `begin`. */
  knex(): Promise<Knex>;
  /** Runs a text of any number of statements. */
  script(text: string): Promise<void>;
  hasTable(name: string): Promise<boolean>;
  /**
   * Begins a transaction once no other process migrates.
   *
   * @param limit milliseconds that it may take, and as many to wait for the other.
   * @throws Error where the other takes longer.
   */
  begin(limit: number): Promise<void>;
  /** @throws Error where what was done must not be kept. */
  commit(): Promise<void>;
  /** Never fails. */
  rollback(): Promise<void>;
  close(): Promise<void>;
}
