/** The order in which listeners of `strapi.eventHub` are told, and what those that never end may hold up. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventTurns } from '../../../src/extend/running/strapi/event-turns.ts';

const never = new Promise<void>(() => {});

describe('events that listeners are told', () => {
  it('wait for those before them', async () => {
    const turns = new EventTurns({ events: 10, characters: 100 }, () => never);
    const told: string[] = [];
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    turns.add(1, async () => {
      told.push('first');
      await first.promise;
      told.push('first is over');
    });
    turns.add(1, async () => {
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
    const turns = new EventTurns({ events: 10, characters: 100 }, (signal) => {
      signals.push(signal);
      return waited.promise;
    });
    const told: string[] = [];
    const last = Promise.withResolvers<void>();
    turns.add(1, () => {
      told.push('never ends');
      waited.resolve();
      return never;
    });
    turns.add(1, async () => void told.push('second'));
    turns.add(1, async () => last.resolve());
    await last.promise;
    deepStrictEqual(told, ['never ends', 'second']);
    // nothing is left that waits
    strictEqual(signals[0]!.aborted, true);
  });

  it('are refused where too many wait, and taken again when these are told', async () => {
    const turns = new EventTurns({ events: 1, characters: 100 }, () => never);
    const told = Promise.withResolvers<void>();
    strictEqual(
      turns.add(1, async () => told.resolve()),
      true,
    );
    strictEqual(
      turns.add(1, async () => {}),
      false,
    );
    await told.promise;
    strictEqual(
      turns.add(1, async () => {}),
      true,
    );
  });
});
