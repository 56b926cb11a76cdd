/** The shared connections of short reads, and when they are returned. */
import { deepStrictEqual, notStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Connection } from '../../../src/db/postgres/connection.ts';
import { SharedConnections } from '../../../src/db/postgres/shared-connections.ts';

/** Connections by number, of which those in `lost` are of no further use. */
function setUp() {
  const given: number[] = [];
  const lost = new Set<number>();
  let taken = 0;
  const numberOf = (connection: Connection) => (connection as unknown as { number: number }).number;
  const shared = new SharedConnections({
    take: async () => ({ number: ++taken }) as unknown as Connection,
    giveBack: (connection) => void given.push(numberOf(connection)),
    isGood: (connection) => !lost.has(numberOf(connection)),
  });
  /** Begins a read: the number of its connection, and what ends it. */
  const begin = async (kind: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: began, resolve: tell } = Promise.withResolvers<number>();
    const ended = shared.use(kind, (connection) => {
      tell(numberOf(connection));
      return promise;
    });
    const number = await began;
    return {
      number,
      end: () => {
        resolve();
        return ended;
      },
    };
  };
  return { shared, given, lost, begin };
}

describe('connections that brief reads share', () => {
  it('are separate until three are in use; then a read joins the one with the fewest reads of its kind', async () => {
    const { begin } = setUp();
    const numbers = [];
    for (let n = 0; n < 7; n++) numbers.push((await begin('a')).number);
    deepStrictEqual(numbers, [1, 2, 3, 1, 2, 3, 1]);
  });

  it('run reads of one kind only', async () => {
    const { begin } = setUp();
    for (let n = 0; n < 3; n++) await begin('a');
    strictEqual((await begin('b')).number, 4);
    strictEqual((await begin('b')).number, 4);
    strictEqual((await begin('a')).number, 1);
  });

  it('run at most eight reads each', async () => {
    const { begin } = setUp();
    const numbers = [];
    for (let n = 0; n < 25; n++) numbers.push((await begin('a')).number);
    strictEqual(numbers.filter((number) => number === 1).length, 8);
    strictEqual(numbers.at(-1), 4);
  });

  it('are returned once, by their last read', async () => {
    const { begin, given } = setUp();
    const reads = [];
    for (let n = 0; n < 4; n++) reads.push(await begin('a'));
    await reads[0]!.end();
    deepStrictEqual(given, []);
    await reads[3]!.end();
    deepStrictEqual(given, [1]);
  });

  it('accept no further reads when they are lost', async () => {
    const { begin, lost } = setUp();
    for (let n = 0; n < 3; n++) await begin('a');
    lost.add(1).add(2).add(3);
    strictEqual((await begin('a')).number, 4);
  });

  it('fail every read that waits for an unavailable connection', async () => {
    const shared = new SharedConnections({
      take: () => Promise.reject(new Error('none')),
      giveBack: () => notStrictEqual(true, true, 'nothing was taken'),
      isGood: () => true,
    });
    const reads = Array.from({ length: 5 }, () => shared.use('a', async () => 'read'));
    for (const read of reads) await rejects(read, /none/);
  });
});
