/** The grip in the margin of a block, by which a mouse or a finger moves it. Keys move it with Alt and the arrows. */
import { type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Editor, Transforms } from 'slate';
import { ReactEditor, useSlate } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { GripVertical } from '../../ui/icons.ts';
import { marginsOf, scrollerOf } from '../text/reveal.ts';
import styles from './blocks.module.css';
import { type Moved, moveBlock } from './move-blocks.ts';

/** Pixels that a pointer has to move before it drags. */
const BEGINS = 4;
/** Pixels from the edge of what is seen within which it scrolls, and how far with each picture. */
const EDGE = 48;
const STEP = 12;

interface Dragging {
  readonly from: number;
  /** The block before which it would stand; the number of blocks: at the end. */
  readonly before: number;
}

interface Props {
  /** The block that the mouse is at. */
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
  // where the blocks are is known once they are drawn
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
  /** Shows where it would stand, and scrolls at the edges for as long as the pointer is there. */
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
    // the selection of the text stays
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
        // with keys the block is moved from the text
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

/** The elements of the blocks, in their order. */
function blocksOf(editor: ReactEditor): readonly Element[] {
  return [...ReactEditor.toDOMNode(editor as never, editor as never).children].filter((child) =>
    child.hasAttribute('data-slate-node'),
  );
}

/** The block at a height of the window; the last one above it where it is between two. */
export function blockAt(editor: ReactEditor, y: number): number | undefined {
  const blocks = blocksOf(editor);
  const below = firstBelow(blocks, (block) => block.getBoundingClientRect().top > y);
  return blocks.length === 0 ? undefined : Math.max(0, below - 1);
}

/** The block before which something at a height would stand. */
function placeAt(editor: ReactEditor, y: number): number {
  return firstBelow(blocksOf(editor), (block) => {
    const { top, bottom } = block.getBoundingClientRect();
    return (top + bottom) / 2 > y;
  });
}

/** The first of blocks that lies below something; they are asked in halves. */
function firstBelow(blocks: readonly Element[], isBelow: (block: Element) => boolean): number {
  let [from, to] = [0, blocks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBelow(blocks[middle]!)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Where a grip stands beside the first line of a block. */
function firstLine(block: Element): number {
  const { top } = block.getBoundingClientRect();
  const { lineHeight, paddingTop } = getComputedStyle(block);
  const isPicture = block.querySelector('figure') !== null;
  return top + Number.parseFloat(paddingTop) + (isPicture ? 0 : (Number.parseFloat(lineHeight) - GRIP) / 2);
}

/** Pixels of the grip. */
const GRIP = 24;
