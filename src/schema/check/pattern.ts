/** The option `regex` of an attribute, which texts of callers are tested with. */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { linearPattern } from './linear-pattern.ts';
import { isQuick } from './pattern-cost.ts';

/** A pattern in the form in which it is tested. All forms accept the same texts, those of JavaScript's RegExp. */
export interface Pattern {
  /**
   * `quick`: JavaScript's engine cannot take long. `linear`: on RE2, where it cannot either. `backtracking`: RE2 does not
   * know it, and there are or may be texts that take JavaScript's engine longer than anybody waits.
   */
  readonly kind: 'quick' | 'linear' | 'backtracking';
  /** Steps that a character of a text takes at most; of no meaning where it is `backtracking`. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * The pattern that a text of JavaScript's syntax, without flags, stands for.
 *
 * @throws SyntaxError for a string that is not a pattern.
 */
export function compilePattern(source: string): Pattern {
  const native = new RegExp(source);
  const parsed = parse(source);
  if (parsed && isQuick(parsed)) return { kind: 'quick', size: 1, test: (text) => native.test(text) };
  const linear = parsed && linearPattern(parsed);
  if (linear) return { kind: 'linear', ...linear };
  return { kind: 'backtracking', size: 1, test: (text) => native.test(text) };
}

/** The structure of a pattern; undefined where JavaScript knows a syntax that the parser does not. */
function parse(source: string): AST.Pattern | undefined {
  try {
    return new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source);
  } catch {
    return undefined;
  }
}
