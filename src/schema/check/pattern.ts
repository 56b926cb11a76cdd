/** Compiles the option `regex` of an attribute so that testing texts of callers takes a limited time. */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** A compiled pattern. All kinds accept the same texts as JavaScript's RegExp. */
export interface Pattern {
  /**
   * `quick`: always fast in JavaScript's engine. `linear`: tested with RE2, in linear time. `backtracking`: RE2 does
   * not support it, and some texts may take JavaScript's engine very long.
   */
  readonly kind: 'quick' | 'linear' | 'backtracking';
  /** The most steps per character of a text; without meaning for `backtracking`. */
  readonly size: number;
  test(text: string): boolean;
}

/** Compiles a pattern in JavaScript's syntax, without flags. @throws SyntaxError for an invalid pattern. */
export function compilePattern(source: string): Pattern {
  const native = new RegExp(source);
  const parsed = parse(source);
  if (parsed && isQuick(parsed)) return { kind: 'quick', size: 1, test: (text) => native.test(text) };
  const linear = parsed && linearPattern(parsed);
  if (linear) return { kind: 'linear', ...linear };
  return { kind: 'backtracking', size: 1, test: (text) => native.test(text) };
}

/** The syntax tree of a pattern; undefined if the parser does not know its syntax. */
function parse(source: string): AST.Pattern | undefined {
  try {
    return new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source);
  } catch {
    return undefined;
  }
}

/** A pattern that is tested in linear time. */
export interface LinearPattern {
  /** The number of instructions, which limits the steps per character. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * A pattern for RE2 that accepts the same texts as JavaScript's; undefined for one that is not regular (lookaround,
 * back references) or too large (repetitions of more than 1,000).
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

/** @throws Error for syntax that RE2 does not support. */
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

/** The code units of a JavaScript class, as a class of RE2. */
function classOf(raw: string): string {
  const known = classes.get(raw);
  if (known !== undefined) return known;
  const member = new RegExp(`^(?:${raw})$`);
  let ranges = '';
  let first = -1;
  for (let unit = 0; unit <= UNITS; unit++) {
    const isIn = unit < UNITS && member.test(String.fromCharCode(unit));
    // a range must not cross the edges of mapped units
    if (first >= 0 && (!isIn || EDGES.has(unit))) {
      ranges += `${escaped(first)}-${escaped(unit - 1)}`;
      first = -1;
    }
    if (isIn && first < 0) first = unit;
  }
  const negated = ranges === '' ? '[^\\x{0}-\\x{10FFFF}]' : `[${ranges}]`;
  classes.set(raw, negated);
  return negated;
}

const classes = new Map<string, string>();

const SURROGATES = /[\ud800-\udfff]/g;
const EDGES: ReadonlySet<number> = new Set([0xd800, 0xe000]);
/** RE2 matches code points, JavaScript code units, so surrogates are mapped to a plane without text. */
const PLANE = 0x100000;

const codePoint = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + PLANE : unit);
const escaped = (unit: number): string => `\\x{${codePoint(unit).toString(16)}}`;

/** A text with one character per code unit. */
const inUnits = (text: string): string =>
  text.replaceAll(SURROGATES, (unit) => String.fromCodePoint(codePoint(unit.charCodeAt(0))));

/** Costs as exponents of the length of a text. */
interface Cost {
  /** The number of ways in which the node can match, each of which may have to be tried. */
  readonly ways: number;
  /** The steps for trying all of them. */
  readonly steps: number;
}

const ONE: Cost = { ways: 0, steps: 0 };

/** Whether testing takes linear time for every text. */
export function isQuick(pattern: AST.Pattern): boolean {
  const isAnchored = pattern.alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  );
  // an unanchored match is tried from every character
  return costOfAny(pattern.alternatives).steps + (isAnchored ? 0 : 1) <= 1;
}

function costOfAny(alternatives: readonly AST.Alternative[]): Cost {
  const costs = alternatives.map(({ elements }) => costOfSequence(elements));
  if (costs.length === 1) return costs[0]!;
  const ways = Math.max(...costs.map((cost) => cost.ways)) + 1;
  return { ways, steps: Math.max(ways, ...costs.map((cost) => cost.steps)) };
}

function costOfSequence(elements: readonly AST.Element[]): Cost {
  let ways = 0;
  let steps = 0;
  for (const element of elements) {
    const cost = costOf(element);
    steps = Math.max(steps, ways + cost.steps);
    ways += cost.ways;
  }
  return { ways, steps };
}

function costOf(node: AST.Element): Cost {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return costOfAny(node.alternatives);
    case 'Quantifier':
      return costOfRepetition(node);
    case 'Assertion':
      // lookarounds are not tried in several ways
      if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return ONE;
      return { ways: 0, steps: costOfAny(node.alternatives).steps };
    case 'Backreference':
      return { ways: 0, steps: 1 };
    default:
      return ONE;
  }
}

function costOfRepetition({ element, min, max }: AST.Quantifier): Cost {
  const body = costOf(element);
  if (min === max) {
    const ways = body.ways === 0 ? 0 : body.ways * max;
    return { ways, steps: Math.max(ways, body.steps + ways) };
  }
  // if the body matches in one way, only the number of repetitions varies
  const ways = body.ways === 0 ? 1 : (body.ways + 1) * max;
  return { ways, steps: body.steps + ways };
}
