/** Codes that change with time, held to the published examples. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base32, newTotpSecret, stepOf, stepOfCode, totpCode } from '../../../src/users/administrators/totp.ts';

const SECRET = base32(Buffer.from('12345678901234567890'));

describe('a code that changes with time', () => {
  it('is that of RFC 6238, appendix B, as far as six digits go', () => {
    const known: [number, string][] = [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ];
    for (const [seconds, code] of known) strictEqual(totpCode(SECRET, stepOf(seconds * 1000)), code);
  });

  it('counts for its step and those beside it, and no others', () => {
    const now = 1_700_000_000_000;
    const found = [-2, -1, 0, 1, 2].map((n) => stepOfCode(SECRET, totpCode(SECRET, stepOf(now) + n), now));
    deepStrictEqual(found, [undefined, stepOf(now) - 1, stepOf(now), stepOf(now) + 1, undefined]);
    strictEqual(stepOfCode(SECRET, totpCode(SECRET, stepOf(now)).replace(/^.../, '$& '), now), stepOf(now));
    for (const other of ['', '12345', 'abcdef', '1234567']) strictEqual(stepOfCode(SECRET, other, now), undefined);
  });

  it('has a secret of 160 bits in base32, as RFC 4648 has it', () => {
    strictEqual(newTotpSecret().length, 32);
    const known = [
      ['', ''],
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foo', 'MZXW6'],
      ['foob', 'MZXW6YQ'],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI'],
    ];
    for (const [text, code] of known) strictEqual(base32(Buffer.from(text!)), code);
  });
});
