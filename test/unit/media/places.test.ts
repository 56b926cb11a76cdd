/** Places that many want, and leave when their time is over. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Places } from '../../../src/media/safety/places.ts';

describe('places for what takes long', () => {
  it('are given in the order in which they were asked for, so many at a time', async () => {
    const places = new Places(2);
    const held = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const runs = held.map(({ promise }, n) =>
      places.run(performance.now() + 60_000, async () => {
        begun.push(n);
        await promise;
        return n;
      }),
    );
    deepStrictEqual(begun, [0, 1]);
    held[1]!.resolve();
    strictEqual(await runs[1], 1);
    deepStrictEqual(begun, [0, 1, 2]);
    for (const { resolve } of held) resolve();
    deepStrictEqual(await Promise.all(runs), [0, 1, 2, 3]);
  });

  it('are not waited for beyond a time, nor is what goes on in them', async () => {
    const places = new Places(1);
    const held = Promise.withResolvers<void>();
    let begun = 0;
    const work = async (): Promise<string> => {
      begun++;
      await held.promise;
      return 'done';
    };
    const [first, second] = [places.run(performance.now() + 5, work), places.run(performance.now() + 5, work)];
    deepStrictEqual([await first, await second, begun], [undefined, undefined, 1]);
    // it is taken as long as that goes on
    const third = places.run(performance.now() + 60_000, work);
    strictEqual(begun, 1);
    held.resolve();
    deepStrictEqual([await third, begun], ['done', 2]);
  });

  it('are free again after what has failed', async () => {
    const places = new Places(1);
    await rejects(
      places.run(performance.now() + 60_000, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    strictEqual(await places.run(performance.now() + 60_000, async () => 1), 1);
  });
});
