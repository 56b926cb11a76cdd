/** A PostgreSQL server that takes too long or falls silent: 503 within seconds, and a connection that works after it. */
import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Database } from '../../../src/db/interface/database.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { startProxy, type TcpProxy } from '../../support/databases/tcp-proxy.ts';
import { startProgram } from '../../support/servers/program.ts';
import { contentType, makeProject, type ProjectFolder, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const LIMIT = 300;
const LATE = { name: 'ServiceUnavailableError', message: 'The database took too long to answer' };
const LOST = { name: 'ServiceUnavailableError', message: 'The database cannot be reached' };
const UNCONFIRMED = {
  name: 'ServiceUnavailableError',
  message: 'The database did not confirm the change; it may or may not have been saved',
};

/** Turns of the event loop in which what has arrived is told. */
const TURNS = 20;

/** SQLSTATE of a division by zero. */
const DIVISION_BY_ZERO = { code: '22012' };

const engine = engines.find(({ name }) => name === 'postgres')!;

describe('a silent database on postgres', { concurrency: 4 }, () => {
  let storage: TestDatabase;
  /** Straight to the server, to look at it. */
  let observer: Database;
  const opened: Database[] = [];
  const proxies: TcpProxy[] = [];

  const open = async (env: Readonly<Record<string, string>>, settings: Parameters<typeof openPlain>[1] = {}) => {
    const { database } = await openPlain({ env }, { readTimeout: LIMIT, poolMax: 1, ...settings });
    opened.push(database);
    return database;
  };
  const openThroughProxy = async (settings: Parameters<typeof openPlain>[1] = {}) => {
    const proxy = await startProxy(storage);
    proxies.push(proxy);
    return { proxy, database: await open(proxy.env, settings) };
  };
  const pidOf = async (database: Database): Promise<number> =>
    Number((await database.rows('select pg_backend_pid()', []))[0]![0]);
  /** Uses `count` connections at once, so that the pool has as many idle ones afterwards. */
  const fill = async (database: Database, count: number) => {
    await Promise.all(Array.from({ length: count }, () => database.rows('select pg_sleep(0.1)', [])));
    strictEqual(database.load!()['connections_idle'], count);
  };

  before(async () => {
    storage = await engine.emptyDatabase();
    observer = (await openPlain(storage)).database;
    await observer.transaction((tx) => Promise.resolve(tx.rows('create table mark (name text)', [])));
  });
  after(async () => {
    for (const proxy of proxies) proxy.stop();
    for (const database of [...opened, observer]) await database?.close();
    await storage?.drop();
  });

  it('cancels a read whose time is over, and keeps its connection', async () => {
    const database = await open(storage.env);
    const pid = await pidOf(database);
    await rejects(async () => database.rows('select pg_sleep(60)', []), LATE);
    strictEqual(await pidOf(database), pid);
    const [row] = await observer.rows('select query from pg_stat_activity where pid = $1::int', [pid]);
    ok(!String(row![0]).includes('pg_sleep'));
  });

  it('lets reads take any time without a limit', async () => {
    const database = await open(storage.env, { readTimeout: 0 });
    await database.rows(`select pg_sleep(${(LIMIT * 2) / 1000})`, []);
  });

  it('lets a statement of a transaction take longer than a read', async () => {
    const database = await open(storage.env);
    await database.transaction(async (tx) => tx.rows(`select pg_sleep(${(LIMIT * 2) / 1000})`, []));
  });

  it('answers 503 over HTTP when a read takes too long', async () => {
    const folder = await makeProject({ contentTypes: { note: contentType('note', { title: { type: 'string' } }) } });
    const server = await serve(folder, await engine.databaseFor(folder), { GALLEY_READ_TIMEOUT: '200' });
    try {
      await server.app.database.transaction(async (tx) => {
        await tx.rows('lock table up_roles in access exclusive mode', []);
        const { status, body } = await server.get('/api/notes');
        deepStrictEqual([status, body.error.message], [503, LATE.message]);
      });
      strictEqual((await server.get('/api/notes')).status, 403);
    } finally {
      await server.stop();
    }
  });

  it('has lines in the log for its cause, which count the requests that failed, and one when it is over', async () => {
    let proxy: TcpProxy;
    const behindProxy = async (folder: ProjectFolder) => {
      const database = await engine.databaseFor(folder);
      proxy = await startProxy(database);
      proxies.push(proxy);
      return { ...database, env: proxy.env };
    };
    const env = { GALLEY_READ_TIMEOUT: String(LIMIT) };
    const program = await startProgram({ ...engine, databaseFor: behindProxy }, { env });
    try {
      const headers = { authorization: `Bearer ${program.secrets['full']}` };
      const read = async (start: number) => {
        const answer = await fetch(`${program.url}/api/articles?pagination[start]=${start}`, { headers });
        return [answer.status, ((await answer.json()) as { error?: { message: string } }).error?.message];
      };
      deepStrictEqual(await read(0), [200, undefined]);
      let failures = 0;
      await until('a read is answered too late', async () => {
        // what is asked beside the requests may have found the silence first, and others may have connected since
        proxy.silenceOpen();
        const [status, message] = await read(1);
        if (status === 503) failures++;
        return message === LATE.message;
      });
      deepStrictEqual(await read(1), [200, undefined]);
      await until('the end is told', () => program.errors().includes('outage over'));
      const lines = await program.log();
      const first = lines.find(({ err }) => err?.['message'] === 'the server does not react');
      deepStrictEqual([first?.['level'], first?.['status'], first?.['path']], ['error', 503, '/api/articles']);
      const told = lines.filter(({ msg }) => msg === 'outage').map(({ more }) => 1 + Number(more ?? 0));
      strictEqual(
        told.reduce((sum, count) => sum + count, 0),
        failures,
      );
    } finally {
      await program.remove();
    }
  });

  for (const [what, ask] of [
    ['a read', (database: Database) => Promise.resolve(database.rows('select 1', []))],
    ['the beginning of a transaction', (database: Database) => database.transaction(async () => {})],
  ] as const) {
    it(`gives up ${what} on a stopped backend, and replaces the connection`, async () => {
      const database = await open(storage.env);
      const pid = await pidOf(database);
      process.kill(pid, 'SIGSTOP');
      try {
        await rejects(ask(database), LATE);
        notStrictEqual(await pidOf(database), pid);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    });
  }

  it('gives up a transaction whose backend keeps no limit of its own', async () => {
    const database = await open(storage.env, { statementTimeout: LIMIT });
    let stopped = 0;
    try {
      await rejects(
        database.transaction(async (tx) => {
          const [row] = await tx.rows('select pg_backend_pid()', []);
          stopped = Number(row![0]);
          process.kill(stopped, 'SIGSTOP');
          await tx.rows('select 1', []);
        }),
        LATE,
      );
      notStrictEqual(await pidOf(database), stopped);
    } finally {
      process.kill(stopped, 'SIGCONT');
    }
  });

  it('loses one read to connections that have died silently, however many there are', async () => {
    const { proxy, database } = await openThroughProxy({ poolMax: 3 });
    await fill(database, 3);
    proxy.silenceOpen();
    await rejects(async () => database.rows('select 1', []), LATE);
    for (let n = 0; n < 3; n++) deepStrictEqual(await database.rows('select 1', []), [[1]]);
  });

  it('gives up on a host that does not answer, and is back when it does', async () => {
    const { proxy, database } = await openThroughProxy();
    proxy.silence();
    await rejects(async () => database.rows('select 1', []), LATE);
    await rejects(async () => database.rows('select 1', []), LOST);
    proxy.speak();
    deepStrictEqual(await database.rows('select 1', []), [[1]]);
  });

  it('gives up a write within seconds if the host is unreachable, though it might take longer', async () => {
    const { proxy, database } = await openThroughProxy();
    await rejects(
      database.transaction(async (tx) => {
        await tx.rows('select 1', []);
        proxy.silence();
        await tx.rows('select 1', []);
      }),
      LOST,
    );
    proxy.speak();
    deepStrictEqual(await database.rows('select 1', []), [[1]]);
  });

  it('does not count a commit without an answer as successful', async () => {
    const { proxy, database } = await openThroughProxy({ statementTimeout: 500 });
    const write = database.transaction(async (tx) => {
      await tx.rows(`insert into mark values ('unconfirmed')`, []);
      proxy.silenceAfter('commit');
    });
    await rejects(write, UNCONFIRMED);
    await until('the server has committed', async () => {
      const [row] = await observer.rows(`select count(*) from mark where name = 'unconfirmed'`, []);
      return row![0] === 1;
    });
  });

  it('distinguishes a transaction that is lost before its commit from one whose commit is unknown', async () => {
    const { proxy, database } = await openThroughProxy();
    const write = database.transaction(async (tx) => {
      await tx.rows(`insert into mark values ('lost')`, []);
      proxy.stop();
      await until('the connection is gone', () => proxy.connections === 0);
      // it has ended: the next turns of the event loop tell this end
      for (let turn = 0; turn < TURNS; turn++) await immediate();
    });
    await rejects(write, LOST);
  });

  it('performs no write of a transaction whose work continues after a failed statement', async () => {
    const database = await open(storage.env);
    const write = database.transaction(async (tx) => {
      await tx.rows(`insert into mark values ('swallowed')`, []);
      await Promise.resolve(tx.rows('select 1 / 0', [])).catch(() => {});
    });
    await rejects(write, DIVISION_BY_ZERO);
    deepStrictEqual(await observer.rows(`select * from mark where name = 'swallowed'`, []), []);
  });

  it('refuses statements of a transaction that has ended', async () => {
    const database = await open(storage.env);
    const tx = await database.transaction(async (own) => own);
    await rejects(async () => tx.rows('select 1', []), /has ended/);
  });
});
