/** The order of events for listeners of `strapi.eventHub`, and listeners that never end. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventTurns } from '../../../src/runtime/strapi/event-hub.ts';

const never = new Promise<void>(() => {});

describe('events for listeners', () => {
  it('wait for those before them', async () => {
    const turns = new EventTurns(10, () => never);
    const told: string[] = [];
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    turns.add(async () => {
      told.push('first');
      await first.promise;
      told.push('first is over');
    });
    turns.add(async () => {
      told.push('second');
      last.resolve();
    });
    first.resolve();
    await last.promise;
    deepStrictEqual(told, ['first', 'first is over', 'second']);
  });

  it('are emitted after a listener that never ends, with a time limit', async () => {
    const waited = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const turns = new EventTurns(10, (signal) => {
      signals.push(signal);
      return waited.promise;
    });
    const told: string[] = [];
    const last = Promise.withResolvers<void>();
    turns.add(() => {
      told.push('never ends');
      waited.resolve();
      return never;
    });
    turns.add(async () => void told.push('second'));
    turns.add(async () => last.resolve());
    await last.promise;
    deepStrictEqual(told, ['never ends', 'second']);
    // nothing is left that waits
    strictEqual(signals[0]!.aborted, true);
  });

  it('are dropped if too many wait, and accepted again after these', async () => {
    const turns = new EventTurns(1, () => never);
    const told = Promise.withResolvers<void>();
    strictEqual(
      turns.add(async () => told.resolve()),
      true,
    );
    strictEqual(
      turns.add(async () => {}),
      false,
    );
    await told.promise;
    strictEqual(
      turns.add(async () => {}),
      true,
    );
  });
});
