/** Which parts of two texts differ. */
import { type Change, diffLines, diffWordsWithSpace } from 'diff';
import { isValues, type Values } from '../values/model.ts';
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

export interface BlockTexts {
  readonly text: string;
  /** Where the words of a node begin. */
  readonly starts: ReadonlyMap<Values, number>;
}

/** Blocks stand in lines of their own. */
export function blockTexts(value: unknown): BlockTexts {
  const starts = new Map<Values, number>();
  let text = '';
  const walk = (nodes: unknown): void => {
    for (const node of Array.isArray(nodes) ? nodes.filter(isValues) : []) {
      if (typeof node['text'] === 'string') {
        starts.set(node, text.length);
        text += node['text'];
      } else walk(node['children']);
      if (node['type'] !== 'text' && node['type'] !== 'link') text += '\n';
    }
  };
  walk(value);
  return { text, starts };
}

/** The ranges of the whole text as those of its nodes. */
export function rangesOfNodes({ starts }: BlockTexts, ranges: readonly Range[]): ReadonlyMap<Values, readonly Range[]> {
  const found = new Map<Values, readonly Range[]>();
  for (const [node, start] of starts) {
    const { length } = String(node['text']);
    const own = ranges.flatMap(([from, to]): Range[] => {
      const [begin, end] = [Math.max(0, from - start), Math.min(length, to - start)];
      return begin < end ? [[begin, end]] : [];
    });
    if (own.length > 0) found.set(node, own);
  }
  return found;
}
