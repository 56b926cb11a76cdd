import { ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { processorTime, WorkTimer } from '../../src/processor-time.ts';

describe('the time of work', () => {
  it('is no less than the processor was used for', () => {
    const timer = new WorkTimer();
    timer.since(timer.begin());
    const begun = timer.begin();
    const used = processorTime();
    while (processorTime() - used < 5);
    const told = timer.since(begun);
    ok(told >= 5, `${told} ms`);
  });

  it('does not grow while the thread waits', () => {
    const timer = new WorkTimer();
    const begun = timer.begin();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    const told = timer.since(begun);
    ok(told < 25, `${told} ms`);
  });

  it('of short work is that of the clock', () => {
    const timer = new WorkTimer();
    const told = timer.since(timer.begin());
    ok(told >= 0 && told <= 1.5, `${told} ms`);
  });
});
