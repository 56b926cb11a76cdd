/** Runs migrations of a project in transactions, and marks those that were run as the reference does. */
import { compileTables, type DdlDialect } from '../../sql/ddl.ts';
import { id, sql } from '../../sql/fragment.ts';
import { USER_MIGRATIONS } from '../bookkeeping.ts';
import { knexOn } from './knex.ts';
import { ask, type Guard } from './query.ts';
import { late, type MigrationSession } from './session.ts';

/** Works on what a migration may change: its `knex`, and a whole text of statements. */
export interface MigrationTools {
  readonly knex: object;
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
    if ((await this.#session.columns(table)).length === 0) return new Set();
    const { rows } = await ask(this.#session, () => sql`select ${id('name')} from ${id(table)}`);
    return new Set(rows.map(({ name }) => String(name)));
  }

  /**
   * Runs one in a transaction and marks it in the same one. Where another process has run it meanwhile, it does nothing.
   *
   * @param limit milliseconds that it may take.
   * @throws whatever the work does, or the engine: nothing of it is kept then.
   */
  async run(name: string, limit: number, guard: Guard, work: (tools: MigrationTools) => Promise<unknown>) {
    const session = this.#session;
    await this.#inTransaction(limit, async () => {
      if ((await this.executed()).has(name)) return;
      const script = async (text: string): Promise<void> => {
        await session.loosen();
        await session.script(text);
      };
      await work({ knex: knexOn(session, guard), script });
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
    const session = this.#session;
    const { name: table } = USER_MIGRATIONS;
    if ((await session.columns(table)).length === 0) {
      for (const statement of compileTables([USER_MIGRATIONS], this.#ddl)) await session.ask(statement, []);
    }
    const time = this.#ddl.datetime(Date.now());
    await ask(
      session,
      (bind) => sql`insert into ${id(table)} (${id('name')}, ${id('time')}) values (${bind(name)}, ${bind(time)})`,
    );
  }

  async #inTransaction(limit: number, work: () => Promise<void>): Promise<void> {
    const session = this.#session;
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(late()), limit);
    });
    try {
      await session.begin(performance.now() + limit);
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
