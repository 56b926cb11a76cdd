/** Letters beyond ASCII in the files of the bundle. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withEscapes } from '../../../build/escapes.ts';

describe('letters beyond ASCII in the bundle', () => {
  it('are written as escapes that mean the same', () => {
    strictEqual(withEscapes('const plain = 1;', 'a.js'), 'const plain = 1;');
    for (const program of [
      "'–'",
      "'👋'",
      '/[–—]/.test("–")',
      '`a–`',
      "'\\\\–'",
      '/\\\\–/.test("\\\\–")',
      'String.raw`x`',
    ]) {
      const escaped = withEscapes(program, 'a.js');
      strictEqual(/[^\0-\x7f]/.test(escaped), false);
      deepStrictEqual(new Function(`return ${escaped}`)(), new Function(`return ${program}`)());
    }
  });

  it('are refused where an escape would be another text', () => {
    for (const program of ['/\\–/', "'\\–'", '`\\–`', '/\\\\\\–/', 'String.raw`–`']) {
      throws(() => withEscapes(program, 'a.js'), /a\.js: a letter beyond ASCII that cannot be escaped/, program);
    }
  });
});
