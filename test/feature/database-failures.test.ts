/** A database that fails, or takes too long: told as 503, and survived. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { translated } from '../../src/db/postgres/failures.ts';
import { postgresSchema } from '../../src/db/postgres/introspect.ts';
import { ContentError } from '../../src/errors.ts';
import { engines, type TestDatabase } from '../support/databases.ts';
import { openPlain } from '../support/plain-database.ts';
import { contentType, makeProject, serve } from '../support/project.ts';

const UNAVAILABLE = { name: 'ServiceUnavailableError', status: 503 };
const TIMEOUT = 300;

for (const engine of engines) {
  describe(`a failing database on ${engine.name}`, () => {
    let storage: TestDatabase;
    let database: Database;
    before(async () => {
      storage = await engine.emptyDatabase();
      database = (await openPlain(storage, TIMEOUT)).database;
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

    it('tells a connection that is not to be had', () => {
      const told = translated(new Error('timeout exceeded when trying to connect'));
      ok(told instanceof ContentError);
      strictEqual(told.status, 503);
    });

    it('keeps the statements prepared that are used, and no more than its cap', async () => {
      const prepared = await database.transaction(async (tx) => {
        for (const _ of [1, 2]) for (let n = 0; n < 600; n++) await tx.rows(`select ${n}`, []);
        await tx.rows(`select 'once'`, []);
        await tx.rows(`select '${'long'.repeat(5000)}'`, []);
        await tx.rows(`select '${'long'.repeat(5000)}'`, []);
        return tx.rows(`select statement from pg_prepared_statements where statement like 'select %'`, []);
      });
      const texts = new Set(prepared.map(([text]) => text));
      strictEqual(texts.size, 500);
      ok(texts.has('select 599') && !texts.has('select 0') && !texts.has(`select 'once'`));
    });
  });
}
