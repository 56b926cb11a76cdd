/** The semaphore of `src/semaphore.ts`. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Semaphore } from '../../src/semaphore.ts';

describe('a semaphore', () => {
  it('runs as much work at a time as it has permits, in the order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const held = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const runs = held.map(({ promise }, n) =>
      semaphore.runUntil(performance.now() + 60_000, async () => {
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

  it('stops waiting at the deadline, and keeps the permit until the work ends', async () => {
    const semaphore = new Semaphore(1);
    const held = Promise.withResolvers<void>();
    let begun = 0;
    const work = async (): Promise<string> => {
      begun++;
      await held.promise;
      return 'done';
    };
    const [first, second] = [
      semaphore.runUntil(performance.now() + 5, work),
      semaphore.runUntil(performance.now() + 5, work),
    ];
    deepStrictEqual([await first, await second, begun], [undefined, undefined, 1]);
    // the first work still holds the permit
    const third = semaphore.runUntil(performance.now() + 60_000, work);
    strictEqual(begun, 1);
    held.resolve();
    deepStrictEqual([await third, begun], ['done', 2]);
  });

  it('frees the permit of failed work', async () => {
    const semaphore = new Semaphore(1);
    await rejects(
      semaphore.runUntil(performance.now() + 60_000, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    strictEqual(await semaphore.runUntil(performance.now() + 60_000, async () => 1), 1);
  });
});
