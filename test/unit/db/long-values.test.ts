/** Messages of a PostgreSQL server, however they are cut on their way, and long values in them as bytes. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type pg from 'pg';
import { keepLongValues } from '../../../src/db/postgres/long-values.ts';

function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

function row(...values: readonly (string | null)[]): Buffer {
  const parts = values.map((value) => {
    const bytes = Buffer.from(value ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : bytes.length);
    return Buffer.concat([length, bytes]);
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  return message('D', Buffer.concat([count, ...parts]));
}

/** Feeds a client with pieces of what a server sends; gives the rows that come out. */
function rowsOf(sent: Buffer, pieces: readonly number[]): unknown[][] {
  const connection = new EventEmitter() as EventEmitter & { attachListeners(stream: PassThrough): void };
  keepLongValues({ connection } as unknown as pg.ClientBase);
  const rows: unknown[][] = [];
  connection.on('dataRow', ({ fields }: { fields: unknown[] }) => rows.push(fields));
  const stream = new PassThrough();
  connection.attachListeners(stream);
  let from = 0;
  for (let n = 0; from < sent.length; n++) {
    const to = Math.min(sent.length, from + pieces[n % pieces.length]!);
    // a copy, as the system reads into memory of its own each time
    stream.emit('data', Buffer.from(sent.subarray(from, to)));
    from = to;
  }
  return rows;
}

const LENGTHS = [0, 1, 3, 1023, 1024, 16_383, 16_384, 16_385, 70_000, 300_000];
const VALUES = LENGTHS.flatMap((length) => ['a'.repeat(length), 'é'.repeat(length)]);
const ROWS: readonly (readonly (string | null)[])[] = [...VALUES.map((value) => [value, null, 'end']), VALUES];

describe('long values', () => {
  const sent = Buffer.concat([...ROWS.map((values) => row(...values)), message('Z', Buffer.from('I'))]);

  for (const pieces of [[sent.length], [1, 2, 3, 5, 65_536], [7], [65_536], [4, 1], [16_384, 1], [100_003]]) {
    it(`are complete when the input arrives in pieces of ${pieces.join(', ')}`, () => {
      const found = rowsOf(sent, pieces);
      deepStrictEqual(
        found.map((values) => values.map((value) => (Buffer.isBuffer(value) ? value.toString() : value))),
        ROWS,
      );
    });
  }

  it('are bytes from 1 KiB, and texts below', () => {
    for (const values of rowsOf(sent, [65_536])) {
      for (const value of values) {
        if (Buffer.isBuffer(value)) ok(value.length >= 1024);
        else ok(Buffer.byteLength(String(value)) < 1024);
      }
    }
  });
});
