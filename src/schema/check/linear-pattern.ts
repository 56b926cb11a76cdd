/**
 * JavaScript's regular expressions on RE2, whose time is in proportion to the text whatever the pattern. The two differ
 * in what `.`, `\s` and classes contain and in what a character is, so a pattern is not handed over as it is written:
 * every class becomes the list of the code units that JavaScript's own engine finds in it.
 */
import type { AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** A pattern that is tested in linear time. */
export interface LinearPattern {
  /** Instructions: a character of a text takes at most as many steps. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * A pattern for RE2, which accepts and rejects what JavaScript does; undefined for one that is not a regular language
 * (lookaround, back references) or too large (repetitions of more than 1,000).
 */
export function linearPattern(pattern: AST.Pattern): LinearPattern | undefined {
  try {
    const compiled = RE2JS.compile(anyOf(pattern.alternatives));
    return { size: compiled.programSize(), test: (text) => compiled.test(inUnits(text)) };
  } catch {
    return undefined;
  }
}

const anyOf = (alternatives: readonly AST.Alternative[]): string =>
  `(?:${alternatives.map(({ elements }) => elements.map(translated).join('')).join('|')})`;

/** @throws Error for what RE2 has not. */
function translated(node: AST.Element): string {
  switch (node.type) {
    case 'Group':
      if (node.modifiers) break;
      return anyOf(node.alternatives);
    case 'CapturingGroup':
      return anyOf(node.alternatives);
    case 'Quantifier':
      return `(?:${translated(node.element)}){${node.min},${node.max === Number.POSITIVE_INFINITY ? '' : node.max}}`;
    case 'Assertion':
      if (node.kind === 'start') return '\\A';
      if (node.kind === 'end') return '\\z';
      if (node.kind === 'word') return node.negate ? '\\B' : '\\b';
      break;
    case 'Character':
      return escaped(node.value);
    case 'CharacterSet':
    case 'CharacterClass':
      return classOf(node.raw);
  }
  throw new Error(`${node.type} is not linear`);
}

const UNITS = 0x10000;

/** The code units in a class of JavaScript, as a class of RE2. */
function classOf(raw: string): string {
  const known = classes.get(raw);
  if (known !== undefined) return known;
  const member = new RegExp(`^(?:${raw})$`);
  let ranges = '';
  let first = -1;
  for (let unit = 0; unit <= UNITS; unit++) {
    const isIn = unit < UNITS && member.test(String.fromCharCode(unit));
    // a range does not go over the edges of what is mapped elsewhere
    if (first >= 0 && (!isIn || EDGES.has(unit))) {
      ranges += `${escaped(first)}-${escaped(unit - 1)}`;
      first = -1;
    }
    if (isIn && first < 0) first = unit;
  }
  const made = ranges === '' ? '[^\\x{0}-\\x{10FFFF}]' : `[${ranges}]`;
  classes.set(raw, made);
  return made;
}

const classes = new Map<string, string>();

const SURROGATES = /[\ud800-\udfff]/g;
const EDGES: ReadonlySet<number> = new Set([0xd800, 0xe000]);
/** RE2 matches code points, JavaScript code units: the halves of a pair stand for themselves in a plane of no text. */
const PLANE = 0x100000;

const codePoint = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + PLANE : unit);
const escaped = (unit: number): string => `\\x{${codePoint(unit).toString(16)}}`;

/** A text with a character for each of its code units. */
const inUnits = (text: string): string =>
  text.replaceAll(SURROGATES, (unit) => String.fromCodePoint(codePoint(unit.charCodeAt(0))));
