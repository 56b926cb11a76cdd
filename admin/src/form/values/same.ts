/** Comparisons of JSON values and lists. */
import { isValues, type Values } from './model.ts';

/** Deep equality of JSON values. The order of keys does not matter, and undefined equals an absent key. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((entry, index) => same(entry, b[index]));
  }
  if (!isValues(a) || !isValues(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => same(a[key], b[key]));
}

/** Equality of versions of a document, without their timestamps. */
export function sameContent(a: Values | null, b: Values | null): boolean {
  return same(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(values: Values | null): Values {
  const { createdAt: _created, updatedAt: _updated, publishedAt: _published, ...rest } = values ?? {};
  return rest;
}

/**
 * The longest common sequence of two lists, as pairs of indexes in ascending order. Long lists are compared only at
 * their ends, because the effort grows with the product of the lengths in between.
 */
export function commonSequence<T>(
  before: readonly T[],
  after: readonly T[],
  equal: (a: T, b: T) => boolean,
): readonly (readonly [before: number, after: number])[] {
  let start = 0;
  while (start < before.length && start < after.length && equal(before[start]!, after[start]!)) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && equal(before.at(-1 - end)!, after.at(-1 - end)!)) end++;
  const pairs: (readonly [number, number])[] = Array.from({ length: start }, (_, index) => [index, index]);
  const rows = before.length - start - end;
  const columns = after.length - start - end;
  if (rows * columns <= MOST_COMPARED) pairs.push(...between(before, after, equal, { start, rows, columns }));
  for (let remaining = end; remaining > 0; remaining--)
    pairs.push([before.length - remaining, after.length - remaining]);
  return pairs;
}

/** The number of comparisons that take no noticeable time. */
const MOST_COMPARED = 40_000;

function between<T>(
  before: readonly T[],
  after: readonly T[],
  equal: (a: T, b: T) => boolean,
  { start, rows, columns }: { readonly start: number; readonly rows: number; readonly columns: number },
): (readonly [number, number])[] {
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const isEqual = (row: number, column: number) => equal(before[start + row]!, after[start + column]!);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row]![column] = isEqual(row, column)
        ? lengths[row + 1]![column + 1]! + 1
        : Math.max(lengths[row + 1]![column]!, lengths[row]![column + 1]!);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let row = 0;
  let column = 0;
  while (row < rows && column < columns) {
    if (isEqual(row, column)) pairs.push([start + row++, start + column++]);
    else if (lengths[row + 1]![column]! >= lengths[row]![column + 1]!) row++;
    else column++;
  }
  return pairs;
}
