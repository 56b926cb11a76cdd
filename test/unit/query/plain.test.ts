/** Parameters and data of code, in the form in which they come out of a request. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainData, rawParam, rawParams } from '../../../src/query/plain.ts';

const DAY = new Date(Date.UTC(2026, 4, 6));

describe('values of code', () => {
  it('become texts in parameters, as in a query string', () => {
    const values: [unknown, unknown][] = [
      ['a', 'a'],
      [null, null],
      [undefined, undefined],
      [3, '3'],
      [-0.5, '-0.5'],
      [10n, '10'],
      [true, 'true'],
      [DAY, '2026-05-06T00:00:00.000Z'],
      [
        [1, ['a'], null],
        ['1', ['a'], null],
      ],
    ];
    for (const [value, param] of values) deepStrictEqual(rawParam(value), param);
  });

  it('lose their keys without a value in parameters, and no other', () => {
    const params = rawParams({ filters: { a: { $gt: 3, $lt: undefined, $eq: null } }, status: undefined, sort: ['a'] });
    strictEqual(JSON.stringify(params), '{"filters":{"a":{"$gt":"3","$eq":null}},"sort":["a"]}');
  });

  it('keep names of the language as names in parameters', () => {
    const params = rawParams(JSON.parse('{"filters":{"__proto__":{"a":1},"constructor":2}}'));
    strictEqual(JSON.stringify(params), '{"filters":{"__proto__":{"a":"1"},"constructor":"2"}}');
    strictEqual(Object.getPrototypeOf(params['filters']), null);
  });

  it('become JSON values in data', () => {
    deepStrictEqual(plainData({ at: DAY, big: 9n, n: 1, no: null, gone: undefined, list: [DAY, { deep: 1n }] }), {
      at: '2026-05-06T00:00:00.000Z',
      big: '9',
      n: 1,
      no: null,
      list: ['2026-05-06T00:00:00.000Z', { deep: '1' }],
    });
  });

  it('keep names of the language as names in data', () => {
    const data = plainData(JSON.parse('{"meta":{"__proto__":{"a":1}}}'));
    strictEqual(JSON.stringify(data), '{"meta":{"__proto__":{"a":1}}}');
  });
});
