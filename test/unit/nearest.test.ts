/** The nearest word: docs/reference/errors.md, "did you mean". */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSlip, nearest } from '../../src/nearest.ts';

/** Optimal string alignment over the whole matrix. */
function edits(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i || j));
  for (let i = 1; i <= a.length; i++) rows[i]![0] = i;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const [up, left, before] = [rows[i - 1]![j]!, rows[i]![j - 1]!, rows[i - 1]![j - 1]!];
      let cost = Math.min(up + 1, left + 1, before + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = cost;
    }
  return rows[a.length]![b.length]!;
}

/** All words of up to seven letters of a sequence that never repeats soon. */
function words(count: number): string[] {
  let seed = 1;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return Array.from({ length: count }, () => Array.from({ length: 1 + next(9) }, () => 'abc'[next(3)]).join(''));
}

describe('the nearest word', () => {
  it('is never much longer than an earlier one', () => {
    const actions = ['article.article.find', 'article.article.findOne', 'article.article.findSomething'];
    strictEqual(nearest('article.article.fnd', actions), 'article.article.find');
  });

  it('has the fewest edits of all candidates within the limit, the first of several', () => {
    const candidates = words(60);
    for (const word of words(300)) {
      let best: string | undefined;
      let least = Number.POSITIVE_INFINITY;
      for (const one of candidates) {
        const limit = Math.max(1, Math.floor(Math.max(word.length, one.length) / 3));
        const cost = edits(word, one);
        if (cost <= limit && cost < least) [best, least] = [one, cost];
      }
      strictEqual(nearest(word, candidates), best, word);
    }
  });

  it('differs by one edit where it is a slip', () => {
    const candidates = words(60);
    for (const word of words(300)) {
      strictEqual(
        isSlip(word, candidates),
        candidates.some((one) => one !== word && edits(word, one) <= 1),
        word,
      );
    }
  });
});
