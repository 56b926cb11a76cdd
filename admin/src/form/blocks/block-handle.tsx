/**
 * The handle in the margin of a block, for moving it with a mouse or a finger. With the keyboard, Alt and the arrow
 * keys move it.
 */
import { type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Editor, Transforms } from 'slate';
import { ReactEditor, useSlate } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { GripVertical } from '../../ui/icons.ts';
import { marginsOf, scrollerOf } from '../text/reveal.ts';
import styles from './blocks.module.css';
import { type Moved, moveBlock } from './move-blocks.ts';

/** The distance in pixels after which a pointer drags. */
const BEGINS = 4;
/** The distance in pixels from the visible edge within which the page scrolls, and the pixels per frame. */
const EDGE = 48;
const STEP = 12;

interface Dragging {
  readonly from: number;
  /** The index of the block before which it would be inserted; the number of blocks for the end. */
  readonly before: number;
}

interface Props {
  /** The index of the block that the mouse hovers. */
  readonly hovered: number | undefined;
  readonly onMoved: (moved: Moved | undefined) => void;
}

export function BlockHandle({ hovered, onMoved }: Props): ReactNode {
  const t = useText();
  const editor = useSlate();
  const [dragging, setDragging] = useState<Dragging>();
  const begun = useRef<{ readonly y: number; readonly from: number; now: number; picture: number } | undefined>(
    undefined,
  );
  const caret = ReactEditor.isFocused(editor) ? editor.selection?.focus.path[0] : undefined;
  const wanted = dragging?.from ?? hovered ?? caret;
  const index = wanted !== undefined && wanted < editor.children.length ? wanted : undefined;
  const handle = useRef<HTMLButtonElement>(null);
  const line = useRef<HTMLDivElement>(null);
  // The positions of blocks are known after rendering.
  useLayoutEffect(() => {
    const blocks = blocksOf(editor);
    const sheet = handle.current?.parentElement?.getBoundingClientRect().top ?? 0;
    const block = index === undefined ? undefined : blocks[index];
    if (handle.current && block) handle.current.style.insetBlockStart = `${firstLine(block) - sheet}px`;
    if (!line.current || !dragging) return;
    const below = blocks[dragging.before];
    const above = blocks[dragging.before - 1];
    const [top, bottom] = [below?.getBoundingClientRect().top, above?.getBoundingClientRect().bottom];
    line.current.style.insetBlockStart = `${((top ?? bottom ?? 0) + (bottom ?? top ?? 0)) / 2 - sheet}px`;
  });
  const end = (): void => {
    if (begun.current) cancelAnimationFrame(begun.current.picture);
    begun.current = undefined;
    setDragging(undefined);
    removeEventListener('keydown', onEscape, { capture: true });
  };
  const onEscape = useRef((event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    ending.current();
  }).current;
  const ending = useRef(end);
  ending.current = end;
  /** Shows the target position, and scrolls while the pointer is at an edge. */
  const follow = (): void => {
    const drag = begun.current;
    if (!drag) return;
    setDragging({ from: drag.from, before: placeAt(editor, drag.now) });
    const text = ReactEditor.toDOMNode(editor, editor);
    const scroller = scrollerOf(text);
    const seen = scroller.getBoundingClientRect();
    const { top, bottom } = marginsOf(text);
    if (drag.now < seen.top + top + EDGE) scroller.scrollTop -= STEP;
    else if (drag.now > seen.bottom - bottom - EDGE) scroller.scrollTop += STEP;
    drag.picture = requestAnimationFrame(follow);
  };
  const onPointerDown = (event: PointerEvent<HTMLButtonElement>): void => {
    if (index === undefined || event.button !== 0) return;
    // Keeps the selection of the text.
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { y: event.clientY, from: index, now: event.clientY, picture: 0 };
    addEventListener('keydown', onEscape, { capture: true });
  };
  const onPointerMove = (event: PointerEvent): void => {
    const drag = begun.current;
    if (!drag) return;
    drag.now = event.clientY;
    if (!dragging && drag.picture === 0 && Math.abs(drag.now - drag.y) >= BEGINS) follow();
  };
  const onPointerUp = (): void => {
    const drag = begun.current;
    if (!drag) return;
    const { from } = drag;
    const before = drag.picture === 0 ? undefined : placeAt(editor, drag.now);
    end();
    if (before === undefined) Transforms.select(editor, Editor.start(editor, [from]));
    else {
      const to = before > from ? before - 1 : before;
      if (to !== from) onMoved(moveBlock(editor, from, to));
    }
    ReactEditor.focus(editor);
  };
  if (index === undefined) return null;
  return (
    <>
      <button
        ref={handle}
        type="button"
        // Not reachable by Tab: the keyboard moves blocks from within the text.
        tabIndex={-1}
        className={styles['handle']}
        aria-label={t('blocks.move', { place: index + 1 })}
        title={t('blocks.move.how')}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={end}
      >
        <GripVertical size={15} />
      </button>
      {dragging && <div ref={line} className={styles['dropLine']} data-drop={dragging.before} />}
    </>
  );
}

/** The elements of the blocks in order. */
function blocksOf(editor: ReactEditor): readonly Element[] {
  return [...ReactEditor.toDOMNode(editor as never, editor as never).children].filter((child) =>
    child.hasAttribute('data-slate-node'),
  );
}

/** The index of the block at a height of the window; between two blocks, that of the upper one. */
export function blockAt(editor: ReactEditor, y: number): number | undefined {
  const blocks = blocksOf(editor);
  const below = firstBelow(blocks, (block) => block.getBoundingClientRect().top > y);
  return blocks.length === 0 ? undefined : Math.max(0, below - 1);
}

/** The index of the block before which a block at a height would be inserted. */
function placeAt(editor: ReactEditor, y: number): number {
  return firstBelow(blocksOf(editor), (block) => {
    const { top, bottom } = block.getBoundingClientRect();
    return (top + bottom) / 2 > y;
  });
}

/** The first block below a height, by binary search. */
function firstBelow(blocks: readonly Element[], isBelow: (block: Element) => boolean): number {
  let [from, to] = [0, blocks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBelow(blocks[middle]!)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The vertical position of the handle, beside the first line of a block. */
function firstLine(block: Element): number {
  const { top } = block.getBoundingClientRect();
  const { lineHeight, paddingTop } = getComputedStyle(block);
  const isPicture = block.querySelector('figure') !== null;
  return top + Number.parseFloat(paddingTop) + (isPicture ? 0 : (Number.parseFloat(lineHeight) - GRIP) / 2);
}

/** The size of the handle in pixels. */
const GRIP = 24;
