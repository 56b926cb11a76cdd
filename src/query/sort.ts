/** `sort` → SortKey[] (docs/reference/query-parameters.md, "Sort"). */
import { validation } from '../errors.ts';
import type { SortKey } from './content-query.ts';
import { isRawObject, type RawValue, singleValue } from './params.ts';

/** The error for an unknown order. It is thrown after names are checked, as in the reference. */
export const badOrder = () => validation('Invalid order. order can only be one of asc|desc|ASC|DESC');

/** True for `asc` and `desc`, in any letter case. */
export function isOrder(written: string | undefined): boolean {
  return written === undefined || /^(asc|desc)$/i.test(written);
}

/**
 * Reads `f`, `f:desc`, comma lists, lists, `sort[f]=desc`, `sort[rel][f]=asc` and lists of those. Blank parts and blank
 * orders are ignored.
 */
export function parseSort(raw: RawValue): SortKey[] {
  if (raw === undefined || raw === null) return [];
  if (typeof raw === 'string') return raw.split(',').flatMap(parsePart);
  if (Array.isArray(raw)) return raw.flatMap(parseSort);
  if (isRawObject(raw)) return parseObject(raw, []);
  throw validation('The sort parameter must be a string, a list or an object');
}

function parsePart(part: string): SortKey[] {
  const [name = '', order] = part.split(':');
  const path = name.trim();
  if (path === '') return [];
  return [sortKey(path.split('.'), order?.trim())];
}

function parseObject(raw: { [key: string]: RawValue }, outer: readonly string[]): SortKey[] {
  return Object.entries(raw).flatMap(([name, written]) => {
    const value = singleValue(written);
    const path = [...outer, name];
    if (isRawObject(value)) return parseObject(value, path);
    if (Array.isArray(value)) throw validation(`The sort parameter takes one order for ${path.join('.')}`);
    const order = typeof value === 'string' ? value.trim() : '';
    return order === '' ? [] : [sortKey(path, order)];
  });
}

function sortKey(path: readonly string[], written: string | undefined): SortKey {
  return { path, order: written?.toLowerCase() === 'desc' ? 'desc' : 'asc', written };
}
