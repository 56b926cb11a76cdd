/** Transactions on an SQLite file: those that come together share a commit, and are answered once it is on the disk. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Database } from '../../../src/db/interface/database.ts';
import type { Row } from '../../../src/db/interface/queryable.ts';
import { openSqlite } from '../../../src/db/sqlite/driver.ts';

const CONTENDER = path.join(import.meta.dirname, '../../support/databases/contender.ts');
/** Processes that write, and commits of one until which it is counted. */
const CONTENDERS = 4;
const MANY = 120;
/** Turns of the event loop in which a transaction has found the lock taken. */
const TURNS = 20;
const UNCONFIRMED = { status: 503, message: /did not confirm the write/ };

describe('transactions on an SQLite file', () => {
  let folder: string;
  let filename: string;
  let database: Database;
  /** What was run. */
  let statements: string[];
  let count = 0;
  before(() => {
    folder = fs.mkdtempSync(path.join(tmpdir(), 'galley-transactions-'));
  });
  after(() => fs.rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    filename = path.join(folder, `${count++}.db`);
    statements = [];
    database = openSqlite(filename, { readTimeout: 0, log: (text) => statements.push(text) });
    await change('create table notes (text text unique)');
  });
  afterEach(async () => {
    mock.restoreAll();
    await database.close();
  });

  const change = (text: string) => database.transaction(async (tx) => tx.rows(text, []));
  const insert = (text: string) => change(`insert into notes values ('${text}')`);
  /** How many others see. */
  const seen = () => (database.rows('select count(*) from notes', []) as Row[])[0]![0];
  const notes = () => database.rows('select text from notes order by text', []);
  /** Has those that begin together share a commit however long they take, until the time that is given is changed. */
  const withoutTime = () => {
    const time = { now: performance.now() };
    mock.method(performance, 'now', () => time.now);
    return time;
  };
  const isLog = (descriptor: number) =>
    strictEqual(fs.fstatSync(descriptor).ino, fs.statSync(`${filename}-wal`).ino, 'another file is flushed');
  /** Has flushes on this thread and on others noted, and done. */
  const noted = () => {
    const { fdatasync, fdatasyncSync } = fs;
    const flushes: string[] = [];
    mock.method(fs, 'fdatasyncSync', (descriptor: number) => {
      isLog(descriptor);
      flushes.push('here');
      fdatasyncSync(descriptor);
    });
    mock.method(fs, 'fdatasync', (descriptor: number, done: fs.NoParamCallback) => {
      isLog(descriptor);
      flushes.push('elsewhere');
      fdatasync(descriptor, done);
    });
    return flushes;
  };

  it('are answered after the log is flushed, whether alone or in a group', async () => {
    const events: string[] = [];
    mock.method(fs, 'fdatasyncSync', (descriptor: number) => {
      isLog(descriptor);
      events.push(`flushed with ${seen()}`);
    });
    await insert('alone').then(() => events.push('answered'));
    deepStrictEqual(events.splice(0), ['flushed with 1', 'answered']);

    const flushing = Promise.withResolvers<fs.NoParamCallback>();
    mock.method(fs, 'fdatasync', (descriptor: number, done: fs.NoParamCallback) => {
      isLog(descriptor);
      flushing.resolve(done);
    });
    withoutTime();
    const writing = ['a', 'b', 'c'].map((text) => insert(text).then(() => events.push(text)));
    const flushed = await flushing.promise;
    for (let turn = 0; turn < 20; turn++) await immediate();
    deepStrictEqual([events, seen()], [[], 4]);
    flushed(null);
    await Promise.all(writing);
    deepStrictEqual(events, ['a', 'b', 'c']);
  });

  for (const [where, together] of [
    ['on this thread', 1],
    ['on another thread', 2],
  ] as const) {
    it(`are answered with 503 from a flush ${where} that fails, also afterwards`, async () => {
      const failure = Object.assign(new Error('i/o error'), { code: 'EIO' });
      mock.method(fs, 'fdatasyncSync', () => {
        throw failure;
      });
      mock.method(fs, 'fdatasync', (_descriptor: number, done: fs.NoParamCallback) => done(failure));
      const ends: string[] = [];
      const write = (text: string) =>
        database.transaction(async (tx) => {
          tx.afterCommit(() => ends.push(`commit ${text}`));
          tx.afterRollback(() => ends.push(`rollback ${text}`));
          await tx.rows('insert into notes values (?)', [text]);
        });
      const texts = ['a', 'b'].slice(0, together);
      await Promise.all(texts.map((text) => rejects(write(text), UNCONFIRMED)));
      // what can be seen is not taken back
      deepStrictEqual([ends, notes()], [texts.map((text) => `commit ${text}`), texts.map((text) => [text])]);
      mock.restoreAll();
      await rejects(insert('alone'), UNCONFIRMED);
      await Promise.all(['x', 'y'].map((text) => rejects(insert(text), UNCONFIRMED)));
      // who finds a thing done cannot be told that it is
      await rejects(change("update notes set text = '' where text = 'none'"), UNCONFIRMED);
    });
  }

  it('are rolled back alone if they fail in a group, while the others are committed', async () => {
    const ends: string[] = [];
    const write = (text: string) =>
      database.transaction(async (tx) => {
        tx.afterCommit(() => ends.push(`commit ${text}`));
        tx.afterRollback(() => ends.push(`rollback ${text}`));
        await tx.rows('insert into notes values (?)', [text]);
        if (text === 'wrong') throw new Error('wrong');
      });
    const flushes = noted();
    withoutTime();
    const outcomes = await Promise.allSettled(['a', 'wrong', 'b', 'a', 'c'].map(write));
    deepStrictEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    // the two that were run before it was known that one fails are run once more
    deepStrictEqual(ends.splice(0, 2), ['rollback a', 'rollback wrong']);
    deepStrictEqual(ends, ['commit a', 'rollback wrong', 'commit b', 'rollback a', 'commit c']);
    deepStrictEqual([notes(), flushes], [[['a'], ['b'], ['c']], ['elsewhere']]);
  });

  describe('that share a commit', () => {
    /** How often the work of each was run, in the order of their first runs. */
    let runs: Map<string, number>;
    let time: { now: number };
    beforeEach(() => {
      runs = new Map();
      time = withoutTime();
      statements.length = 0;
    });
    const write = (text: string, fail: 'before' | 'behind' | undefined = undefined, once = false) =>
      database.transaction(
        async (tx) => {
          runs.set(text, (runs.get(text) ?? 0) + 1);
          await tx.rows('select 1', []);
          if (fail === 'before') throw new Error(text);
          await tx.rows('insert into notes values (?)', [text]);
          if (fail === 'behind') throw new Error(text);
        },
        { once },
      );
    /** The texts of those that were kept. */
    const kept = async (writing: readonly Promise<unknown>[]): Promise<string> => {
      await Promise.allSettled(writing);
      return String(notes());
    };
    const savepoints = () => statements.filter((text) => text.startsWith('savepoint')).length;

    it('have no savepoints, even if one fails before it has written', async () => {
      strictEqual(await kept([write('a'), write('wrong', 'before'), write('b')]), 'a,b');
      deepStrictEqual([[...runs], savepoints()], [['a', 'wrong', 'b'].map((text) => [text, 1]), 0]);
    });

    it('are repeated with savepoints if one fails after it has written; all groups have savepoints for a while', async () => {
      strictEqual(await kept([write('a'), write('wrong', 'behind'), write('b')]), 'a,b');
      const expected = [['a', 2] as const, ['wrong', 2] as const, ['b', 1] as const];
      deepStrictEqual([[...runs], savepoints()], [expected, 2]);
      strictEqual(await kept([write('c'), write('d'), write('worse', 'behind')]), 'a,b,c,d');
      deepStrictEqual([runs.get('c'), runs.get('d'), runs.get('worse'), savepoints()], [1, 1, 1, 4]);
      time.now += 60_000;
      strictEqual(await kept([write('e'), write('f')]), 'a,b,c,d,e,f');
      strictEqual(savepoints(), 4);
    });

    it('run once if they request it, and those after them get savepoints', async () => {
      const writing = [write('a'), write('b', undefined, true), write('wrong', 'behind'), write('c')];
      strictEqual(await kept(writing), 'a,b,c');
      deepStrictEqual([[...runs.values()], savepoints()], [[1, 1, 1, 1], 3]);
    });

    it('are rolled back alone if they run once and fail', async () => {
      strictEqual(await kept([write('a'), write('wrong', 'behind', true), write('b')]), 'a,b');
      deepStrictEqual([[...runs.values()], savepoints()], [[1, 1, 1], 2]);
    });

    it('run once while a listener is called before the commit', async () => {
      const unsubscribe = database.subscribe({ beforeCommit: async () => {} });
      strictEqual(await kept([write('a'), write('wrong', 'behind'), write('b')]), 'a,b');
      unsubscribe();
      deepStrictEqual([[...runs.values()], savepoints()], [[1, 1, 1], 2]);
    });

    it('let listeners learn once of commits of other processes, before savepoints are decided', async () => {
      let isOld = true;
      let looks = 0;
      const unsubscribe = database.subscribe({
        isConcerned: () => isOld,
        learn: async () => {
          looks++;
          await immediate();
          isOld = false;
        },
        beforeCommit: async () => {},
      });
      strictEqual(await kept([write('a'), write('wrong', 'before'), write('b')]), 'a,b');
      unsubscribe();
      deepStrictEqual([looks, isOld, savepoints()], [1, false, 0]);
    });

    it('report no changes that were rolled back with those of another transaction', async () => {
      const told: string[] = [];
      const unsubscribe = database.subscribe({
        afterCommit: (changes) => told.push(...changes.map(({ documentId }) => documentId)),
      });
      const record = (documentId: string, fails: boolean) =>
        database.transaction(async (tx) => {
          await tx.rows('insert into notes values (?)', [documentId]);
          const version = { uid: 'note', documentId, locale: null, status: 'published' } as const;
          tx.record({ ...version, kind: 'created', before: undefined, after: 1 });
          if (fails) throw new Error(documentId);
        });
      strictEqual(await kept([record('a', false), record('wrong', true), record('b', false)]), 'a,b');
      unsubscribe();
      deepStrictEqual(told, ['a', 'b']);
    });
  });

  describe('of several processes with a commit signal', () => {
    let file: string;
    let others: Database[];
    beforeEach(() => {
      file = path.join(folder, 'commits');
      fs.writeFileSync(file, '.');
      others = [];
    });
    afterEach(async () => {
      mock.timers.reset();
      for (const other of others) await other.close();
      fs.rmSync(file, { force: true });
    });
    const openTwo = (signal: string) => {
      others = [1, 2].map(() => openSqlite(filename, { readTimeout: 0, writers: 2, signal }));
    };
    /** Has one write while another waits for the lock, and gives what was written when both are through. */
    const takeTurns = async () => {
      const [one, other] = others as [Database, Database];
      let behind: Promise<unknown> | undefined;
      await change('delete from notes');
      await one.transaction(async (tx) => {
        await tx.rows("insert into notes values ('one')", []);
        behind = other.transaction(async (own) => own.rows("insert into notes values ('other')", []));
        while ((other.load!()['transactions_waiting'] ?? 0) === 0) await immediate();
        for (let turn = 0; turn < TURNS; turn++) await immediate();
      });
      await behind;
      return (await notes()).join();
    };

    it('take the lock when another process releases it, without waiting for the next attempt', {
      timeout: 20_000,
    }, async () => {
      openTwo(file);
      mock.timers.enable({ apis: ['setTimeout'] });
      strictEqual(await takeTurns(), 'one,other');
    });

    it('poll if no signal arrives', async () => {
      openTwo(path.join(folder, 'none'));
      strictEqual(await takeTurns(), 'one,other');
    });

    it('continue without the signal file', async () => {
      openTwo(file);
      strictEqual(await takeTurns(), 'one,other');
      fs.rmSync(file);
      strictEqual(await takeTurns(), 'one,other');
      await others.pop()!.close();
      others.push(openSqlite(filename, { readTimeout: 0, writers: 2, signal: file }));
      strictEqual(await takeTurns(), 'one,other');
    });

    it('get the lock about equally often', { timeout: 60_000 }, async () => {
      const args = [filename, String(CONTENDERS), file];
      // the flags of a test run are not for them
      const contenders = Array.from({ length: CONTENDERS }, () => fork(CONTENDER, args, { execArgv: [] }));
      const counts = new Map<ChildProcess, number>();
      try {
        await Promise.all(contenders.map((contender) => once(contender, 'message')));
        await new Promise<void>((resolve) => {
          for (const contender of contenders) {
            contender.on('message', () => {
              const count = (counts.get(contender) ?? 0) + 1;
              counts.set(contender, count);
              if (count === MANY) resolve();
            });
            contender.send('begin');
          }
        });
      } finally {
        for (const contender of contenders) contender.disconnect();
        await Promise.all(contenders.map((contender) => once(contender, 'exit')));
      }
      const least = Math.min(...contenders.map((contender) => counts.get(contender) ?? 0));
      ok(least > (MANY * 2) / 3, [...counts.values()].join());
    });
  });

  it('flush the log only after commits, of any process', async () => {
    const flushes = noted();
    const flushesOf = async (work: Promise<unknown>): Promise<string[]> => {
      await work.catch(() => {});
      return flushes.splice(0);
    };
    deepStrictEqual(await flushesOf(insert('a')), ['here']);
    deepStrictEqual(await flushesOf(change('select 1')), []);
    deepStrictEqual(await flushesOf(change("delete from notes where text = 'none'")), []);
    const undone = database.transaction(async (tx) => {
      await tx.rows("insert into notes values ('b')", []);
      throw new Error('undone');
    });
    deepStrictEqual(await flushesOf(undone), []);
    for (const definition of ['create table made (id integer)', 'drop table made', 'pragma user_version = 7']) {
      deepStrictEqual(await flushesOf(change(definition)), ['here'], definition);
    }
    deepStrictEqual(await flushesOf(Promise.all([insert('c'), change('select 1')])), ['elsewhere']);
    const other = new Sqlite(filename);
    other.exec("insert into notes values ('other')");
    other.close();
    deepStrictEqual(await flushesOf(change('select 1')), ['here']);
    deepStrictEqual(await flushesOf(change('select 1')), []);
    // behind a checkpoint the log begins anew
    database.rows('select 1', []);
    await database.separately!(async (executor) => executor.rows('pragma wal_checkpoint(truncate)', []));
    deepStrictEqual(await flushesOf(insert('d')), ['here']);
  });
});
