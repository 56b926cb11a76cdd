/** Path patterns of routes: parameters as the reference gives them for the same paths. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathPattern } from '../../../src/runtime/requests/path-pattern.ts';

type Params = Readonly<Record<string, string>> | undefined;

/** Patterns with paths, and the parameters that these have. */
const PATTERNS: Readonly<Record<string, Readonly<Record<string, Params>>>> = {
  '/one/:rest(.*)': {
    '/one': undefined,
    '/one/': {},
    '/one/a': { rest: 'a' },
    '/one/a/b%2Fc': { rest: 'a/b/c' },
    '/one/%E0%A4%A': { rest: '%E0%A4%A' },
  },
  '/two/:id(\\d+)': { '/two/5': { id: '5' }, '/TWO/5/': { id: '5' }, '/two/x': undefined },
  '/three/:a?': { '/three': {}, '/three/': {}, '/three/x': { a: 'x' }, '/three/x/y': undefined },
  '/four/:a+': { '/four': undefined, '/four/a': { a: 'a' }, '/four/a/b/': { a: 'a/b' } },
  '/five/:a*': { '/five': {}, '/five/a/b%20c': { a: 'a/b c' } },
  '/six/(.*)/:b': { '/six/a/b/c': { 0: 'a/b', b: 'c' } },
  '/eight/:a-:b': { '/eight/a-b': { a: 'a', b: 'b' }, '/eight/a-b-c': { a: 'a-b', b: 'c' }, '/eight/a': undefined },
  '/nine/:a.:ext?': { '/nine/a.b.c': { a: 'a.b', ext: 'c' }, '/nine/a': { a: 'a' } },
  '/tw{/:a-x}?': { '/tw': {}, '/tw/b-x': { a: 'b' }, '/tw/b': undefined },
  '/list{,:n(\\d+)}*': { '/list': {}, '/list,1,22': { n: '1,22' } },
  '/th/(a|b)/:c': { '/th/b/c': { 0: 'b', c: 'c' }, '/th/z/c': undefined },
  '/el/:a(a(?:b)c)?': { '/el/abc': { a: 'abc' }, '/el': {} },
  '/at/12\\:30': { '/at/12:30': {} },
  '/sl/:a/': { '/sl/a': undefined, '/sl/a/': { a: 'a' } },
  '/': { '/': {}, '/a': undefined },
};

describe('path patterns of routes', () => {
  for (const [text, paths] of Object.entries(PATTERNS)) {
    it(`takes ${text} as the reference does`, () => {
      const pattern = pathPattern(text);
      for (const [path, params] of Object.entries(paths)) deepStrictEqual(pattern.match(path), params, path);
    });
  }

  it('returns the common beginning of all paths of a pattern', () => {
    for (const [text, beginning] of [
      ['/Articles/:slug', '/articles/'],
      ['/a/:b?', '/a'],
      ['/file.:ext?', '/file'],
      ['/x:rest(.*)', '/x'],
      ['(.*)', ''],
    ]) {
      strictEqual(pathPattern(text!).beginning, beginning);
    }
  });

  it('refuses an invalid pattern, with the reason', () => {
    for (const [text, reason] of [
      ['/a/*', /Unexpected MODIFIER at 3/],
      ['/:a:b', /Must have text between two parameters/],
      ['/(a', /Unbalanced pattern at 1/],
      ['/{a', /Unexpected END/],
      ['/a()', /Missing pattern at 2/],
      ['/x(a)+', /needs? |Can not repeat/],
      ['/x/:a(b(c))', /Capturing groups are not allowed/],
      ['/x([)', /Invalid regular expression/],
    ] as const) {
      throws(() => pathPattern(text), reason, text);
    }
  });
});
