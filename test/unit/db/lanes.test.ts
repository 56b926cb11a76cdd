/** The choice of a lane: by the plan, by measurements, and by the caller. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Read } from '../../../src/db/interface/database.ts';
import { Lanes } from '../../../src/db/scheduling/lanes.ts';
import type { ReadCost } from '../../../src/plan/cost.ts';

const TIMES = { small: 2, bounded: 100, quick: 10, surprise: 40, surprises: 1 };
const ROWS: Readonly<Record<string, number>> = { small: 100, large: 50_000, huge: 1_000_000 };

const costOf = (tables: readonly string[], dependsOnValues = false): ReadCost => ({
  terms: [{ tables, weight: 1 }],
  dependsOnValues,
});
const readOf = (cost: ReadCost, page?: Read['page']): Read => ({ text: '', values: [], table: 't', cost, page });

const lanes = () => new Lanes((table) => ROWS[table], TIMES);
const seen = (caller: string, milliseconds: number, lane: 'quick' | 'slow' = 'slow') => ({
  caller,
  lane,
  milliseconds,
});

describe('the lane of a read', () => {
  it('is quick if examining every row takes little time', () => {
    strictEqual(lanes().choose(readOf(costOf(['small'])), 'a'), 'quick');
  });

  it('is slow for a plan that may be slow and was never measured', () => {
    strictEqual(lanes().choose(readOf(costOf(['large'])), 'a'), 'slow');
    strictEqual(lanes().choose(readOf(costOf(['small', 'small', 'small'])), 'a'), 'slow');
  });

  it('follows measurements with equal values if an index finds the rows by the values', () => {
    const choice = lanes();
    const cost = { ...costOf(['large']), byValues: true };
    const read = { ...readOf(cost), values: ['rare'] };
    choice.note(read, seen('a', 1));
    strictEqual(choice.choose(read, 'a'), 'quick');
    strictEqual(choice.choose({ ...read, values: ['common'] }, 'a'), 'slow');
  });

  it('is slow if the size of a table is unknown', () => {
    strictEqual(lanes().choose(readOf(costOf(['unknown'])), 'a'), 'slow');
  });

  it('follows measurements of the plan', () => {
    const choice = lanes();
    const read = readOf(costOf(['large']));
    choice.note(read, seen('a', 1));
    strictEqual(choice.choose(read, 'a'), 'quick');
    choice.note(read, seen('b', 500));
    strictEqual(choice.choose(read, 'a'), 'slow');
  });

  it('becomes quick again when a slow plan is measured to be quick', () => {
    const choice = lanes();
    const read = readOf(costOf(['large']));
    choice.note(read, seen('a', 30));
    strictEqual(choice.choose(read, 'a'), 'slow');
    choice.note(read, seen('a', 1));
    strictEqual(choice.choose(read, 'a'), 'quick');
  });

  it('tolerates single slow reads on a busy machine, but not slow reads throughout', () => {
    const choice = lanes();
    const read = readOf(costOf(['large']));
    choice.note(read, seen('a', 1));
    for (let i = 0; i < 3; i++) choice.note(read, seen('a', 30));
    strictEqual(choice.choose(read, 'a'), 'quick');
    for (let i = 0; i < 100; i++) choice.note(read, seen('a', 30));
    strictEqual(choice.choose(read, 'a'), 'slow');
  });

  it('does not apply measurements of a short page to a long one, or of the first rows to a large offset', () => {
    const choice = lanes();
    const cost = costOf(['large']);
    choice.note(readOf(cost, { limit: 1, offset: 0 }), seen('a', 1));
    strictEqual(choice.choose(readOf(cost, { limit: 1, offset: 0 }), 'a'), 'quick');
    strictEqual(choice.choose(readOf(cost, { limit: 100, offset: 0 }), 'a'), 'slow');
    strictEqual(choice.choose(readOf(cost, { limit: 1, offset: 50_000 }), 'a'), 'slow');
  });

  it('does not apply measurements to other values if the plan has no useful upper bound', () => {
    const choice = lanes();
    const cost = costOf(['huge']);
    const withValue = (value: string | bigint): Read => ({ ...readOf(cost), values: [value] });
    choice.note(withValue('none'), seen('a', 0.1));
    strictEqual(choice.choose(withValue('none'), 'b'), 'quick');
    strictEqual(choice.choose(withValue('much'), 'a'), 'slow');
    choice.note(withValue('much'), seen('a', 500));
    strictEqual(choice.choose(withValue('none'), 'a'), 'quick');
    strictEqual(choice.choose(withValue('much'), 'a'), 'slow');
    choice.note(withValue(2n ** 60n), seen('a', 1));
    strictEqual(choice.choose(withValue(2n ** 60n), 'a'), 'quick');
  });

  it('remembers long values', () => {
    const choice = lanes();
    const read: Read = { ...readOf(costOf(['huge'])), values: ['x'.repeat(10_000)] };
    choice.note(read, seen('a', 1));
    strictEqual(choice.choose(read, 'a'), 'quick');
    strictEqual(choice.choose({ ...read, values: [`${'x'.repeat(9999)}y`] }, 'a'), 'slow');
  });

  it('applies measurements to other values if examining every row takes a tolerable time', () => {
    const choice = lanes();
    const cost = costOf(['large']);
    choice.note({ ...readOf(cost), values: ['a'] }, seen('a', 1));
    strictEqual(choice.choose({ ...readOf(cost), values: ['b'] }, 'a'), 'quick');
  });

  it('is slow if the values decide the amount of work, despite measurements', () => {
    const choice = lanes();
    const read = readOf(costOf(['large'], true));
    choice.note(read, seen('a', 1));
    strictEqual(choice.choose(read, 'a'), 'slow');
    strictEqual(choice.choose(readOf(costOf(['small'], true)), 'a'), 'quick');
  });

  it('is slow for a while for a caller whose quick read was slow, and for no other caller', () => {
    const choice = lanes();
    const other = readOf(costOf(['large']));
    choice.note(other, seen('b', 1), 0);
    choice.note(readOf(costOf(['large'])), seen('a', 100, 'quick'), 0);
    strictEqual(choice.choose(other, 'a', 1000), 'slow');
    strictEqual(choice.choose(other, 'b', 1000), 'quick');
    strictEqual(choice.choose(other, 'a', 3_600_000), 'quick');
  });

  it('tolerates surprises of one moment, and a few more, where other work also makes reads slow', () => {
    const choice = new Lanes((table) => ROWS[table], { ...TIMES, surprises: 3 });
    const other = readOf(costOf(['large']));
    choice.note(other, seen('b', 1), 0);
    const surprise = (now: number) => choice.note(readOf(costOf(['large'])), seen('a', 100, 'quick'), now);
    for (const now of [0, 10, 20, 30, 2000]) surprise(now);
    strictEqual(choice.choose(other, 'a', 2001), 'quick');
    surprise(70_000);
    strictEqual(choice.choose(other, 'a', 70_001), 'quick');
    surprise(72_000);
    surprise(74_000);
    strictEqual(choice.choose(other, 'a', 74_001), 'slow');
    surprise(75_500);
    strictEqual(choice.choose(other, 'a', 130_000), 'slow');
    strictEqual(choice.choose(other, 'a', 136_000), 'quick');
  });
});
