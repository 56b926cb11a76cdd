/** Which parts of two texts differ. */
import { type Change, diffLines, diffWordsWithSpace } from 'diff';
import type { Range } from '../values/text-parts.ts';

export interface ChangedRanges {
  readonly before: readonly Range[];
  readonly after: readonly Range[];
}

/** Milliseconds that comparing two texts may take: what is more different than that is told by lines, or as a whole. */
const LONGEST = 150;

/** The words that only one of two texts has; of texts with little in common the lines, or all of it. */
export function changedRanges(before: string, after: string): ChangedRanges {
  const changes =
    diffWordsWithSpace(before, after, { timeout: LONGEST }) ?? diffLines(before, after, { timeout: LONGEST });
  if (!changes) return { before: [[0, before.length]], after: [[0, after.length]] };
  return {
    before: rangesOf(changes, before, ({ removed, added }) => [removed, !added]),
    after: rangesOf(changes, after, ({ removed, added }) => [added, !removed]),
  };
}

/** @param of whether a change is told of the text, and whether the text has it. */
function rangesOf(
  changes: readonly Change[],
  text: string,
  of: (change: Change) => readonly [isChanged: boolean, isThere: boolean],
): readonly Range[] {
  const ranges: Range[] = [];
  let at = 0;
  for (const change of changes) {
    const [isChanged, isThere] = of(change);
    if (!isThere) continue;
    const end = at + change.value.length;
    const last = ranges.at(-1);
    // one change of several words reads better than each of its words
    if (isChanged && last && /^[^\S\n]*$/.test(text.slice(last[1], at))) ranges[ranges.length - 1] = [last[0], end];
    else if (isChanged) ranges.push([at, end]);
    at = end;
  }
  return ranges;
}
