/** The ranges in which two texts differ. */
import { type Change, diffLines, diffWordsWithSpace } from 'diff';
import { isValues, type Values } from '../values/model.ts';
import type { Range } from '../values/text-parts.ts';

export interface ChangedRanges {
  readonly before: readonly Range[];
  readonly after: readonly Range[];
}

/** The milliseconds that a comparison may take. More distant texts are compared by lines, or as a whole. */
const TIMEOUT = 150;

/** The words that only one of two texts has; for distant texts the lines, or the whole texts. */
export function changedRanges(before: string, after: string): ChangedRanges {
  const changes =
    diffWordsWithSpace(before, after, { timeout: TIMEOUT }) ?? diffLines(before, after, { timeout: TIMEOUT });
  if (!changes) return { before: [[0, before.length]], after: [[0, after.length]] };
  return {
    before: rangesOf(changes, before, ({ removed, added }) => [removed, !added]),
    after: rangesOf(changes, after, ({ removed, added }) => [added, !removed]),
  };
}

/** @param of returns whether a change concerns the text, and whether the text contains it. */
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
    // Adjacent changed words are merged.
    if (isChanged && last && /^[^\S\n]*$/.test(text.slice(last[1], at))) ranges[ranges.length - 1] = [last[0], end];
    else if (isChanged) ranges.push([at, end]);
    at = end;
  }
  return ranges;
}

export interface BlockTexts {
  readonly text: string;
  /** The offset at which the text of a node begins. */
  readonly starts: ReadonlyMap<Values, number>;
}

/** The text of a blocks document, one line for each block. */
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

/** The ranges of the whole text, by node. */
export function rangesOfNodes({ starts }: BlockTexts, ranges: readonly Range[]): ReadonlyMap<Values, readonly Range[]> {
  const result = new Map<Values, readonly Range[]>();
  for (const [node, start] of starts) {
    const { length } = String(node['text']);
    const own = ranges.flatMap(([from, to]): Range[] => {
      const [begin, end] = [Math.max(0, from - start), Math.min(length, to - start)];
      return begin < end ? [[begin, end]] : [];
    });
    if (own.length > 0) result.set(node, own);
  }
  return result;
}
