/** Work that is due at a time: done once whatever the number of servers, within a second, and failures that are stored. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { actingAs, currentActor } from '../../../src/db/interface/account.ts';
import type { Actor } from '../../../src/db/interface/actor.ts';
import type { Transaction } from '../../../src/db/interface/transaction.ts';
import { unavailable } from '../../../src/errors.ts';
import { at, REQUIRED, validationFailure } from '../../../src/failures.ts';
import { SYSTEM_CLOCK } from '../../../src/schedule/clock.ts';
import {
  addItems,
  cancelItem,
  listItems,
  moveItem,
  nextTime,
  retryItem,
  type ScheduledItem,
} from '../../../src/schedule/items.ts';
import { type DueWork, type Gone, Schedule } from '../../../src/schedule/schedule.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const NINE = Date.parse('2026-12-04T09:00:00+01:00');
const ANN: Actor = { kind: 'administrator', id: 7, name: 'Ann', address: null };

interface Work {
  readonly begin?: (item: ScheduledItem) => Promise<void>;
  readonly run: (tx: Transaction, item: ScheduledItem) => Promise<Gone | undefined>;
  readonly failed?: DueWork['failed'];
}

describe('the clock of the machine', () => {
  it('notices within a second that it was set forward', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NINE - 3_600_000 });
    let calls = 0;
    SYSTEM_CLOCK.at(NINE, () => {
      calls += 1;
    });
    test.mock.timers.tick(10_000);
    strictEqual(calls, 0);
    test.mock.timers.setTime(NINE);
    test.mock.timers.tick(1000);
    strictEqual(calls, 1);
  });
});

for (const engine of engines) {
  describe(`work that is due at a time, on ${engine.name}`, () => {
    let server: RunningServer;
    let database: TestDatabase;
    const schedules: Schedule[] = [];
    const logged: string[] = [];

    before(async () => {
      const note = contentType('note', { title: { type: 'string' } });
      database = await engine.emptyDatabase();
      server = await serve(await makeProject({ contentTypes: { note } }), database);
    });
    after(async () => {
      await Promise.all(schedules.map((one) => one.close()));
      await server?.stop();
    });

    const add = (kind: string, target: string, dueAt: number, subject = {}): Promise<ScheduledItem> =>
      actingAs(ANN, () =>
        server.app.database.transaction(async (tx) => {
          const item = { kind, contentType: null, target, subject, dueAt };
          return (await addItems(tx, [item], NINE - 60_000))[0]!;
        }),
      );
    const stored = async (id: number) => (await listItems(server.app.database, { ids: [id], most: 1 }))[0];
    const ended = (id: number) =>
      until(`item ${id} has ended`, async () => {
        const item = await stored(id);
        return item && item.state !== 'waiting' && item;
      });
    /** A schedule with a clock of its own: one for each kind, so that tests do not meet. */
    const scheduleOf = (kind: string, { begin, run, failed }: Work, clock = new FakeClock(NINE - 60_000)) => {
      const log = (line: string) => void logged.push(line);
      const schedule = new Schedule({ database: server.app.database, clock, log });
      schedules.push(schedule);
      const work: DueWork = {
        begin: async (item) => {
          await begin?.(item);
          return { run: (tx) => run(tx, item) };
        },
        ...(failed ? { failed } : {}),
      };
      void schedule.serve(new Map([[kind, work]]));
      schedule.start();
      return { schedule, clock };
    };
    const note = async (tx: Transaction, title: string): Promise<undefined> => {
      await tx.rows(`insert into "notes" ("title", "document_id") values ('${title}', '${title}') returning "id"`, []);
      return undefined;
    };
    const titles = async (title: string) =>
      (await server.app.documents('api::note.note').findMany({ filters: { title } })).length;

    it('is done when its time has come and not before, for the actor that has scheduled it', async () => {
      const actors: Actor[] = [];
      const { clock } = scheduleOf('once', {
        run: async (tx, { target }) => {
          actors.push(currentActor());
          return note(tx, target);
        },
      });
      const item = await add('once', 'punctual', NINE);
      clock.set(NINE - 1);
      strictEqual((await stored(item.id))?.state, 'waiting');
      clock.set(NINE);
      deepStrictEqual((await ended(item.id)).state, 'done');
      strictEqual(await titles('punctual'), 1);
      deepStrictEqual(actors, [ANN]);
    });

    it('is done at once if it was due while no server ran', async () => {
      const item = await add('late', 'late', NINE - 3_600_000);
      scheduleOf('late', { run: (tx, { target }) => note(tx, target) });
      strictEqual((await ended(item.id)).state, 'done');
    });

    it('is done once by several servers', async () => {
      const runs: string[] = [];
      const items: ScheduledItem[] = [];
      for (let n = 0; n < 40; n++) items.push(await add('shared', `shared-${n}`, NINE + (n % 3)));
      const work: Work = {
        run: async (tx, { target }) => {
          runs.push(target);
          return note(tx, target);
        },
      };
      const clocks = Array.from({ length: 4 }, () => scheduleOf('shared', work).clock);
      for (const clock of clocks) clock.set(NINE + 10);
      for (const { id } of items) strictEqual((await ended(id)).state, 'done');
      for (const { target } of items) strictEqual(await titles(target), 1, target);
      strictEqual(runs.length, 40);
    });

    it('is noticed at once by servers that have not added it', async () => {
      const { dir } = server.app.config;
      const other = await openProject(dir, { env: database.env, overrides: { port: 0, host: '127.0.0.1' } });
      // without a notice, this server would not look again before the time has passed
      const clock = new FakeClock(NINE - 10_000);
      const schedule = new Schedule({ database: other.database, clock, log: () => {} });
      try {
        void schedule.serve(
          new Map([['noticed', { begin: async (item) => ({ run: (tx) => note(tx, item.target) }) }]]),
        );
        schedule.start();
        await until('it waits', () => clock.next !== undefined);
        const item = await add('noticed', 'noticed', NINE);
        await until('it has noticed the item', () => clock.next === NINE);
        clock.set(NINE);
        strictEqual((await ended(item.id)).state, 'done');
      } finally {
        await schedule.close();
        await other.close();
      }
    });

    it('is done by another server if one has claimed it and ended', async () => {
      const item = await add('claimed', 'claimed', NINE);
      const { database } = server.app;
      await database.transaction(async (tx) => {
        await tx.rows(
          `update "galley_scheduled" set "owner" = 'gone', "next_at" = ${NINE + 5000} where "id" = ${item.id}`,
          [],
        );
      });
      const { clock } = scheduleOf('claimed', { run: (tx, { target }) => note(tx, target) });
      clock.set(NINE + 5000);
      strictEqual((await ended(item.id)).state, 'done');
      strictEqual(await titles('claimed'), 1);
    });

    it('is not done again if it fails after another server has claimed it', async () => {
      const [runs, begun]: [string[], PromiseWithResolvers<void>] = [[], Promise.withResolvers<void>()];
      const other = Promise.withResolvers<void>();
      scheduleOf('slow', {
        begin: async () => {
          begun.resolve();
          await other.promise;
          throw validationFailure(at('title'), REQUIRED);
        },
        run: async () => undefined,
      }).clock.set(NINE);
      const item = await add('slow', 'slow', NINE);
      await begun.promise;
      scheduleOf('slow', {
        begin: async ({ id }) => {
          other.resolve();
          strictEqual((await ended(id)).state, 'failed');
        },
        run: async (tx, { target }) => {
          runs.push(target);
          return note(tx, target);
        },
      }).clock.set(NINE + 5000);
      await other.promise;
      await Promise.all(schedules.splice(-2).map((one) => one.close()));
      const { state, attempts } = (await stored(item.id))!;
      deepStrictEqual([state, attempts, runs], ['failed', 2, []]);
    });

    it('waits for its new time if it fails after it was moved', async () => {
      const [begun, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const { clock } = scheduleOf('moved', {
        begin: async ({ dueAt }) => {
          if (dueAt > NINE) return;
          begun.resolve();
          await moved.promise;
          throw validationFailure(at('title'), REQUIRED);
        },
        run: (tx, { target }) => note(tx, target),
      });
      const item = await add('moved', 'moved', NINE);
      clock.set(NINE);
      await begun.promise;
      await actingAs(ANN, () => server.app.database.transaction((tx) => moveItem(tx, item, NINE + 60_000)));
      moved.resolve();
      await until('the first attempt is over', () => clock.next !== undefined);
      strictEqual((await stored(item.id))?.state, 'waiting');
      clock.set(NINE + 60_000);
      strictEqual((await ended(item.id)).state, 'done');
      strictEqual(await titles('moved'), 1);
    });

    // an engine with one writer does nothing else during a transaction
    for (const phase of engine.name === 'sqlite' ? (['begin'] as const) : (['begin', 'run'] as const)) {
      it(`delays no other work while it takes long to ${phase}`, async () => {
        const kind = `long-${phase}`;
        const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const wait = async ({ target }: ScheduledItem) => {
          if (target !== 'first') return;
          begun.resolve();
          await finished.promise;
        };
        const work: Work = {
          ...(phase === 'begin' ? { begin: wait } : {}),
          run: async (tx, item) => {
            if (phase === 'run') await wait(item);
            return note(tx, `${kind} ${item.target}`);
          },
        };
        const [first, second] = [await add(kind, 'first', NINE), await add(kind, 'second', NINE)];
        scheduleOf(kind, work).clock.set(NINE);
        await begun.promise;
        const { clock } = scheduleOf(kind, work);
        clock.set(NINE);
        strictEqual((await ended(second.id)).state, 'done');
        // its claim has run out
        if (phase === 'run') {
          const third = await add(kind, 'third', NINE + 5000);
          clock.set(NINE + 5000);
          strictEqual((await ended(third.id)).state, 'done');
          strictEqual((await stored(first.id))?.state, 'waiting');
        }
        finished.resolve();
        strictEqual((await ended(first.id)).state, 'done');
        strictEqual(await titles(`${kind} first`), 1);
      });
    }

    it('is rolled back when it fails, and done again by hand only, with the rights of that person', async () => {
      let isFixed = false;
      const failures: string[] = [];
      const by: (string | null)[] = [];
      const { clock } = scheduleOf('failing', {
        run: async (tx, item) => {
          await note(tx, item.target);
          by.push(item.by.name);
          if (!isFixed) throw validationFailure(at('title'), REQUIRED);
          return undefined;
        },
        failed:
          async (_tx, { target }, { message }) =>
          () =>
            void failures.push(`${target}: ${message}`),
      });
      const item = await add('failing', 'failing', NINE);
      clock.set(NINE);
      const failed = await ended(item.id);
      const message = 'title is a required field';
      const [error, reason] = [{ path: ['title'], message, name: 'ValidationError' }, { code: 'required' }];
      deepStrictEqual(
        [failed.state, failed.result],
        ['failed', { name: 'ValidationError', message, errors: [{ ...error, reason }], reason }],
      );
      strictEqual(await titles('failing'), 0);
      deepStrictEqual(failures, [`failing: ${message}`]);
      deepStrictEqual(
        logged.filter((line) => line.includes('failing')),
        [`warning: scheduled work ${item.id} (failing failing) failed: ${message}`],
      );
      clock.set(NINE + 3_600_000);
      strictEqual((await stored(item.id))?.state, 'failed');
      isFixed = true;
      const bob: Actor = { ...ANN, id: 8, name: 'Bob' };
      const retry = () => server.app.database.transaction((tx) => retryItem(tx, item, bob, clock.now()));
      strictEqual(await retry(), true);
      strictEqual((await ended(item.id)).state, 'done');
      strictEqual(await titles('failing'), 1);
      deepStrictEqual(by, ['Ann', 'Bob']);
      strictEqual(await retry(), false);
    });

    it('is tried again by itself while the database is busy', async () => {
      let attempts = 0;
      const { clock } = scheduleOf('busy', {
        run: async (tx, { target }) => {
          attempts += 1;
          if (attempts < 3) throw unavailable('busy');
          return note(tx, target);
        },
      });
      const item = await add('busy', 'busy', NINE);
      clock.set(NINE);
      for (const done of [1, 2]) {
        const next = await until(`attempt ${done} is over`, async () => {
          const time = await nextTime(server.app.database, ['busy']);
          return attempts === done && time !== undefined && time < NINE + 5000 && time > clock.now() && time;
        });
        clock.set(next);
      }
      strictEqual((await ended(item.id)).state, 'done');
      strictEqual(await titles('busy'), 1);
      strictEqual(attempts, 3);
    });

    it('stores nothing of an error of the server but that there was one', async () => {
      const { clock } = scheduleOf('broken', {
        run: async () => {
          throw new Error('select * from secrets');
        },
      });
      const item = await add('broken', 'broken', NINE);
      clock.set(NINE);
      deepStrictEqual((await ended(item.id)).result, {
        name: 'InternalServerError',
        message: 'An internal error occurred',
        isInternal: true,
      });
    });

    it('ends with a note if its subject does not exist any more', async () => {
      const { clock } = scheduleOf('gone', { run: async () => ({ gone: { document: 'missing' } }) });
      const item = await add('gone', 'gone', NINE);
      clock.set(NINE);
      const { state, result } = await ended(item.id);
      deepStrictEqual([state, result], ['gone', { document: 'missing' }]);
    });

    it('is not done after it was cancelled', async () => {
      const { clock } = scheduleOf('cancelled', { run: (tx, { target }) => note(tx, target) });
      const [item, other] = [await add('cancelled', 'cancelled', NINE), await add('cancelled', 'other', NINE)];
      const cancel = () => server.app.database.transaction((tx) => cancelItem(tx, item, clock.now()));
      strictEqual(await cancel(), true);
      clock.set(NINE);
      await ended(other.id);
      strictEqual((await stored(item.id))?.state, 'cancelled');
      strictEqual(await titles('cancelled'), 0);
      strictEqual(await cancel(), false);
    });

    it('is listed by time, in pages and by its parts', async () => {
      const { database } = server.app;
      const items: ScheduledItem[] = [];
      for (const minutes of [30, 10, 20]) items.push(await add('listed', `at-${minutes}`, NINE + minutes * 60_000));
      const targets = async (asked: Partial<Parameters<typeof listItems>[1]>) =>
        (await listItems(database, { kinds: ['listed'], most: 10, ...asked })).map(({ target }) => target);
      deepStrictEqual(await targets({}), ['at-10', 'at-20', 'at-30']);
      deepStrictEqual(await targets({ latestFirst: true }), ['at-30', 'at-20', 'at-10']);
      deepStrictEqual(await targets({ most: 1, after: items[1]! }), ['at-20']);
      deepStrictEqual(await targets({ from: NINE + 15 * 60_000, to: NINE + 30 * 60_000 }), ['at-20']);
      deepStrictEqual(await targets({ targets: ['at-30'], states: ['waiting'] }), ['at-30']);
      deepStrictEqual(await targets({ states: ['failed'] }), []);
      deepStrictEqual(await targets({ types: [] }), []);
    });
  });
}
