/** The words of a blocks document as one text, and which part of it each of its nodes has. */
import { isValues, type Values } from '../values/model.ts';
import type { Range } from '../values/text-parts.ts';

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
