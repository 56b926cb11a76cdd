/** The order in which commits count of transactions that wrote the same documents. */
import { deepStrictEqual } from 'node:assert/strict';
import { it } from 'node:test';
import { CommitOrder } from '../../../src/runtime/strapi/event-hub.ts';

it('a later write of a document counts later, and no other transaction waits for it', () => {
  const order = new CommitOrder();
  const done: string[] = [];
  const begin = (name: string, ...documents: string[]) => {
    const ended = order.begin(new Set(documents));
    return { commit: () => ended(() => done.push(name)), rollback: () => ended() };
  };
  const [first, second, third, fourth] = [begin('1', 'a'), begin('2', 'a', 'b'), begin('3', 'b'), begin('4', 'c')];
  third.commit();
  second.commit();
  fourth.commit();
  deepStrictEqual(done, ['4']);
  first.commit();
  deepStrictEqual(done, ['4', '1', '2', '3']);
  const [fifth, sixth, seventh] = [begin('5', 'a'), begin('6', 'a'), begin('7', 'a')];
  seventh.commit();
  fifth.rollback();
  deepStrictEqual(done, ['4', '1', '2', '3']);
  sixth.rollback();
  deepStrictEqual(done, ['4', '1', '2', '3', '7']);
});
