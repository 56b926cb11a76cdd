/** Path patterns of routes, as the router of the reference has them (path-to-regexp 6). */
import { type Key, parse, tokensToRegexp } from 'path-to-regexp';
import { UsageError } from '../../errors.ts';

export interface PathPattern {
  /** The text with which every path that matches begins, in lower case. */
  readonly beginning: string;
  /** The pattern with each parameter in braces, without its expression, and with all optional parts: `/a/{b}`. */
  readonly template: string;
  /** Whether it matches all paths of another pattern, judged by their texts. */
  covers(other: PathPattern): boolean;
  /** Its regular expression, which is the same for patterns that differ in letter case and names of parameters. */
  readonly shape: string;
  /** The path that it matches, where there is only one, apart from letter case and a slash at the end. */
  readonly only: string | undefined;
  /** The parameters of a path that have a value; undefined for a path that does not match. */
  match(path: string): Record<string, string> | undefined;
}

type Token = string | Key;

/**
 * Compiles a pattern such as `/articles/:slug`, `/files/:name(.*)`, `/a/:b?`, `/a/:b+` or `/a{-:b}?`. Letter case and a
 * slash at the end of a path do not matter.
 *
 * @throws UsageError for an invalid pattern.
 */
export function pathPattern(text: string): PathPattern {
  const keys: Key[] = [];
  const { tokens, expression, shapes } = compiled(text, keys);
  const match = (path: string) => {
    const found = expression.exec(path);
    if (!found) return undefined;
    const values = keys.map(({ name }, index) => [String(name), found[index + 1]] as const);
    return Object.fromEntries(values.flatMap(([name, value]) => (value ? [[name, decoded(value)]] : [])));
  };
  return {
    beginning: beginningOf(tokens).toLowerCase(),
    template: tokens.map(templateOf).join(''),
    shape: shapes[0],
    only: tokens.every((token) => typeof token === 'string') ? tokens.join('') : undefined,
    covers: (other) => shapes.includes(other.shape) || (other.only !== undefined && match(other.only) !== undefined),
    match,
  };
}

function compiled(text: string, keys: Key[]) {
  try {
    const tokens: Token[] = parse(text);
    const same = tokens.map(folded);
    // a path with a slash at its end matches as well
    const shapes = [tokensToRegexp(same).source, tokensToRegexp([...same, '/']).source] as const;
    return { tokens, expression: tokensToRegexp(tokens, keys), shapes };
  } catch (error) {
    throw new UsageError(`the path ${text} of a route is not a pattern: ${(error as Error).message}`, 1);
  }
}

/** A token with its texts in lower case. */
function folded(token: Token): Token {
  if (typeof token === 'string') return token.toLowerCase();
  return { ...token, prefix: token.prefix.toLowerCase(), suffix: token.suffix.toLowerCase() };
}

function templateOf(token: Token): string {
  if (typeof token === 'string') return token;
  const { name, prefix, suffix } = token;
  return prefix + (name === '' ? '' : `{${name}}`) + suffix;
}

/** The text before all that differs between paths or may be missing. */
function beginningOf(tokens: readonly Token[]): string {
  const at = tokens.findIndex((token) => typeof token !== 'string');
  const first = tokens[at];
  const text = (at < 0 ? tokens : tokens.slice(0, at)).join('');
  return typeof first === 'object' && /^\+?$/.test(first.modifier) ? text + first.prefix : text;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
