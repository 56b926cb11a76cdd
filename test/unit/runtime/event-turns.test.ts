/** The order in which listeners of `strapi.eventHub` are told, and what those that never end may hold up. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventTurns } from '../../../src/runtime/strapi/event-hub.ts';

const never = new Promise<void>(() => {});

describe('events that listeners are told', () => {
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

  it('are told behind a listener that never ends, when they have waited long enough', async () => {
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

  it('are refused where too many wait, and taken again when these are told', async () => {
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
