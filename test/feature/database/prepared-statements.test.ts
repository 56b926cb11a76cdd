/** Frequent statements are prepared on PostgreSQL, with the same results in less time. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../../src/db/interface/database.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';

/** Uses until a statement is prepared, and those that one connection keeps at most. */
const USES = 5;
const KEPT = 100;

/** SQLSTATE of a division by zero. */
const DIVISION_BY_ZERO = { code: '22012' };

const engine = engines.find(({ name }) => name === 'postgres')!;

describe('prepared statements on postgres', () => {
  let storage: TestDatabase;
  let database: Database;
  /** How often each was run, by the server's own count. */
  const prepared = async () => {
    const text = 'select statement, (generic_plans + custom_plans)::int from pg_prepared_statements';
    return new Map((await database.rows(text, [])).map(([statement, runs]) => [statement, runs]));
  };
  const ask = async (text: string, values: readonly number[]) => {
    const answers = [];
    for (const value of values) answers.push((await database.rows(text, [value]))[0]![0]);
    return answers;
  };

  before(async () => {
    storage = await engine.emptyDatabase();
    database = (await openPlain(storage, { poolMax: 1 })).database;
  });
  after(async () => {
    await database?.close();
    await storage?.drop();
  });

  it('are prepared once and run by name', async () => {
    const text = 'select $1::int * 2';
    deepStrictEqual(await ask(text, [1, 2, 3, 4]), [2, 4, 6, 8]);
    strictEqual((await prepared()).get(text), undefined);
    deepStrictEqual(await ask(text, [5, 6, 7]), [10, 12, 14]);
    strictEqual((await prepared()).get(text), 3);
  });

  it('work when the run that prepares them fails', async () => {
    const text = 'select 12 / $1::int';
    deepStrictEqual(await ask(text, [1, 2, 3, 4]), [12, 6, 4, 3]);
    await rejects(ask(text, [0]), DIVISION_BY_ZERO);
    deepStrictEqual(await ask(text, [6, 12]), [2, 1]);
    await rejects(ask(text, [0]), DIVISION_BY_ZERO);
    deepStrictEqual(await ask(text, [1]), [12]);
    ok((await prepared()).has(text));
  });

  it('work when they are prepared in a transaction that has failed', async () => {
    const text = 'select 13 + $1::int';
    await ask(text, [1, 2, 3, 4]);
    const failing = database.transaction(async (tx) => {
      const fails = Promise.resolve(tx.rows('select 1 / 0', []));
      // sent behind it, and the second one in the belief that the first has prepared it
      const behind = [1, 2].map((value) => Promise.resolve(tx.rows(text, [value])));
      await Promise.allSettled([fails, ...behind]);
      await fails;
    });
    await rejects(failing, DIVISION_BY_ZERO);
    deepStrictEqual(await ask(text, [1, 2, 3, 4, 5, 6]), [14, 15, 16, 17, 18, 19]);
    ok((await prepared()).has(text));
  });

  it('give the columns that a table has by now', async () => {
    const write = (statement: string) => database.transaction(async (tx) => tx.rows(statement, []));
    await write('create table shape (a int)');
    await write('insert into shape values (1)');
    const text = 'select * from shape where a = $1::int';
    for (let n = 0; n <= USES; n++) deepStrictEqual(await database.rows(text, [1]), [[1]]);
    await write(`alter table shape add column b text default 'b', add column c bigint default 3`);
    deepStrictEqual(await database.rows(text, [1]), [[1, 'b', 3]]);
    await write('alter table shape drop column b');
    for (let n = 0; n <= USES; n++) deepStrictEqual(await database.rows(text, [1]), [[1, 3]]);
  });

  it('replace each other beyond the limit', async () => {
    const texts = Array.from({ length: KEPT + 20 }, (_, n) => `select $1::int + ${n}`);
    const values = Array.from({ length: USES + 1 }, (_, n) => n);
    const askAll = async (some: readonly string[]) => {
      for (const text of some) {
        const added = Number(text.split(' ').at(-1));
        deepStrictEqual(
          await ask(text, values),
          values.map((value) => value + added),
        );
      }
      const { size } = await prepared();
      ok(size > KEPT / 2 && size <= KEPT, `${size} are prepared`);
    };
    await askAll(texts);
    await askAll(texts.slice(0, 20));
  });

  it('are not created from several statements in one text', async () => {
    deepStrictEqual(await database.rows('select 1 as a, 2 as b; select 3', []), [[3]]);
    deepStrictEqual(await database.rows('select 1; set local lock_timeout = 5000', []), []);
  });
});
