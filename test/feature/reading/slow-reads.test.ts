/** Slow reads are ended in time, and no other request waits for them. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { onAccountOf } from '../../../src/db/interface/account.ts';
import type { Database, Read } from '../../../src/db/interface/database.ts';
import type { Row } from '../../../src/db/interface/queryable.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { until } from '../../support/wait.ts';

/** Long enough for a process to start on a busy machine. */
const LIMIT = 3000;
const UNAVAILABLE = { name: 'ServiceUnavailableError', status: 503 };
/** What an engine does not come to the end of; without work, where it can wait, so that other tests get on. */
const ENDLESS = {
  sqlite: 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n',
  postgres: 'select pg_sleep(3600)',
};

/** A read of which nothing is known; of a table of its own when none is named. */
const unknown = (text: string, table = text): Read => ({
  text,
  values: [],
  table,
  page: undefined,
  cost: { terms: [{ tables: ['unknown'], weight: 1 }], dependsOnValues: false },
});

for (const engine of engines) {
  describe(`reads that take long on ${engine.name}`, () => {
    let storage: TestDatabase;
    let database: Database;
    const endlessRead = ENDLESS[engine.name];
    const read = (caller: string, text: string): Promise<Row[]> =>
      onAccountOf(caller, async () => database.read(unknown(text)));

    before(async () => {
      storage = await engine.emptyDatabase();
      database = (await openPlain(storage, { readTimeout: LIMIT })).database;
    });
    after(async () => {
      await database?.close();
      await storage?.drop();
    });

    // a process that has to start first is the subject of one test alone
    beforeEach(() =>
      until('two callers are served at once', () =>
        Promise.all(['a', 'b'].map((caller) => read(caller, 'select 0'))).catch(() => undefined),
      ),
    );

    it('are ended when their time is over, and others are served meanwhile and after', async () => {
      const endless = rejects(read('a', endlessRead), UNAVAILABLE);
      let isOver = false;
      void endless.finally(() => {
        isOver = true;
      });
      deepStrictEqual(await read('b', 'select 1'), [[1]]);
      deepStrictEqual(await database.rows('select 2', []), [[2]]);
      strictEqual(isOver, false);
      await endless;
      deepStrictEqual(await read('a', 'select 3'), [[3]]);
    });

    it('are reported to observers of reads, since they need an index most', async () => {
      const told: [text: string, isLong: boolean][] = [];
      database.watch(({ text }, milliseconds) => told.push([text, milliseconds >= LIMIT - 100]));
      try {
        await rejects(read('a', endlessRead), UNAVAILABLE);
        await read('a', 'select 8');
        deepStrictEqual(told, [
          [endlessRead, true],
          ['select 8', false],
        ]);
      } finally {
        database.watch(() => {});
      }
    });

    it('of one caller leave a place for others, however many there are', async () => {
      const crowd = Array.from({ length: 12 }, () => rejects(read('a', endlessRead), UNAVAILABLE));
      let isOver = false;
      void Promise.race(crowd).then(() => {
        isOver = true;
      });
      deepStrictEqual(await read('b', 'select 4'), [[4]]);
      strictEqual(isOver, false);
      await Promise.all(crowd);
    });

    // on PostgreSQL somebody may have locked the table, and all who read it wait
    it('of one table do not block other readers of that table', { skip: engine.name !== 'sqlite' }, async () => {
      const reads = (caller: string, text: string) =>
        onAccountOf(caller, async () => database.read(unknown(text, 'same')));
      const endless = rejects(reads('a', endlessRead), UNAVAILABLE);
      let isOver = false;
      void endless.finally(() => {
        isOver = true;
      });
      deepStrictEqual(await reads('b', 'select 5'), [[5]]);
      strictEqual(isOver, false);
      await endless;
    });

    it('are timed from the moment that they begin, not from that of the process that runs them', {
      skip: engine.name !== 'sqlite',
    }, async () => {
      const own = await engine.emptyDatabase();
      // less than any process takes to start
      const hasty = (await openPlain(own, { readTimeout: 40 })).database;
      try {
        // a busy machine may hold up a statement for as long
        const answer = await until('a read is answered', async () =>
          Promise.resolve(hasty.read(unknown('select 6'))).catch(() => undefined),
        );
        deepStrictEqual(answer, [[6]]);
      } finally {
        await hasty.close();
        await own.drop();
      }
    });

    it('are waited for, while an engine within the process returns quick ones at once', async () => {
      const slow = database.read(unknown('select 7'));
      ok(slow instanceof Promise);
      deepStrictEqual(await slow, [[7]]);
      const quick = database.read({ ...unknown('select 7'), cost: { terms: [], dependsOnValues: false } });
      strictEqual(quick instanceof Promise, engine.name === 'postgres');
      deepStrictEqual(await quick, [[7]]);
    });

    it('report refusals and values as other reads do', async () => {
      const [row] = await read('a', `select 'text', 12, null, 1.5`);
      deepStrictEqual(row, ['text', 12, null, 1.5]);
      await rejects(read('a', 'select from where'), (error: Error) => !('status' in error));
    });

    it('count in the load that is monitored', () => {
      const load = Object.keys(database.load?.() ?? {});
      ok(
        load.some((name) => name.endsWith('waited_for')),
        load.join(),
      );
    });
  });
}
