/** A database that fails, or takes too long: requests get 503, and the server survives. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../src/db/interface/database.ts';
import { translated } from '../../../src/db/postgres/failures.ts';
import { postgresSchema } from '../../../src/db/postgres/schema-engine.ts';
import { ContentError } from '../../../src/errors.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { contentType, makeProject, serve } from '../../support/servers/project.ts';

/** What the server says, and what becomes of it. */
const FAILURES = [
  ['53100', 'InsufficientStorageError', 507],
  ['53200', 'ServiceUnavailableError', 503],
  ['53300', 'ServiceUnavailableError', 503],
  ['53400', 'ServiceUnavailableError', 503],
  ['57P01', 'ServiceUnavailableError', 503],
  ['57P03', 'ServiceUnavailableError', 503],
  ['57P04', 'ServiceUnavailableError', 503],
  ['57014', 'ServiceUnavailableError', 503],
  ['55P03', 'ServiceUnavailableError', 503],
  ['25006', 'ServiceUnavailableError', 503],
  ['08006', 'ServiceUnavailableError', 503],
  ['58030', 'ServiceUnavailableError', 503],
  ['58P01', 'ServiceUnavailableError', 503],
] as const;

const FITS_NOT = /^The database refuses this value: it does not fit into its column\. If the column differs/;
const NOT_ALLOWED = /^The database refuses this value: a constraint or trigger of the database[^"]*$/;
const DIFFERS = /^The database refuses this request, since its tables differ from the schema/;
/** What the server says of statements that are right by the schema, and what a client is told. */
const REFUSALS = [
  ['22001', FITS_NOT],
  ['22003', FITS_NOT],
  ['22P02', FITS_NOT],
  ['23502', FITS_NOT],
  ['23505', NOT_ALLOWED],
  ['23514', NOT_ALLOWED],
  ['23P01', NOT_ALLOWED],
  ['44000', NOT_ALLOWED],
  ['P0001', NOT_ALLOWED],
  ['38000', NOT_ALLOWED],
  ['42P01', DIFFERS],
  ['42703', DIFFERS],
  ['42804', DIFFERS],
  ['42883', DIFFERS],
] as const;

const UNAVAILABLE = { name: 'ServiceUnavailableError', status: 503 };
const TIMEOUT = 300;

for (const engine of engines) {
  describe(`a failing database on ${engine.name}`, () => {
    let storage: TestDatabase;
    let database: Database;
    before(async () => {
      storage = await engine.emptyDatabase();
      database = (await openPlain(storage, { statementTimeout: TIMEOUT })).database;
    });
    after(async () => {
      await database?.close();
      await storage?.drop();
    });

    if (engine.name === 'sqlite') {
      it('refuses a value longer than the engine holds', () => {
        const read = async () => database.rows(`select hex(zeroblob(600000000))`, []);
        return rejects(read, { name: 'ValidationError', status: 400 });
      });
      return;
    }

    for (const busy of [false, true]) {
      it(`survives a connection lost in a transaction, ${busy ? 'in' : 'between'} statements`, async () => {
        const lost = database.transaction(async (tx) => {
          const [row] = await tx.rows('select pg_backend_pid()', []);
          const end = async () => database.rows('select pg_terminate_backend($1::int)', [row![0] as number]);
          if (busy) await Promise.all([tx.rows('select pg_sleep(0.2)', []), end()]);
          await end();
          await sleep(100);
          await tx.rows('select 1', []);
        });
        await rejects(lost, UNAVAILABLE);
        deepStrictEqual(await database.rows('select 1', []), [[1]]);
      });
    }

    it('ends a statement that takes too long', async () => {
      await rejects(async () => database.rows('select pg_sleep(5)', []), UNAVAILABLE);
      await rejects(
        database.transaction(async (tx) => tx.rows('select pg_sleep(5)', [])),
        UNAVAILABLE,
      );
    });

    it('answers 503 over HTTP, and serves again', async () => {
      const folder = await makeProject({ contentTypes: { note: contentType('note', { title: { type: 'string' } }) } });
      const own = await engine.emptyDatabase();
      const server = await serve(folder, own, { GALLEY_STATEMENT_TIMEOUT: '200' });
      try {
        await server.app.database.transaction(async (tx) => {
          await tx.rows('lock table up_roles in access exclusive mode', []);
          const { status, body } = await server.get('/api/notes');
          deepStrictEqual([status, body.error.name], [503, 'ServiceUnavailableError']);
        });
        strictEqual((await server.get('/api/notes')).status, 403);
      } finally {
        await server.stop();
      }
    });

    it('lets changes of tables take their time', async () => {
      await database.transaction(async (tx) => {
        await postgresSchema.lock(tx);
        await tx.rows('select pg_sleep(0.5)', []);
      });
    });

    it('gives up a transaction that is overtaken again and again', async () => {
      let attempts = 0;
      const work = database.transaction(async (tx) => {
        attempts++;
        await tx.rows(`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`, []);
      });
      await rejects(work, UNAVAILABLE);
      strictEqual(attempts, 10);
    });

    it('reports a missing connection', () => {
      const told = translated(new Error('timeout exceeded when trying to connect'));
      ok(told instanceof ContentError);
      strictEqual(told.status, 503);
    });

    /** The texts prepared on a connection after its transaction has run texts so many times. */
    const preparedAfter = (uses: readonly (readonly [string, number])[]): Promise<Set<unknown>> =>
      database.transaction(async (tx) => {
        for (const [text, times] of uses) for (let n = 0; n < times; n++) await tx.rows(text, []);
        const rows = await tx.rows('select statement from pg_prepared_statements', []);
        return new Set(rows.map(([text]) => text));
      });

    it('keeps the statements prepared that are used often, and no more than its cap', async () => {
      const often = Array.from({ length: 120 }, (_, n) => [`select ${n}`, 6] as const);
      const long = `select '${'long'.repeat(5000)}'`;
      const texts = await preparedAfter([...often, [`select 'rare'`, 4], [long, 6]]);
      strictEqual(texts.size, 100);
      ok(texts.has('select 119') && !texts.has('select 0') && !texts.has(`select 'rare'`) && !texts.has(long));
    });

    it('bounds the texts that are prepared by their length as well, and drops those not used for longest', async () => {
      const texts = Array.from({ length: 30 }, (_, n) => `select ${n}, '${'x'.repeat(10_000)}'`);
      const prepared = await preparedAfter(texts.map((text) => [text, 6]));
      const length = [...prepared].reduce<number>((sum, text) => sum + String(text).length, 0);
      ok(length <= 128 * 1024 && length > 100 * 1024, String(length));
      ok(prepared.has(texts[29]!) && !prepared.has(texts[0]!));
    });

    it('does not prepare a text again at each use that others drove out', async () => {
      const texts = Array.from({ length: 150 }, (_, n) => `select 'round ${n}'`);
      const before = await preparedAfter(texts.map((text) => [text, 6]));
      const round = await preparedAfter(texts.map((text) => [text, 1]));
      deepStrictEqual(round, before);
    });

    it('continues when the columns of a prepared statement have changed', async () => {
      await database.transaction(async (tx) => tx.rows('create table changing (value int)', []));
      const read = async () => database.rows('select * from changing', []);
      for (let n = 0; n < 10; n++) await read();
      const changed = { text: 'alter table changing add other int' };
      await database.transaction(async (tx) => tx.rows(changed.text, []));
      deepStrictEqual(await read(), []);
      await database.transaction(async (tx) => tx.rows('alter table changing add third int', []));
      deepStrictEqual(await database.transaction(async (tx) => tx.rows('select * from changing', [])), []);
    });

    for (const [code, name, status] of FAILURES) {
      it(`reports ${code} as ${status}, with its cause in the log`, async () => {
        const fail = `do $$ begin raise exception 'detail' using errcode = '${code}'; end $$`;
        const failure = await database.transaction(async (tx) => tx.rows(fail, [])).catch((error: unknown) => error);
        ok(failure instanceof ContentError);
        deepStrictEqual([failure.name, failure.status], [name, status]);
        ok(!failure.message.includes('detail'));
        strictEqual((failure.cause as { code?: string }).code, code);
      });
    }

    for (const [code, message] of REFUSALS) {
      it(`reports ${code} as 400, which blames the tables only if they differ`, async () => {
        const fail = `do $$ begin raise exception 'detail' using errcode = '${code}'; end $$`;
        const failure = await database.transaction(async (tx) => tx.rows(fail, [])).catch((error: unknown) => error);
        ok(failure instanceof ContentError);
        deepStrictEqual([failure.name, failure.status], ['ApplicationError', 400]);
        match(failure.message, message);
        doesNotMatch(failure.message, /detail/);
      });
    }

    it('reports a read of a missing table as 503, and a mistake of the server as it is', async () => {
      for (const text of ['select missing from pg_class', 'select 1 from missing', 'select 1 from missing.missing']) {
        await rejects(async () => database.rows(text, []), { ...UNAVAILABLE, message: /galley doctor/ });
        const write = database.transaction(async (tx) => tx.rows(`create table t as ${text}`, []));
        await rejects(write, { name: 'ApplicationError', status: 400, message: /galley doctor/ });
      }
      for (const text of ['selec 1', 'select $1', 'select relname, count(*) from pg_class']) {
        const read = async () => database.rows(text, []);
        const failure = await read().catch((error: unknown) => error);
        ok(!(failure instanceof ContentError), text);
      }
    });

    it('reports a read-only server, and reads from it', async () => {
      const own = await engine.emptyDatabase();
      const name = new URL(own.env['DATABASE_URL']!).pathname.slice(1);
      await database.rows(`alter database ${name} set default_transaction_read_only = on`, []);
      const { database: standby } = await openPlain(own);
      try {
        const write = standby.transaction(async (tx) => tx.rows('create table t (x int)', []));
        await rejects(write, { ...UNAVAILABLE, message: 'The database does not accept writes at the moment' });
        deepStrictEqual(await standby.rows('select 1', []), [[1]]);
      } finally {
        await standby.close();
        await own.drop();
      }
    });

    it('loses no write to sessions of a server that was read-only before a failover', async () => {
      const own = await engine.emptyDatabase();
      const name = new URL(own.env['DATABASE_URL']!).pathname.slice(1);
      const set = (mode: string) =>
        database.rows(`alter database ${name} set default_transaction_read_only = ${mode}`, []);
      await set('on');
      const { database: standby } = await openPlain(own, { poolMax: 3 });
      try {
        await Promise.all([1, 2, 3].map(() => standby.rows('select pg_sleep(0.1)', [])));
        strictEqual(standby.load!()['connections_idle'], 3);
        await set('off');
        const write = (n: number) => standby.transaction(async (tx) => tx.rows(`create table t${n} (x int)`, []));
        await Promise.all([1, 2, 3].map(write));
      } finally {
        await standby.close();
        await own.drop();
      }
    });
  });
}
