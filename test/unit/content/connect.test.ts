/** How `connect` changes an ordered list: a table of cases, and random ones against the rule written down plainly. */
import { deepStrictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConnectEntry, connectAll } from '../../../src/content/relations/connect.ts';
import { Random } from '../../model/random.ts';

/** `d<c` before, `d>c` after, `^d` start, `d` or `d$` end. */
function entryOf(text: string): ConnectEntry {
  const [, start, name, kind, beside] = /^(\^?)(\w)([<>$]?)(\w?)$/.exec(text)!;
  const entry = { documentId: name!, keys: [name!] };
  if (start) return { ...entry, position: { kind: 'start' } };
  if (kind !== '<' && kind !== '>') return { ...entry, position: { kind: 'end' } };
  const place = { documentId: beside!, keys: [beside!] };
  return { ...entry, position: { kind: kind === '<' ? 'before' : 'after', ...place } };
}

const connected = (list: string, connect: string): string =>
  connectAll([...list], connect.split(' ').filter(Boolean).map(entryOf), 'tags').join('');

/** list, connect, outcome */
const CASES: readonly (readonly [string, string, string])[] = [
  ['', '', ''],
  ['abc', '', 'abc'],
  ['', 'a b c', 'abc'],
  ['ab', 'c d', 'abcd'],
  ['abc', 'a', 'bca'],
  ['abc', 'b$', 'acb'],
  ['abc', '^c', 'cab'],
  ['', '^a ^b ^c', 'cba'],
  ['ab', '^c d$', 'cabd'],
  ['abc', 'd<b', 'adbc'],
  ['abc', 'd>b', 'abdc'],
  ['abc', 'c<a', 'cab'],
  ['abc', 'a>c', 'bca'],
  ['abc', 'a>b', 'bac'],
  ['abc', 'b<c', 'abc'],
  // linked documents are referred to where they stand, whatever comes later
  ['abcd', 'd<c c<b b<a', 'bacd'],
  ['edabc', 'c<e e$', 'cdabe'],
  ['ab', 'a<b b<a', 'ba'],
  ['abc', 'a>b b>c c>a', 'acb'],
  ['abc', 'c<a ^b', 'bca'],
  ['abc', 'a>c c', 'bac'],
  ['abcd', 'x<b ^b', 'baxcd'],
  // what is not linked yet comes first
  ['', 'a<b b', 'ab'],
  ['', 'a>b b', 'ba'],
  ['ab', 'c<d d>a', 'acdb'],
  ['ab', 'c<d ^d', 'cdab'],
  ['', 'a>b b>c c>d d', 'dcba'],
  ['z', 'a<b b<c c<d d<z', 'abcdz'],
  ['z', 'd<z c<d b<c a<b', 'abcdz'],
  // an entry that was needed earlier is not applied again in its turn
  ['ab', 'c<d ^e d', 'eabcd'],
  // earlier entries are linked by then
  ['', 'a b<a c<a', 'bca'],
  ['', 'a b>a c>a', 'acb'],
];

describe('connect', () => {
  for (const [list, connect, outcome] of CASES) {
    it(`of ${connect || 'nothing'} to ${list || 'nothing'} gives ${outcome || 'nothing'}`, () => {
      deepStrictEqual(connected(list, connect), outcome);
    });
  }

  it('refuses a position beside a document that is not linked, and documents that wait for each other', () => {
    for (const [list, connect, message] of [
      ['ab', 'c<x', /x is not linked at tags/],
      ['ab', 'a<a', /a is not linked at tags/],
      ['', 'a<b b<a', /circle/],
      ['', 'a<a', /circle/],
      ['z', 'a>b b>c c>a z', /circle/],
    ] as const) {
      throws(() => connected(list, connect), { name: 'ValidationError', message }, `${list}: ${connect}`);
    }
  });

  it('places the rows of a document together, beside its linked rows', () => {
    const position = { kind: 'before', documentId: 'b', keys: ['b1', 'b2'] } as const;
    const entry = { documentId: 'c', keys: ['c1', 'c2'], position };
    deepStrictEqual(connectAll(['a1', 'b2', 'd1', 'b1'], [entry], 'tags'), ['a1', 'c1', 'c2', 'b2', 'd1', 'b1']);
    const after = { ...entry, position: { ...position, kind: 'after' as const } };
    deepStrictEqual(connectAll(['c2', 'b2', 'd1'], [after], 'tags'), ['b2', 'c1', 'c2', 'd1']);
  });

  it('follows a long chain', () => {
    const length = 10_000;
    const entries = Array.from({ length }, (_, index): ConnectEntry => {
      const beside = { documentId: '', keys: [`${index + 1}`] };
      const position = index === length - 1 ? ({ kind: 'end' } as const) : ({ kind: 'after', ...beside } as const);
      return { documentId: '', keys: [`${index}`], position };
    });
    const list = connectAll([], entries, 'tags');
    deepStrictEqual([list.length, list[0], list.at(-1)], [length, `${length - 1}`, '0']);
  });

  it('keeps the order of many that are placed beside the same document, one of whose rows comes first', () => {
    const place = { kind: 'before', documentId: 'z', keys: ['z2', 'z1'] } as const;
    const entries = Array.from({ length: 500 }, (_, n): ConnectEntry => {
      // every second one is placed beside the one before, so that places are halved again and again
      const beside = { kind: 'before', documentId: `${n - 1}`, keys: [`${n - 1}`] } as const;
      return { documentId: `${n}`, keys: [`${n}`], position: n % 2 === 1 ? beside : place };
    });
    const naive = ['a', 'z1', 'b', 'z2'];
    for (const { keys, position } of entries) {
      const at = 'keys' in position ? Math.min(...position.keys.map((key) => naive.indexOf(key))) : naive.length;
      naive.splice(at, 0, ...keys);
    }
    deepStrictEqual(connectAll(['a', 'z1', 'b', 'z2'], entries, 'tags'), naive);
  });

  it('follows the rule in random cases', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const random = new Random(seed);
      const list = random.some([...'abcdef'], 6).join('');
      const connect = random.some([...'abcdefgh'], 6).map((name) => {
        const dice = random.next();
        if (dice < 0.15) return `^${name}`;
        if (dice < 0.3) return name;
        return `${name}${dice < 0.65 ? '<' : '>'}${random.pick([...'abcdefgh'])}`;
      });
      deepStrictEqual(
        outcome(() => connected(list, connect.join(' '))),
        outcome(() => naive(list, connect)),
        `${seed}`,
      );
    }
  });
});

function outcome(run: () => string): string {
  try {
    return run();
  } catch {
    return 'refused';
  }
}

/** The rule, one entry at a time: who refers to somebody that is not linked and still to come lets that one go first. */
function naive(start: string, connect: readonly string[]): string {
  let list = [...start];
  let open = connect.map(entryOf);
  const place = (entry: ConnectEntry, waiting: readonly ConnectEntry[]): void => {
    if (waiting.includes(entry)) throw new Error('circle');
    const name = entry.keys[0]!;
    const { position } = entry;
    const beside = 'keys' in position ? position.keys[0]! : undefined;
    if (beside !== undefined && !list.includes(beside)) {
      const other = open.find(({ keys }) => keys[0] === beside);
      if (other) place(other, [...waiting, entry]);
    }
    open = open.filter((other) => other !== entry);
    list = list.filter((other) => other !== name);
    if (position.kind === 'start') list = [name, ...list];
    else if (position.kind === 'end') list = [...list, name];
    else {
      const at = list.indexOf(beside!);
      if (at < 0) throw new Error('not linked');
      list.splice(position.kind === 'before' ? at : at + 1, 0, name);
    }
  };
  while (open.length > 0) place(open[0]!, []);
  return list.join('');
}
