/** Bodies of answers that are bytes. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enclose } from '../../../src/content/reading/answers.ts';

describe('the body of an answer', () => {
  it('encloses text in text', () => {
    strictEqual(enclose('{"data":', '["é"]', '}'), '{"data":["é"]}');
  });

  it('encloses bytes in bytes', () => {
    deepStrictEqual(enclose('{"data":', Buffer.from('["é"]'), '}'), Buffer.from('{"data":["é"]}'));
  });

  it('is UTF-8 even if the stored text is not', () => {
    const half = Buffer.concat([Buffer.from('["'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"]')]);
    strictEqual(enclose('', half, '').toString(), '["\ufffd\ufffd\ufffd"]');
  });
});
