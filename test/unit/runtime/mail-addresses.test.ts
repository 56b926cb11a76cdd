/** Addresses of mails in code: their parsing, in linear time. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addressesOf,
  RECIPIENTS,
  requireFewRecipients,
  TEXT_LENGTH,
} from '../../../src/runtime/built-in/mail-addresses.ts';

const read = (value: unknown) =>
  addressesOf('to', value).map(({ name, address }) => (name === '' ? address : [name, address]));

describe('addresses of a mail', () => {
  const table: readonly (readonly [unknown, unknown])[] = [
    [undefined, []],
    [null, []],
    ['', []],
    [' , ,', []],
    ['ann@example.com', ['ann@example.com']],
    [' ann@example.com ,bob@example.com', ['ann@example.com', 'bob@example.com']],
    ['Ann <ann@example.com>', [['Ann', 'ann@example.com']]],
    ['<ann@example.com>', ['ann@example.com']],
    ['"Doe, Ann" < ann@example.com >,bob@example.com', [['Doe, Ann', 'ann@example.com'], 'bob@example.com']],
    ['"a \\"b\\" <c>" <ann@example.com>', [['a "b" <c>', 'ann@example.com']]],
    ['"a, b"@example.com', ['"a, b"@example.com']],
    [
      ['ann@example.com', { address: 'bob@example.com' }],
      ['ann@example.com', 'bob@example.com'],
    ],
    [{ name: 'Ann, Doe', address: 'ann@example.com' }, [['Ann, Doe', 'ann@example.com']]],
  ];
  for (const [value, expected] of table) {
    it(`reads ${JSON.stringify(value)}`, () => deepStrictEqual(read(value), expected));
  }

  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['a quotation mark that nothing closes', '"Ann <ann@example.com>', /nothing closes/],
    ['a bracket that nothing closes', 'Ann <ann@example.com', /nothing closes/],
    ['an address in brackets that holds another', 'Ann <x<ann@example.com>', /no address/],
    ['two addresses without a comma', '<a@example.com> <b@example.com>', /no address/],
    ['an empty address', 'Ann <>', /no address/],
    ['more than one line', 'ann@example.com\r\nBcc: bob@example.com', /no address/],
    ['an object without an address', { name: 'Ann' }, /no address/],
    ['a number', 5, /no address/],
    ['a list within a list', [['ann@example.com']], /no address/],
    ['a text that is too long', ' '.repeat(TEXT_LENGTH + 1), /at most 100000 characters/],
    ['an address that is too long', `${'x'.repeat(320)}@example.com`, /at most 320 characters/],
    ['an address of an object that is too long', { address: 'x'.repeat(321) }, /at most 320 characters/],
    ['a name that is too long', `${'x'.repeat(256)} <ann@example.com>`, /at most 255 characters/],
    ['too many in a text', 'a@b,'.repeat(RECIPIENTS + 1), /at most 1000 addresses/],
    ['too many in a list', Array(RECIPIENTS + 1).fill('a@b'), /at most 1000 addresses/],
    ['too many in the texts of a list', ['a@b,'.repeat(RECIPIENTS), 'a@b'], /at most 1000 addresses/],
  ];
  for (const [name, value, message] of wrong) {
    it(`refuses ${name}`, () => throws(() => addressesOf('to', value), message));
  }

  it('counts all whom a mail goes to', () => {
    const half = addressesOf('to', 'a@b,'.repeat(RECIPIENTS / 2));
    requireFewRecipients(half, half);
    throws(() => requireFewRecipients(half, half, addressesOf('bcc', 'a@b')), /at most 1000 addresses/);
  });

  it('are read in one pass, however long a text is', () => {
    strictEqual(read(`${' '.repeat(TEXT_LENGTH - 1)}x`)[0], 'x');
    throws(() => read(`a${' '.repeat(TEXT_LENGTH - 2)}x`), /at most 320 characters/);
    for (const character of '<",>\\ ')
      for (const end of ['', 'x', '>', '"'])
        try {
          read(character.repeat(TEXT_LENGTH - 1) + end);
        } catch (error) {
          strictEqual(/of a mail/.test((error as Error).message), true, String(error));
        }
  });
});
