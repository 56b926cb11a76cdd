/** Turns: callers in rotation, a reserved place for others, and a limit of waiting. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onAccountOf } from '../../../src/db/interface/account.ts';
import { Turns, type TurnsOptions } from '../../../src/db/scheduling/turns.ts';

const OPTIONS: TurnsOptions = { places: 2, share: 2, waitingEach: 10, waiting: 20, patience: 60_000 };
const BUSY = { name: 'ServiceUnavailableError', status: 503 };

/** Turns whose work lasts until it is told to end. */
function scene(options: Partial<TurnsOptions> = {}) {
  const turns = new Turns({ ...OPTIONS, ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (caller: string, name: string, table?: string): Promise<string> =>
    onAccountOf(caller, () =>
      turns.run(table, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    );
  const end = async (name: string): Promise<void> => {
    ends.get(name)!();
    // the place is given away once those who waited for the work have been told
    await new Promise(setImmediate);
  };
  return { turns, begun, ask, end };
}

describe('turns', () => {
  it('begin at once while there is a free place', () => {
    const { begun, ask, turns } = scene();
    void ask('a', 'a1');
    void ask('b', 'b1');
    void ask('c', 'c1');
    deepStrictEqual(begun, ['a1', 'b1']);
    deepStrictEqual(turns.load, { taken: 2, waiting: 1 });
  });

  it('rotate among callers, each with its oldest request first', async () => {
    const { begun, ask, end } = scene({ places: 1, share: 1 });
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    for (const name of ['b1', 'b2']) void ask('b', name);
    void ask('c', 'c1');
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) if (begun.includes(name)) await end(name);
    deepStrictEqual(begun.slice(0, 2), ['a1', 'a2']);
    for (const name of begun.slice(2)) await end(name);
    deepStrictEqual(begun.toSorted(), ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
    // after the second of `a` the others come before its third
    strictEqual(begun.indexOf('a3') > begun.indexOf('b1') && begun.indexOf('a3') > begun.indexOf('c1'), true);
  });

  it('leave a place free for other callers', async () => {
    const { begun, ask, end } = scene({ places: 2, share: 1 });
    void ask('a', 'a1');
    void ask('a', 'a2');
    deepStrictEqual(begun, ['a1']);
    void ask('b', 'b1');
    deepStrictEqual(begun, ['a1', 'b1']);
    await end('b1');
    deepStrictEqual(begun, ['a1', 'b1']);
    await end('a1');
    deepStrictEqual(begun, ['a1', 'b1', 'a2']);
  });

  it('leave a place free for other tables', async () => {
    const { begun, ask, end } = scene({ places: 3, share: 2, tableShare: 2 });
    void ask('a', 'a1', 'locked');
    void ask('b', 'b1', 'locked');
    void ask('c', 'c1', 'locked');
    void ask('c', 'c2', 'free');
    deepStrictEqual(begun, ['a1', 'b1', 'c2']);
    await end('a1');
    deepStrictEqual(begun, ['a1', 'b1', 'c2', 'c1']);
  });

  it('pass on when the work fails', async () => {
    const turns = new Turns({ ...OPTIONS, places: 1, share: 1 });
    const failing = turns.run(undefined, () => Promise.reject(new Error('no')));
    const next = turns.run(undefined, () => 'served');
    await rejects(failing, /no/);
    strictEqual(await next, 'served');
    deepStrictEqual(turns.load, { taken: 0, waiting: 0 });
  });

  it('are refused to a caller with too many waiting requests, and to no other caller', async () => {
    const { ask, turns } = scene({ places: 1, share: 1, waitingEach: 1 });
    void ask('a', 'a1');
    void ask('a', 'a2');
    await rejects(ask('a', 'a3'), BUSY);
    void ask('b', 'b1');
    strictEqual(turns.load.waiting, 2);
  });

  it('are refused when too many requests wait in all', async () => {
    const { ask } = scene({ places: 1, share: 1, waiting: 1 });
    void ask('a', 'a1');
    void ask('b', 'b1');
    await rejects(ask('c', 'c1'), BUSY);
  });

  it('are refused to requests that would wait too long', async () => {
    const { ask, begun, end, turns } = scene({ places: 1, share: 1, patience: 20 });
    void ask('a', 'a1');
    await rejects(ask('b', 'b1'), BUSY);
    deepStrictEqual(turns.load, { taken: 1, waiting: 0 });
    await end('a1');
    deepStrictEqual(begun, ['a1']);
    void ask('c', 'c1');
    deepStrictEqual(begun, ['a1', 'c1']);
  });
});
