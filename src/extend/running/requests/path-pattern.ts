/** Path patterns of routes, as the reference's router has them: names, patterns in brackets, what may be left out. */
import { UsageError } from '../../../errors.ts';

export interface PathPattern {
  /** The text that every path it takes begins with, in lower case. */
  readonly beginning: string;
  /** The parameters of a path; undefined for a path that it does not take. */
  match(path: string): Record<string, string> | undefined;
}

/** A parameter with its pattern and its modifier, a group without a name, or any other character. */
const PART =
  /:(\w+)(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))+\))?([?*+])?|(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))+\))([?*+])?|([\s\S])/g;
const SPECIAL = /[.*+?^${}()|[\]\\]/;

/**
 * A pattern such as `/articles/:slug`, `/files/:name(.*)` or `/a/:b?`. Letter case and a slash at the end do not matter.
 *
 * @throws UsageError for a pattern in brackets that is no regular expression.
 */
export function pathPattern(text: string): PathPattern {
  const names: string[] = [];
  let source = '';
  let unnamed = 0;
  const add = (name: string, pattern: string, modifier: string | undefined): void => {
    names.push(name);
    const slash = source.endsWith('/') ? '/' : '';
    if (modifier === undefined) source += `(${pattern})`;
    else {
      if (slash !== '') source = source.slice(0, -1);
      const many = modifier === '?' ? pattern : `${pattern}(?:${slash}${pattern})*`;
      source += `(?:${slash}(${many}))${modifier === '+' ? '' : '?'}`;
    }
  };
  for (const [, name, pattern, modifier, group, groupModifier, other] of text.matchAll(PART)) {
    if (name !== undefined) add(name, inner(pattern ?? '([^\\/]+?)'), modifier);
    else if (group !== undefined) add(String(unnamed++), inner(group), groupModifier);
    else if (other === '*') add(String(unnamed++), '.*', undefined);
    else source += SPECIAL.test(other!) ? `\\${other}` : other!;
  }
  const pattern = compiled(source.replace(/\/$/, ''), text);
  return {
    beginning: /^[^:(*{?]*/.exec(text)![0].toLowerCase(),
    match: (path) => {
      const found = pattern.exec(path);
      if (!found) return undefined;
      const values = names.map((name, index) => [name, found[index + 1]] as const);
      return Object.fromEntries(
        values.flatMap(([name, value]) => (value === undefined ? [] : [[name, decoded(value)]])),
      );
    },
  };
}

/** What is within brackets, its own groups not counted. */
const inner = (group: string): string => group.slice(1, -1).replaceAll(/(?<!\\)\((?!\?)/g, '(?:');

function compiled(source: string, text: string): RegExp {
  try {
    return new RegExp(`^${source}\\/?$`, 'i');
  } catch (error) {
    throw new UsageError(`the path ${text} of a route: ${(error as Error).message}`, 1);
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
