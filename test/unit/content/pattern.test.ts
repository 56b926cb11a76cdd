/** Patterns of attributes in linear time: they accept the same texts as JavaScript's own engine. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RegExpParser } from '@eslint-community/regexpp';
import { PatternTime } from '../../../src/content/validation/pattern-time.ts';
import { compilePattern, linearPattern } from '../../../src/schema/check/pattern.ts';

const kindOf = (source: string) => compilePattern(source).kind;
const onRe2 = (source: string) => linearPattern(new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source));

/** Random numbers that are the same in every run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const ATOMS =
  'a|b|.|\\s|\\S|\\d|\\D|\\w|\\W|[ab]|[^a]|[\\s\\S]|[^]|[]|\\b|\\B|^|$|\\n|\\u00e9|😀|[😀]|[^😀]|\\ud83d|[a-\\uffff]|\\x41|\\cJ|\\0|[\\b]|-|{|}|]|\\$|\\u2028|[\\w-]|\\z|\\A|\\Q|[[:alpha:]]|\\p{L}|[\\d-x]';
const atoms = ATOMS.split('|');
const CHARACTERS = [
  'a',
  'b',
  ' ',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  'é',
  '😀',
  '1',
  '_',
  'A',
  '-',
  '\ufeff',
  '\u0085',
  'z',
];

function generate(random: (below: number) => number, depth: number): string {
  const inner = () => generate(random, depth - 1);
  const choice = depth === 0 ? 0 : random(10);
  if (choice < 4) return atoms[random(atoms.length)]!;
  if (choice < 6) return inner() + inner();
  if (choice < 7) return `(${inner()}|${inner()})`;
  return `(?:${inner()})${['*', '+', '?', '{0,2}', '{2}', '*?', '{1,}', ''][random(8)]}`;
}

describe('patterns', () => {
  it('stay with JavaScript where its engine cannot take long, and go to RE2 where it may', () => {
    for (const source of [
      '^[A-Z]{3}-[0-9]+$',
      '^(?=.*\\d)(?=.*[a-z]).{8,}$',
      '^\\d{4}-?\\d{2}$',
      '^$',
      'x',
      '^(?:ab)*$',
    ]) {
      strictEqual(kindOf(source), 'quick', source);
    }
    const ambiguous = ['^(a+)+$', '[a-z]+$', '^(a|a)*$', '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', '^a*a*$', '^(a?){30}a{30}$'];
    for (const source of [...ambiguous, 'a|^b', '^(?:a*){2}$']) strictEqual(kindOf(source), 'linear', source);
    for (const source of ['^([a-z]+)\\1$', '^(?=(a+)+$)', '^(?<!(a*)*)b$', '^.{0,2000}a{0,2000}$', '(?<n>a+)+\\k<n>']) {
      strictEqual(kindOf(source), 'backtracking', source);
    }
    throws(() => compilePattern('('), SyntaxError);
  });

  it('accept the same texts on RE2 and in JavaScript', () => {
    const random = randomOf(20_240_501);
    let compared = 0;
    for (let round = 0; round < 5000; round++) {
      const source = generate(random, 4);
      const native = new RegExp(source);
      const linear = onRe2(source);
      ok(linear, source);
      for (let index = 0; index < 8; index++) {
        const text = Array.from({ length: random(6) }, () => CHARACTERS[random(CHARACTERS.length)]).join('');
        strictEqual(linear.test(text), native.test(text), `${JSON.stringify(source)} on ${JSON.stringify(text)}`);
        compared++;
      }
    }
    strictEqual(compared, 40_000);
  });

  it('count a character outside of the basic plane as two, as JavaScript does without the flag u', () => {
    for (const source of ['^.{2}$', '^.$', '^[^a]{2}$', '^[\\ud800-\\udbff]', '^[😀]+$']) {
      strictEqual(onRe2(source)!.test('😀'), new RegExp(source).test('😀'), source);
    }
  });

  it('that explode are answered, or stopped after their time', { timeout: 60_000 }, () => {
    const text = `${'a'.repeat(100_000)}!`;
    const time = new PatternTime();
    strictEqual(time.matches('^(a+)+$', text, undefined), false);
    strictEqual(time.matches('^(a|aa)+$', text, undefined), false);
    throws(() => time.matches('^(?=(a+)+$)', text, undefined), /takes too long: send a shorter text/);
    // what is used up is used up for the rest of the request
    throws(() => time.matches('^(?=(a+)+$)', 'a', undefined), /takes too long: send a shorter text/);
    deepStrictEqual([time.matches('^a+$', 'aa', undefined), time.matches('^a+$', 'b', undefined)], [true, false]);
    strictEqual(new PatternTime().matches('^(?=(a+)+$)', 'aaa', undefined), true);
  });
});
