/** Behind PgBouncer in transaction mode, where each transaction may have another connection to the server. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../../src/db/interface/database.ts';
import { addIndex } from '../../../src/db/postgres/live-indexes.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { NO_POOLER, POOLER_CONNECTIONS, type Pooler, startPooler } from '../../support/databases/pooler.ts';
import { contentType, makeProject, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const LATE = { name: 'ServiceUnavailableError', message: 'The database took too long to answer' };
/** More than the pooler has. */
const CLIENTS = POOLER_CONNECTIONS * 2;
/** Uses of a statement: enough that it would be prepared, and asked for again on another connection. */
const USES = 20;

const engine = engines.find(({ name }) => name === 'postgres')!;

describe('behind a pooler on postgres', { skip: NO_POOLER ?? false }, () => {
  let storage: TestDatabase;
  let pooler: Pooler;
  /** Straight to the server, to look at it. */
  let observer: Database;
  const opened: Database[] = [];
  const open = async (settings: Parameters<typeof openPlain>[1] = {}): Promise<Database> => {
    const { database } = await openPlain(pooler, { poolMax: CLIENTS, ...settings });
    opened.push(database);
    return database;
  };
  /** What each connection of the pooler's says to a question, asked of all of them at once. */
  const onEach = async (database: Database, select: string) => {
    const text = `select pg_backend_pid(), (${select})::text from pg_sleep(0.1)`;
    const answers = new Map<unknown, unknown>();
    await until('each has answered', async () => {
      const rows = await Promise.all(Array.from({ length: POOLER_CONNECTIONS }, () => database.rows(text, [])));
      for (const [row] of rows) answers.set(row![0], row![1]);
      return answers.size === POOLER_CONNECTIONS;
    });
    return [...answers.values()];
  };

  before(async () => {
    storage = await engine.emptyDatabase();
    observer = (await openPlain(storage)).database;
    await observer.transaction(async (tx) => tx.rows('create table mark (name text, size int)', []));
    // a server that is not set to what is needed
    const [name] = (await observer.rows('select quote_ident(current_database())', []))[0]!;
    const forms = ["timezone = 'Asia/Tokyo'", "datestyle = 'SQL, DMY'"];
    await observer.transaction(async (tx) => {
      for (const form of forms) await tx.rows(`alter database ${name} set ${form}`, []);
    });
    pooler = await startPooler(storage);
  });
  after(async () => {
    for (const database of opened) await database.close();
    pooler?.stop();
    await observer?.close();
    await storage?.drop();
  });

  /** Has every connection of the pooler's taken by a transaction; gives what has each of them ended, and taken again. */
  const holdAll = async () => {
    const holder = await open({ poolMax: 12 });
    const hold = () =>
      new Promise<{ readonly pid: unknown; end(): Promise<void> }>((resolve, reject) => {
        const { promise, resolve: release } = Promise.withResolvers<void>();
        const done = holder.transaction(async (tx) => {
          const [row] = await tx.rows('select pg_backend_pid()', []);
          const end = () => {
            release();
            return done;
          };
          resolve({ pid: row![0], end });
          await promise;
        });
        done.catch(reject);
      });
    const held = new Map<unknown, () => Promise<void>>();
    for (let n = 0; n < POOLER_CONNECTIONS; n++) {
      const { pid, end } = await hold();
      held.set(pid, end);
    }
    const [here, there] = held.keys();
    /** Does something while this is the only connection to be had. */
    const over = async <T>(pid: unknown, work: () => Promise<T>): Promise<T> => {
      await held.get(pid)!();
      const result = await work();
      const again = await hold();
      strictEqual(again.pid, pid);
      held.set(pid, again.end);
      return result;
    };
    const end = async () => void (await Promise.all([...held.values()].map((release) => release())));
    return { here, there, over, end };
  };

  it('never takes a statement of one process for one of another', async () => {
    const [one, other] = [await open({ poolMax: 1 }), await open({ poolMax: 1 })];
    const ask = async (database: Database, name: string) => {
      for (let n = 0; n < USES; n++) {
        deepStrictEqual(await database.rows(`select '${name}', $1::bigint`, [n]), [[name, n]]);
      }
    };
    const { here, there, over, end } = await holdAll();
    try {
      await over(here, () => ask(one, 'one'));
      await over(there, () => ask(other, 'other'));
      await over(here, () => ask(other, 'other'));
      await over(there, () => ask(one, 'one'));
    } finally {
      await end();
    }
  });

  it('does not begin a transaction again for each statement that the next connection does not know', async () => {
    const database = await open({ poolMax: 1 });
    const texts = Array.from({ length: USES }, (_, n) => `select ${n}, $1::bigint`);
    const askAll = (times: number) =>
      database.transaction(async (tx) => {
        for (const text of texts) for (let n = 0; n < times; n++) await tx.rows(text, [n]);
      });
    const { here, there, over, end } = await holdAll();
    try {
      await over(here, () => askAll(USES));
      await over(there, () => askAll(1));
    } finally {
      await end();
    }
  });

  it('writes in transactions, whose statements are used often', async () => {
    const database = await open();
    const write = (n: number) =>
      database.transaction(async (tx) => {
        await tx.rows('insert into mark values ($1::text, $2::int)', ['written', n]);
        const [row] = await tx.rows('select size from mark where name = $1::text and size = $2::int', ['written', n]);
        return row![0];
      });
    const numbers = Array.from({ length: USES * 3 }, (_, n) => n);
    deepStrictEqual(await Promise.all(numbers.map(write)), numbers);
    deepStrictEqual(await observer.rows(`select count(*) from mark where name = 'written'`, []), [[numbers.length]]);
  });

  it('cancels a read whose time is over, and no other', async () => {
    const hasty = await open({ readTimeout: 500 });
    const patient = await open();
    const sleeping = Promise.all(
      Array.from({ length: POOLER_CONNECTIONS - 1 }, () => patient.rows('select 1 from pg_sleep(1.5)', [])),
    );
    await rejects(async () => hasty.rows('select pg_sleep(60)', []), LATE);
    deepStrictEqual(await sleeping, [[[1]], [[1]]]);
    const text = `select count(*) from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`;
    deepStrictEqual(await observer.rows(text, []), [[0]]);
    deepStrictEqual(await hasty.rows('select 2', []), [[2]]);
  });

  it('builds indexes and leaves no setting of its own behind', async () => {
    const database = await open();
    const settings = `current_setting('statement_timeout') || current_setting('lock_timeout')`;
    const before = await onEach(database, settings);
    const indexes = [
      { name: 'mark_size_idx', columns: ['size'], unique: false },
      { name: 'mark_all_uq', columns: ['name', 'size'], unique: true },
    ];
    const missing = indexes.map((index) => ({ table: 'mark', index }));
    for (const one of missing) deepStrictEqual(await addIndex(database, one), undefined);
    deepStrictEqual(await onEach(database, settings), before);
    const text = `select indexname from pg_indexes where tablename = 'mark' order by 1`;
    deepStrictEqual(await observer.rows(text, []), [['mark_all_uq'], ['mark_size_idx']]);
  });

  it('reads and writes values in the required formats, with any settings of the server', async () => {
    const database = await open();
    const forms = `current_setting('TimeZone') || ' ' || current_setting('DateStyle')`;
    for (const answer of await onEach(database, forms)) match(String(answer), /^UTC ISO/);
  });

  it('does not start with a schema that the pooler keeps from the server', async () => {
    await rejects(open({ schema: 'elsewhere' }), /not in the schema elsewhere/);
  });

  it('serves a project, and notices changes of another process within the interval', async () => {
    const attributes = { name: { type: 'string' } };
    const project = await makeProject({ contentTypes: { thing: contentType('thing', attributes) } });
    const source = { env: pooler.env, drop: () => Promise.resolve() };
    const env = { GALLEY_RECHECK_INTERVAL: '100' };
    const servers = [await serve(project, source, env), await serve(project, source, env)];
    try {
      const [one, other] = servers.map(({ url }) => `${url}/api/things`) as [string, string];
      strictEqual((await fetch(other)).status, 403);
      await grantToPublic(observer, ['api::thing.thing.find', 'api::thing.thing.create']);
      for (const url of [one, other]) await until('all may read', async () => (await fetch(url)).status === 200);
      const headers = { 'content-type': 'application/json' };
      const names = Array.from({ length: USES }, (_, n) => `thing ${n}`);
      const created = await Promise.all(
        names.map((name) => fetch(one, { method: 'POST', headers, body: JSON.stringify({ data: { name } }) })),
      );
      ok(created.every((answer) => answer.ok));
      const lists = await Promise.all(names.map(async () => (await fetch(`${other}?sort=id`)).json()));
      for (const list of lists) {
        const found = (list as { data: { name: string }[] }).data.map(({ name }) => name);
        deepStrictEqual(found.sort(), names.toSorted());
      }
    } finally {
      for (const server of servers) await server.stop();
    }
  });
});

/** Lets everybody do something, as another program would. */
async function grantToPublic(database: Database, actions: readonly string[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const action of actions) {
      await tx.rows(
        `with made as (insert into up_permissions (document_id, action) values ($1::text, $1::text) returning id)
        insert into up_permissions_role_lnk (permission_id, role_id)
        select made.id, up_roles.id from made, up_roles where up_roles.type = 'public'`,
        [action],
      );
    }
  });
}
