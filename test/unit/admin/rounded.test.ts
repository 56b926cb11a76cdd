/** Numbers in JSON that cannot be stored as they are written. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { roundedIn } from '../../../admin/src/form/values/rounded.ts';

describe('numbers of a JSON text', () => {
  it('are reported if they change', () => {
    for (const [text, written, stored] of [
      ['{"id": 12345678901234567890}', '12345678901234567890', '12345678901234567000'],
      ['[1, 9007199254740993]', '9007199254740993', '9007199254740992'],
      ['0.12345678901234567890', '0.12345678901234567890', '0.12345678901234568'],
      ['1000000000000000000001', '1000000000000000000001', '1e+21'],
      ['1e999', '1e999', 'null'],
    ] as const) {
      deepStrictEqual(roundedIn(text), { written, stored }, text);
    }
  });

  it('are not reported if they stay the same in another notation', () => {
    for (const text of [
      '{"id": 12345678901234567000}',
      '[9007199254740992, -0.5, 1.50, 1e3, 1E-7, 100, 0.0, 1e21, 1000000000000000000000, -0]',
      '"12345678901234567890"',
      '{"12345678901234567890": "a \\" 12345678901234567890"}',
    ]) {
      deepStrictEqual(roundedIn(text), undefined, text);
    }
  });
});
