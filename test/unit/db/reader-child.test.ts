/** What a reader process hands over arrives as it was, long values among it, and read after read. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import Sqlite from 'better-sqlite3';
import { ReaderChild } from '../../../src/db/sqlite/readers/reader-child.ts';
import { allocateWithRoom, surround } from '../../../src/spare-room.ts';

describe('a reader process', () => {
  let folder: string;
  let reader: ReaderChild;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'galley-reader-'));
    const file = path.join(folder, 'read.db');
    const database = new Sqlite(file);
    database.exec('create table numbers (n integer, letter text)');
    const insert = database.prepare('insert into numbers values (?, ?)');
    for (const [n, letter] of [...'abcdef'].entries()) insert.run(n, letter);
    database.close();
    reader = new ReaderChild(file);
  });
  after(() => {
    reader.kill();
    rmSync(folder, { recursive: true });
  });

  const read = async (text: string) => (await reader.run({ text, values: [] }, 0)).rows;

  it('returns long texts as texts, for any letters', async () => {
    for (const letters of ['x', 'ü€', '👋🏽', '\u0000']) {
      const text = letters.repeat(70_000);
      const { rows } = await reader.run({ text: 'select ?, 7', values: [text] }, 0);
      deepStrictEqual(rows, [[text, 7]]);
    }
  });

  it('returns long bytes in their places among short ones and other values', async () => {
    const lengths = [0, 65_535, 65_536, 3_000_001, 1, 200_000];
    const length = `case n ${lengths.map((bytes, n) => `when ${n} then ${bytes}`).join(' ')} end`;
    const bytes = `cast(replace(hex(zeroblob(${length})), '00', letter) as blob)`;
    for (let again = 0; again < 3; again++) {
      const rows = await read(`select n, ${bytes}, letter, ${bytes}, null from numbers order by n`);
      const expected = lengths.map((count, n) => {
        const value = Buffer.alloc(count, 'abcdef'[n]);
        return [n, value, 'abcdef'[n], value, null];
      });
      deepStrictEqual(rows, expected);
    }
  });

  it('fails its read with 503 if it ends within the bytes of a long value', async () => {
    const ended = new ReaderChild(path.join(folder, 'read.db'));
    const { copy } = Buffer.prototype;
    // they come in many pieces
    const { mock: pieces } = mock.method(Buffer.prototype, 'copy', function (this: Buffer, ...given: unknown[]) {
      ended.kill();
      return Reflect.apply(copy, this, given);
    });
    try {
      const text = `select cast(replace(hex(zeroblob(50000000)), '00', 'x') as blob)`;
      await rejects(ended.run({ text, values: [] }, 0), { status: 503 });
      ok(pieces.callCount() > 0);
    } finally {
      pieces.restore();
    }
    ok(ended.hasEnded);
    deepStrictEqual(await read('select 1'), [[1]]);
  });

  it('answers a short and a refused read after a long one', async () => {
    const [[bytes] = []] = await read(`select cast(replace(hex(zeroblob(5000000)), '00', 'x') as blob)`);
    strictEqual((bytes as Buffer).length, 5_000_000);
    deepStrictEqual(await read('select 1'), [[1]]);
    await rejects(read('select missing'), /no such column/);
    deepStrictEqual(await read(`select length(letter) from numbers where n = 2`), [[1]]);
  });
});

describe('memory with spare room', () => {
  it('takes in surrounding bytes in place, once', () => {
    const data = allocateWithRoom(5).fill('x');
    const first = surround(Buffer.from('<'), data, Buffer.from('>'));
    const second = surround(Buffer.from('(('), data, Buffer.from('))'));
    deepStrictEqual([String(first), String(second), String(data)], ['<xxxxx>', '((xxxxx))', 'xxxxx']);
    strictEqual(first.buffer, data.buffer);
    ok(second.buffer !== data.buffer);
  });

  it('copies if there is too little space, and does not touch the surroundings of a part', () => {
    const data = allocateWithRoom(5).fill('x');
    strictEqual(String(surround(Buffer.from('<'), data.subarray(1, 4), Buffer.from('>'))), '<xxx>');
    const long = Buffer.alloc(10_000, '-');
    strictEqual(String(surround(long, data, long)), `${long}xxxxx${long}`);
    strictEqual(String(surround(Buffer.from('<'), data, Buffer.from('>'))), '<xxxxx>');
  });
});
