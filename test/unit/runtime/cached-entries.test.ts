/** The number of written entries that are cached for listeners of `strapi.eventHub`. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transaction } from '../../../src/db/interface/transaction.ts';
import { KeptEntries } from '../../../src/runtime/strapi/event-hub.ts';

/** A transaction, as far as it tells that it was rolled back. */
function transaction() {
  const listeners: (() => void)[] = [];
  const tx = { afterRollback: (listener: () => void) => void listeners.push(listener) } as unknown as Transaction;
  return { tx, rollBack: () => listeners.forEach((listener) => void listener()) };
}

describe('entries that are cached until their event', () => {
  it('are no more than may be, and one however long', () => {
    const kept = new KeptEntries(10);
    const { tx } = transaction();
    strictEqual(kept.keep(tx, 'a'.repeat(20)), 'a'.repeat(20));
    strictEqual(kept.keep(tx, 'b'), undefined);
    kept.committed(tx, ['a'.repeat(20)]);
    kept.forget('a'.repeat(20));
    deepStrictEqual(
      [kept.keep(tx, '12345'), kept.keep(tx, '67890'), kept.keep(tx, '1')],
      ['12345', '67890', undefined],
    );
  });

  it('are forgotten with a transaction that is rolled back', () => {
    const kept = new KeptEntries(10);
    const { tx, rollBack } = transaction();
    kept.keep(tx, '12345');
    kept.keepRemoved(tx, 'key', '67890');
    rollBack();
    strictEqual(kept.characters, 0);
  });

  it('are removed after their event, or at a commit without events', () => {
    const kept = new KeptEntries(10);
    const { tx } = transaction();
    const json = kept.keep(tx, '12345');
    kept.keepRemoved(tx, 'one', '67');
    kept.keepRemoved(tx, 'other', '89');
    kept.committed(tx, [json, kept.removed(tx, 'one'), undefined]);
    strictEqual(kept.characters, 7);
    kept.forget(json);
    kept.forget(kept.removed(tx, 'one'));
    kept.forget(undefined);
    strictEqual(kept.characters, 0);
  });
});
