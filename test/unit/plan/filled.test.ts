/** Which attributes of a row have values in other tables, as a text and as sets. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FilledPlan, isWithin, readFilled } from '../../../src/plan/filled.ts';

const plan = { links: ['cover', 'author', 'tags'].map((name) => [name, {}]), ties: 'cmps' } as unknown as FilledPlan;

describe('the attributes of a row with values', () => {
  it('are read from a digit for each attribute with links, and the components', () => {
    const { unlinked, components } = readFilled(plan, '010seo shared.seo,zone blocks.quote,zone blocks.hero');
    deepStrictEqual([...unlinked], ['cover', 'tags']);
    deepStrictEqual(
      [...components].map(([name, uids]) => [name, [...uids]]),
      [
        ['seo', ['shared.seo']],
        ['zone', ['blocks.quote', 'blocks.hero']],
      ],
    );
  });

  it('are within others where these have at least the same', () => {
    const row = readFilled(plan, '010zone blocks.quote');
    for (const wider of ['010zone blocks.quote', '111seo shared.seo,zone blocks.hero,zone blocks.quote']) {
      ok(isWithin(row, readFilled(plan, wider)), wider);
    }
    for (const other of ['100zone blocks.quote', '010', '010zone blocks.hero', '010seo blocks.quote']) {
      ok(!isWithin(row, readFilled(plan, other)), other);
    }
  });
});
