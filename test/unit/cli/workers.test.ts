/** The number of workers, their shares, and when one that ended is replaced. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { shareOf, warningOf, workerCount } from '../../../src/cli/workers/shares.ts';
import { familiesOfAll, Restarts } from '../../../src/cli/workers/supervisor.ts';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import { openSqlite } from '../../../src/db/sqlite/driver.ts';
import { exposition, gauges, single } from '../../../src/http/monitoring/prometheus.ts';

const POSTGRES = { DATABASE_URL: 'postgres://localhost/galley' };

describe('workers', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'galley-workers-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const load = (env: Readonly<Record<string, string>>): Promise<Config> => loadConfig(dir, { env });

  it('have the configured number, by default one', async () => {
    strictEqual(workerCount(await load({})), 1);
    strictEqual(workerCount(await load({ GALLEY_WORKERS: '3' })), 3);
    strictEqual(workerCount(await load({ GALLEY_WORKERS: 'auto' })), availableParallelism());
    for (const wrong of ['0', '65', 'two', '1.5']) {
      await rejects(load({ GALLEY_WORKERS: wrong }), {
        message: `GALLEY_WORKERS must be auto, or a whole number from 1 to 64, not "${wrong}"`,
      });
    }
  });

  it('are one on a database that only one process can open', async () => {
    const memory = { DATABASE_FILENAME: ':memory:' };
    strictEqual(workerCount(await load({ ...memory, GALLEY_WORKERS: 'auto' })), 1);
    const asked = await load({ ...memory, GALLEY_WORKERS: '2' });
    throws(() => workerCount(asked), /only one process can use a database in memory/);
  });

  it('divide the connections and the memory of one process', async () => {
    const config = await load(POSTGRES);
    const { database, http } = shareOf(config, 2);
    deepStrictEqual(database.client === 'postgres' && [database.poolMax, database.poolMin], [5, 1]);
    strictEqual(http.answers.memory, config.http.answers.memory / 2);
    strictEqual(http.answers.timeout, config.http.answers.timeout);
    strictEqual(warningOf(config, 3), undefined);
    match(warningOf(config, 4)!, /^connection\.pool\.max is 10: /);
    const many = shareOf(config, 20);
    deepStrictEqual(many.database.client === 'postgres' && [many.database.poolMax, many.database.poolMin], [1, 0]);
    const file = await load({});
    strictEqual(shareOf(file, 2).database, file.database);
  });

  it('are replaced at once, and after longer waits if they end repeatedly', () => {
    const restarts = new Restarts();
    const early = Array.from({ length: 10 }, () => restarts.next(50));
    deepStrictEqual(early, [0, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    strictEqual(restarts.next(60_000), 0);
    strictEqual(restarts.next(50), 200);
  });

  it('have a label in the metrics, which are described once', () => {
    const families = (value: number) => [
      single('counter', 'a_total', 'Lines', value),
      gauges('b', 'Kinds', 'kind', [['x', value]]),
    ];
    const told = new Map([
      [1, families(3)],
      [2, families(4)],
    ]);
    const lines = exposition(familiesOfAll(told, { serving: 2, replaced: 1 })).split('\n');
    deepStrictEqual(
      lines.filter((line) => !line.startsWith('# HELP') && line !== ''),
      [
        '# TYPE galley_workers gauge',
        'galley_workers 2',
        '# TYPE galley_workers_replaced_total counter',
        'galley_workers_replaced_total 1',
        '# TYPE a_total counter',
        'a_total{worker="1"} 3',
        'a_total{worker="2"} 4',
        '# TYPE b gauge',
        'b{kind="x",worker="1"} 3',
        'b{kind="x",worker="2"} 4',
      ],
    );
  });

  it('confirm a write only after its log is on the disk, with one process and with several', async () => {
    for (const writers of [1, 2]) {
      const filename = path.join(dir, `shared-${writers}.db`);
      const database = openSqlite(filename, { readTimeout: 0, writers });
      const writing = database.transaction(async (tx) => {
        await tx.rows('create table made (id integer)', []);
        // what cannot be found cannot be flushed
        await rename(`${filename}-wal`, `${filename}-moved`);
      });
      const outcome = await writing.then(
        () => undefined,
        (error: { status: number }) => error.status,
      );
      strictEqual(outcome, 503);
      await rename(`${filename}-moved`, `${filename}-wal`);
      await database.transaction(async (tx) => tx.rows('insert into made values (1)', []));
      await database.close();
    }
  });

  it('take turns at writing, also if one of them writes much', async () => {
    const filename = path.join(dir, 'busy.db');
    const [one, other] = [0, 1].map(() => openSqlite(filename, { readTimeout: 0, writers: 2 })) as [Database, Database];
    await one.transaction(async (tx) => tx.rows('create table made (by text)', []));
    let isEnding = false;
    let written = 0;
    const stream = async (): Promise<void> => {
      while (!isEnding) {
        await one.transaction(async (tx) => {
          await tx.rows("insert into made values ('one')", []);
          // the other looks whether it may write while this one does
          for (let turn = 0; turn < 50; turn++) await immediate();
        });
        written++;
      }
    };
    const streams = Array.from({ length: 8 }, stream);
    let most = 0;
    for (let i = 0; i < 20; i++) {
      const before = written;
      await other.transaction(async (tx) => tx.rows("insert into made values ('other')", []));
      most = Math.max(most, written - before);
    }
    isEnding = true;
    await Promise.all(streams);
    const [count] = await other.rows("select count(*) from made where by = 'other'", []);
    await Promise.all([one.close(), other.close()]);
    deepStrictEqual(count, [20]);
    ok(most < 400, `one wrote ${most} times while the other waited`);
  });
});
