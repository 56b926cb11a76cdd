/** The LRU cache. */
import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FULL_ACCESS, grantsOf, READ_ONLY } from '../../src/access/grants.ts';
import { LruCache } from '../../src/lru-cache.ts';

describe('an LRU cache', () => {
  it('evicts the least recently used entry', () => {
    const map = new LruCache<string, number>(2);
    deepStrictEqual([map.set('a', 1), map.set('b', 2), map.get('a'), map.set('c', 3)], [[], [], 1, [2]]);
    deepStrictEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3]);
  });

  it('holds no more than its weight, and nothing that is too heavy', () => {
    const map = new LruCache<string, string>(100, { of: (_, text) => text.length, most: 10, each: 6 });
    map.set('heavy', 'x'.repeat(7));
    strictEqual(map.size, 0);
    for (const key of ['a', 'b', 'c']) map.set(key, key.repeat(4));
    deepStrictEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 'bbbb', 'cccc']);
    map.set('c', 'c');
    map.set('d', 'ddddd');
    deepStrictEqual([map.get('b'), map.get('c'), map.get('d')], ['bbbb', 'c', 'ddddd']);
  });
});

describe('the key of rights', () => {
  it('is never that of full or read-only access', () => {
    notStrictEqual(grantsOf(['all']).key, FULL_ACCESS.key);
    notStrictEqual(grantsOf(['reads']).key, READ_ONLY.key);
  });
});
