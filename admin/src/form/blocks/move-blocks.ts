/** Moving blocks, and list items, past their neighbours. */
import { Editor, Element, Node, Path, Transforms } from 'slate';
import { elementAround } from './commands.ts';
import type { BlocksEditor, ElementNode } from './nodes.ts';

/** The new position, and the number of positions. */
export interface Moved {
  readonly place: number;
  readonly count: number;
}

/**
 * Moves the current block by one position. A list item moves within its list, with the lists below it; at the end of
 * its list, the whole list moves.
 *
 * @returns undefined if there is no neighbour.
 */
export function moveByOne(editor: BlocksEditor, step: -1 | 1): Moved | undefined {
  const item = elementAround(editor, 'list-item');
  for (let at = item?.[1]; at && at.length > 1; at = Path.parent(at)) {
    const moved = moveEntry(editor, at, step);
    if (moved) return moved;
  }
  const from = editor.selection?.anchor.path[0];
  return from === undefined ? undefined : moveBlock(editor, from, from + step);
}

/** Moves a block of the document to an index. */
export function moveBlock(editor: BlocksEditor, from: number, to: number): Moved | undefined {
  const count = editor.children.length;
  if (to < 0 || to >= count || to === from) return undefined;
  Transforms.moveNodes(editor, { at: [from], to: [to] });
  return { place: to + 1, count };
}

/** Moves a list item, or the nested list that belongs to it. */
function moveEntry(editor: BlocksEditor, path: Path, step: -1 | 1): Moved | undefined {
  const listPath = Path.parent(path);
  const list = Node.get(editor, listPath);
  if (!Element.isElement(list) || list.type !== 'list') return undefined;
  const starts = startsOf(list);
  const index = path.at(-1)!;
  const unit = starts.findLastIndex((start) => start <= index);
  const other = unit + step;
  if (other < 0 || other >= starts.length) return undefined;
  const endOf = (at: number): number => starts[at + 1] ?? list.children.length;
  const [start, end] = [starts[unit]!, endOf(unit)];
  // The neighbour moves to the other side, so that the caret does not move.
  Editor.withoutNormalizing(editor, () => {
    if (step < 0) {
      for (let remaining = start - starts[other]!; remaining > 0; remaining -= 1) {
        Transforms.moveNodes(editor, { at: [...listPath, starts[other]!], to: [...listPath, end - 1] });
      }
    } else {
      for (let remaining = endOf(other) - end; remaining > 0; remaining -= 1) {
        Transforms.moveNodes(editor, { at: [...listPath, endOf(other) - 1], to: [...listPath, start] });
      }
    }
  });
  return { place: other + 1, count: starts.length };
}

/** The indexes at which items of a list begin. A nested list belongs to the item before it. */
function startsOf({ children }: ElementNode): readonly number[] {
  const starts = children.flatMap((child, index) =>
    index === 0 || !Element.isElement(child) || child.type !== 'list' ? [index] : [],
  );
  return starts;
}
