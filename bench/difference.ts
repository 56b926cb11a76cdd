/** Comparing answers. */
import { isDeepStrictEqual } from 'node:util';

/** Where in two JSON values the first difference is; undefined when they are equal. */
export function difference(a: unknown, b: unknown, at = ''): string | undefined {
  if (isDeepStrictEqual(a, b)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return `${at || 'body'}: ${JSON.stringify(a)?.slice(0, 100)} and ${JSON.stringify(b)?.slice(0, 100)}`;
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = difference(left[key], right[key], `${at}.${key}`);
    if (found) return found;
  }
  return `${at}: order`;
}
