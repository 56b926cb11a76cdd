/** The answer to a body that is wrong in many places, or in a large value. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContentError } from '../../src/errors.ts';
import { at, below, Failures, failureLimits, type Place, validationFailure } from '../../src/failures.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into details freely
const detailsOf = (error: ContentError): any => error.details;
const told = (value: unknown) => detailsOf(validationFailure(at('a'), 'wrong', value)).errors[0];

describe('failures', () => {
  it('of one value are the message, of several their number', () => {
    const failures = new Failures();
    failures.add(at('slots', 1, 'label'), (label) => `${label} must be defined.`, null);
    deepStrictEqual(failures.error().message, 'slots[1].label must be defined.');
    deepStrictEqual(detailsOf(failures.error()).errors[0].path, ['slots', '1', 'label']);
    failures.addWrongType(undefined, 'object', []);
    deepStrictEqual(failures.error().message, '2 errors occurred');
    const [, second] = detailsOf(failures.error()).errors;
    deepStrictEqual(second.message, 'this must be a `object` type, but the final value was: `[]`.');
  });

  it('beyond the budget are counted, and nothing of them is looked at', () => {
    const failures = new Failures();
    for (let index = 0; index < failureLimits.failures; index++) failures.add(at(index), 'wrong', index);
    const untouchable = new Proxy(
      {},
      {
        get: () => {
          throw new Error('the value was looked at');
        },
      },
    );
    for (let index = 0; index < 100_000; index++) {
      failures.add(
        at('rest', index),
        () => {
          throw new Error('the sentence was made');
        },
        untouchable,
      );
    }
    const { errors, more } = detailsOf(failures.error());
    deepStrictEqual([errors.length, more], [failureLimits.failures, 100_000]);
    strictEqual(failures.error().message, `${failureLimits.failures + 100_000} errors occurred`);
  });

  it('share one budget of characters', () => {
    const failures = new Failures();
    const long = Array.from({ length: 20 }, () => 'k'.repeat(500));
    for (let index = 0; index < 20; index++) failures.withoutValues().add(at(...long), 'wrong');
    ok(JSON.stringify(failures.error().details).length < 2 * failureLimits.characters);
    ok(detailsOf(failures.error()).more > 0);
  });

  it('quote a value, or the beginning of a long one', () => {
    for (const value of [null, 0, '', 'x'.repeat(300), [1, { a: null }], { a: [] }, false]) {
      deepStrictEqual(told(value).value, value);
    }
    deepStrictEqual(told(5n).value, '5');
    deepStrictEqual(told({ a: undefined, b: [2n] }).value, { b: ['2'] });
    ok(!('value' in told(undefined)));
    strictEqual(told('x'.repeat(301)).value, `${'x'.repeat(300)}…`);
    strictEqual(told(`${'x'.repeat(299)}😀`).value, `${'x'.repeat(299)}…`);
    const list = told(Array.from({ length: 1e6 }, () => 'item')).value;
    ok(list.startsWith('["item","item",') && list.endsWith('…') && list.length === 301, list);
    const circle: unknown[] = [];
    circle.push(circle);
    ok(told(circle).value.startsWith('[[[['));
  });

  it('cut the steps of a path that a caller names', () => {
    const place: Place = below(at('permissions'), 'k'.repeat(1e6));
    const { errors } = detailsOf(validationFailure(place, (label) => `${label} must be an object`));
    ok(errors[0].path[1].length === 101 && errors[0].message.length < 200);
  });

  it('quote no secret, in a value or in a sentence', () => {
    const failures = new Failures();
    const secret = { value: 'hunter2`.' };
    failures.withoutValues().addWrongType(at('password'), 'string', secret);
    failures.withoutValues().withoutValues().add(at('password'), 'too short', secret);
    const { errors } = detailsOf(failures.error());
    deepStrictEqual(errors[0].message, 'password must be a `string` type.');
    ok(!JSON.stringify(errors).includes('hunter2') && !('value' in errors[0]));
  });
});
