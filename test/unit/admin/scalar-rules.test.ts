/**
 * The rules of values: the form reports and withholds the same values that the server refuses, in publications and in
 * drafts.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attribute } from '../../../admin/contract/schema.ts';
import { draftProblemOf, problemOf } from '../../../admin/src/form/values/problems.ts';
import { PatternTime } from '../../../src/content/validation/pattern-time.ts';
import { checkScalar } from '../../../src/content/validation/validate-scalar.ts';
import { Failures } from '../../../src/failures.ts';
import type { ScalarAttribute } from '../../../src/schema/catalog.ts';
import { article } from './form-schema.ts';

type Rules = Partial<Pick<Attribute, 'minLength' | 'maxLength' | 'enum' | 'min' | 'max'>>;

const texts = (length: number) => ['', 'a', 'x'.repeat(length - 1), 'x'.repeat(length), 'x'.repeat(length + 1)];
const around = (bound: number) => [bound - 1, bound, bound + 1];
const bigAround = (bound: bigint) => [bound - 1n, bound, bound + 1n].map(String);
const SPELLED = ['a@b.c', 'a@b', 'a b@c.d', 'a@b..c', '<a@b.c>', 'a@b.c.', 'ä@b.c', 'a@@b.c', 'a(b)@c.d', '@b.c'];
const UIDS = ['a-b_c.d~e', 'a b', 'ä', 'a/b', 'A0'];

/** Of each type the rules that it is given, and values at their limits. */
const CASES: readonly (readonly [Attribute['type'], Rules, readonly (string | number)[]])[] = [
  ['string', {}, texts(255)],
  ['string', { minLength: 2, maxLength: 300 }, [...texts(255), ...texts(300)]],
  ['text', {}, texts(255)],
  ['text', { minLength: 3, maxLength: 5 }, ['a', 'abc', 'abcde', 'abcdef']],
  ['richtext', { maxLength: 5 }, ['abcde', 'abcdef']],
  ['email', {}, ['', ...SPELLED, ...texts(255).map((text) => `${text}@b.c`)]],
  ['uid', {}, [...UIDS, ...texts(255)]],
  ['password', {}, texts(255).slice(1, 2)],
  ['password', { minLength: 6 }, ['short', 'honey7']],
  ['enumeration', { enum: ['a', 'b'] }, ['a', 'b', 'c', 'A']],
  ['integer', {}, [...around(2 ** 31 - 1), ...around(-(2 ** 31)), 0, 1.5]],
  ['integer', { min: 2, max: 4 }, [1, 2, 4, 5]],
  ['decimal', {}, [99_999_999.99, 100_000_000, -99_999_999.99, -100_000_000, 0.01]],
  ['decimal', { min: -1, max: 1 }, [-1.01, -1, 1, 1.01]],
  ['float', {}, [1e300, -1e300, 0.1]],
  ['float', { min: 0, max: 1 }, [-0.1, 0, 1, 1.1]],
  ['biginteger', {}, [...bigAround(2n ** 63n - 1n), ...bigAround(-(2n ** 63n)), '1.5', 'x', '+7']],
  ['biginteger', { min: '5', max: '7' }, ['4', '5', '7', '8']],
];

/** Whether the server refuses a value. */
function isRefused(attribute: Attribute, value: string | number, strict: boolean): boolean {
  const failures = new Failures();
  const place = { above: undefined, key: attribute.name };
  const { min, max, ...rest } = attribute;
  const stored = { ...rest, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  checkScalar(stored as unknown as ScalarAttribute, value, { strict, place, failures, patterns: new PatternTime() });
  return failures.count > 0;
}

describe('the rules of values in the form', () => {
  it('are those of the server, for published versions and drafts', () => {
    const [first] = article.attributes;
    const differences: string[] = [];
    for (const [type, rules, values] of CASES) {
      const attribute: Attribute = { ...first!, ...rules, type, required: false };
      for (const value of values) {
        const told = problemOf(attribute, value) !== undefined;
        const isHeld = draftProblemOf(attribute, value) !== undefined;
        const said = `${type} ${JSON.stringify(rules)} ${String(value).slice(0, 20)}/${String(value).length}`;
        if (told !== isRefused(attribute, value, true)) differences.push(`${said}: published`);
        // passwords are never read again, so those that are only spared in drafts are held back as well
        const isSpared = type !== 'password' && !isRefused(attribute, value, false);
        if (isHeld !== (told && !isSpared)) differences.push(`${said}: draft`);
      }
    }
    deepStrictEqual(differences, []);
  });

  it('leave patterns, which may take exponential time, to the server', () => {
    const [first] = article.attributes;
    const slow: Attribute = { ...first!, type: 'string', regex: '(a+)+$' };
    strictEqual(problemOf(slow, `${'a'.repeat(40)}!`), undefined);
    strictEqual(problemOf({ ...slow, type: 'uid' }, 'a/b'), undefined);
  });

  it('hold back numbers with more decimals than their column keeps, however they are written', () => {
    const { attributes } = article;
    const price: Attribute = { ...attributes.find(({ name }) => name === 'price')!, decimals: 2 };
    const held = (value: number): boolean => draftProblemOf(price, value)?.kind === 'tooFine';
    deepStrictEqual(
      [7.125, -0.001, 1e-7, 1.5e-7, 12.345678].filter((value) => !held(value)),
      [],
    );
    deepStrictEqual([7.12, 7.1, 7, 1e7, 0, -99_999_999.99].filter(held), []);
    deepStrictEqual(draftProblemOf({ ...price, decimals: 0 }, 0.5), { kind: 'tooFine', limit: 0 });
    const { decimals: _, ...whole } = price;
    strictEqual(draftProblemOf(whole, 0.125), undefined);
  });
});
