/** Finds the nearest valid word for a wrong one, for all messages with `did you mean`. */
import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * The candidate with the fewest edits (insert, delete, replace, swap of neighbours; case counts half) from `word`, or
 * undefined when none is near: more than a third of the longer word would have to change. A namespace that both share,
 * as `api::` in uids, is no part of the words. Ties go to the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  const namespace = /^.*?::/.exec(word)?.[0] ?? '';
  for (const candidate of candidates) {
    const shared = candidate.startsWith(namespace) ? namespace.length : 0;
    const [a, b] = [word.slice(shared), candidate.slice(shared)];
    const limit = Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
    // the difference in length alone exceeds the limit
    if (Math.abs(a.length - b.length) > limit) continue;
    const lower = distance(a.toLowerCase(), b.toLowerCase(), Math.min(limit, bestDistance));
    const total = lower + (lower === 0 && a !== b ? 0.5 : 0);
    if (total <= limit && total < bestDistance) {
      best = candidate;
      bestDistance = total;
    }
  }
  return best;
}

/** The end of a message about an unknown word: `: did you mean find?`, or nothing if no word is similar. */
export function meant(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

/** The end of a message about a missing file or folder, for the names beside it. */
export function besideMeant(missing: string, fits: (entry: Dirent) => boolean): string {
  const folder = path.dirname(missing);
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(fits);
    const near = nearest(
      path.basename(missing),
      entries.map(({ name }) => name),
    );
    return near === undefined ? '' : `: did you mean ${path.join(folder, near)}?`;
  } catch {
    // the folder does not exist either
    return '';
  }
}

/** Whether a word differs from one of some others by one edit, or only in case. */
export function isSlip(word: string, candidates: readonly string[]): boolean {
  const lower = word.toLowerCase();
  return candidates.some(
    (one) => Math.abs(one.length - word.length) <= 1 && one !== word && distance(lower, one.toLowerCase(), 1) <= 1,
  );
}

/** The most names in a message. */
const LISTED = 12;

/** The end of a message with the existing words: `: did you mean find? There are find, findOne`. */
export function choices(word: string, candidates: Iterable<string>): string {
  const names = new Set(candidates);
  const all = [...names].sort();
  const hint = meant(word, names);
  if (all.length === 0) return ': there are none';
  const others = all.length > LISTED ? ` and ${all.length - LISTED} more` : '';
  const listed = `there ${all.length === 1 ? 'is' : 'are'} ${all.slice(0, LISTED).join(', ')}${others}`;
  return hint === '' ? `: ${listed}` : `${hint} T${listed.slice(1)}`;
}

/**
 * Edits between two words, a swap of neighbours counted once (optimal string alignment): fastest-levenshtein counts the
 * commonest slip twice, damerau-levenshtein takes 1.8 times as long.
 *
 * @param limit the number of edits from which on the exact number does not matter: the result is infinite beyond it, and
 * only the cells of the matrix that can stay within it are computed.
 */
function distance(a: string, b: string, limit: number): number {
  const band = Math.floor(limit);
  // the last cell is outside of the band
  if (Math.abs(a.length - b.length) > band) return Number.POSITIVE_INFINITY;
  const width = b.length + 1;
  const beyond = band + 1;
  let [beforePrevious, previous, row] = [new Uint16Array(width), new Uint16Array(width), new Uint16Array(width)];
  for (let j = 0; j < width; j++) previous[j] = Math.min(j, beyond);
  for (let i = 1; i <= a.length; i++) {
    const [first, last] = [Math.max(1, i - band), Math.min(b.length, i + band)];
    const [letter, before] = [a.charCodeAt(i - 1), i > 1 ? a.charCodeAt(i - 2) : -1];
    row[first - 1] = first === 1 ? Math.min(i, beyond) : beyond;
    let least: number = row[first - 1]!;
    for (let j = first; j <= last; j++) {
      const other = b.charCodeAt(j - 1);
      let cost = previous[j - 1]! + (letter === other ? 0 : 1);
      if (previous[j]! < cost) cost = previous[j]! + 1;
      if (row[j - 1]! < cost) cost = row[j - 1]! + 1;
      if (j > 1 && before === other && letter === b.charCodeAt(j - 2)) {
        cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      }
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (last < b.length) row[last + 1] = beyond;
    if (least > band) return Number.POSITIVE_INFINITY;
    [beforePrevious, previous, row] = [previous, row, beforePrevious];
  }
  return previous[b.length]! > band ? Number.POSITIVE_INFINITY : previous[b.length]!;
}
