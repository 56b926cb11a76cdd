/** Sets of fields that reach into components. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fields, fieldTree, intersection, isWithin, namesOf, union } from '../../../src/access/field-tree.ts';

const tree = (text: string): Fields => (text === '*' ? true : fieldTree(text === '' ? [] : text.split(' ')));
const text = (fields: Fields): string => namesOf(fields)?.join(' ') ?? '*';

describe('a set of fields', () => {
  it('merges a name with the names below it, in any order', () => {
    for (const names of ['seo title', 'seo.a seo title', 'seo seo.a title'])
      strictEqual(text(tree(names)), 'seo title');
    strictEqual(text(tree('seo.a seo.b.c title')), 'seo.a seo.b.c title');
  });

  it('has a union and an intersection with another one', () => {
    const cases: [string, string, string, string][] = [
      ['a b', 'b c', 'a b c', 'b'],
      ['s.a s.b', 's.b s.c', 's.a s.b s.c', 's.b'],
      ['s', 's.b', 's', 's.b'],
      ['*', 'a s.b', '*', 'a s.b'],
      ['s.a', 's.b', 's.a s.b', ''],
      ['', 'a', 'a', ''],
    ];
    for (const [one, other, both, common] of cases) {
      for (const [a, b] of [
        [one, other],
        [other, one],
      ] as const) {
        deepStrictEqual([text(union(tree(a), tree(b))), text(intersection(tree(a), tree(b)))].map(sorted), [
          sorted(both),
          sorted(common),
        ]);
      }
      strictEqual(isWithin(tree(common), tree(one)), true);
      strictEqual(isWithin(tree(one), tree(both)), true);
    }
    strictEqual(isWithin(tree('s'), tree('s.a')), false);
    strictEqual(isWithin(tree('a b'), tree('a')), false);
  });
});

const sorted = (names: string): string => names.split(' ').sort().join(' ');
