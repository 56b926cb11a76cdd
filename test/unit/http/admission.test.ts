/** Admission: handlers begin at once until a turn of the event loop has had its share, and then by caller in rotation. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Admission } from '../../../src/http/protocol/admission.ts';
import { processorTime } from '../../../src/processor-time.ts';

/** Keeps the thread busy for longer than a turn's share. */
function work(milliseconds = 10): void {
  const until = processorTime() + milliseconds;
  while (processorTime() < until);
}

describe('admission', () => {
  it('lets handlers begin at once as long as the turn has time', () => {
    const admission = new Admission();
    for (let n = 0; n < 5; n++) strictEqual(admission.wait('a'), undefined);
  });

  it('defers requests when the turn has had its share, and lets them begin later', async () => {
    const admission = new Admission();
    strictEqual(admission.wait('a'), undefined);
    work();
    const later = admission.wait('a');
    ok(later);
    await later;
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    strictEqual(admission.wait('a'), undefined);
  });

  it('serves callers in rotation, each its oldest request first', async () => {
    const admission = new Admission();
    const begun: string[] = [];
    strictEqual(admission.wait('a'), undefined);
    work();
    const ask = async (caller: string, name: string): Promise<void> => {
      await admission.wait(caller);
      begun.push(name);
      work();
    };
    await Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1')]);
    deepStrictEqual(begun, ['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('leaves time between handlers for other events', async () => {
    const admission = new Admission();
    const order: string[] = [];
    strictEqual(admission.wait('a'), undefined);
    work();
    const handlers = [1, 2, 3].map(async (n) => {
      await admission.wait('a');
      order.push(`handler ${n}`);
      work();
    });
    setImmediate(() => setImmediate(() => setImmediate(() => order.push('something else'))));
    await Promise.all(handlers);
    ok(order.indexOf('something else') < order.indexOf('handler 3'), order.join());
  });
});
