/** The position in a list: restoring the scroll position, and keeping the focus on a row while others come and go. */
import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type ListPosition, listPosition, setListPosition } from '../data/list-positions.ts';

type Virtual = Virtualizer<HTMLDivElement, Element>;

export interface ListPlace {
  /** The index of the row that has or gets the focus. */
  readonly at: number;
  readonly setAt: (row: number) => void;
  /** The initial scroll offset. */
  readonly offset: number;
  /** The position to restore; undefined once it is restored. */
  readonly returns: RefObject<ListPosition | undefined>;
  /** The row that gets the focus once it is rendered. */
  readonly due: RefObject<number | undefined>;
}

interface Shown {
  /** The name under which the scroll position is stored. */
  readonly memory: string | undefined;
  /** Whether the number of rows is still unknown. */
  readonly isComing: boolean;
  readonly count: number;
  readonly frame: RefObject<HTMLDivElement | null>;
  /** The key of a row; undefined while it is loading. */
  readonly keyAt: (row: number) => string | undefined;
}

/** The height of a row in pixels until it is measured. */
export const ROW = 39;
/** The maximum number of attempts to restore the position. */
const TRIES = 10;
const BY_HAND = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

export function useListPlace(memory: string | undefined): ListPlace {
  const [left] = useState(() => (memory === undefined ? undefined : listPosition(memory)));
  const [at, setAt] = useState(left?.row ?? 0);
  const returns = useRef(left);
  const due = useRef<number>(undefined);
  return { at, setAt, offset: left ? Math.max(0, left.row * ROW - left.below) : 0, returns, due };
}

/** Keeps the position of a rendered list. */
export function useKeptPlace(
  { at, setAt, returns, due }: ListPlace,
  virtual: Virtual,
  { memory, isComing, count, frame, keyAt }: Shown,
): void {
  const current = Math.min(at, Math.max(0, count - 1));
  const tries = useRef(0);
  const isFound = useRef(false);
  /** The focused row: its key, and the index at which it was last seen. */
  const held = useRef<{ readonly row: number; readonly key: string | undefined }>(undefined);
  const focus = (row: number): void => {
    due.current = row;
    setAt(row);
  };

  useLayoutEffect(() => {
    const [place, element] = [returns.current, frame.current];
    if (!place || !element || isComing || count === 0) return;
    const row = Math.min(place.row, count - 1);
    const before = element.scrollTop;
    element.scrollTop = startOf(virtual, row) - place.below;
    // Rows have an estimated height until they are rendered, so this takes several frames.
    tries.current += 1;
    const isThere = Math.abs(element.scrollTop - before) <= 1 && rowIn(element, row) !== null;
    if (tries.current === TRIES) returns.current = undefined;
    if (isFound.current || (!isThere && tries.current < TRIES)) return;
    isFound.current = true;
    held.current = { row, key: place.key };
    // The focus does not move if the user has already moved it, or if the row is out of view.
    if (document.activeElement !== document.body || !inSight(virtual).includes(row)) return;
    const own = place.key === undefined ? undefined : inSight(virtual).find((one) => keyAt(one) === place.key);
    focus(own ?? row);
  });

  useLayoutEffect(() => {
    const key = keyAt(current);
    if ((returns.current && !isFound.current) || key === undefined) return;
    const before = held.current;
    held.current = { row: current, key };
    if (before?.row !== current || before.key === undefined || before.key === key) return;
    // Rows were added or removed: the focus stays on its row while that is visible, and otherwise at its index.
    const row = inSight(virtual).find((one) => keyAt(one) === before.key);
    if (row === undefined) return;
    held.current = { row, key: before.key };
    if (frame.current?.contains(document.activeElement)) focus(row);
    else setAt(row);
  });

  useEffect(() => {
    // A distant row is rendered some frames later.
    const row = due.current === undefined ? null : rowIn(frame.current, due.current);
    if (!row) return;
    due.current = undefined;
    row.focus({ preventScroll: true });
  });

  const latest = useRef({ row: current, virtual });
  latest.current = { row: current, virtual };
  const shown = useRef(memory);
  // Before the page changes: afterwards the list has no scroll position.
  useLayoutEffect(() => {
    if (shown.current !== memory) {
      // A different list starts at its beginning.
      shown.current = memory;
      returns.current = undefined;
      held.current = undefined;
      if (frame.current) frame.current.scrollTop = 0;
      setAt(0);
    }
    return () => {
      if (memory === undefined || returns.current) return;
      const { row, virtual } = latest.current;
      setListPosition(memory, {
        row,
        key: held.current?.key,
        below: startOf(virtual, row) - (virtual.scrollOffset ?? 0),
      });
    };
  }, [memory, frame, setAt, returns]);

  useEffect(() => {
    const element = frame.current;
    // Scrolling by hand ends the restoration.
    const stop = (): void => {
      returns.current = undefined;
    };
    for (const event of BY_HAND) element?.addEventListener(event, stop, { passive: true });
    return () => {
      for (const event of BY_HAND) element?.removeEventListener(event, stop);
    };
  }, [frame, returns]);
}

const startOf = ({ measurementsCache }: Virtual, row: number): number => measurementsCache[row]?.start ?? row * ROW;

const rowIn = (frame: Element | null, row: number): HTMLElement | null =>
  frame?.querySelector<HTMLElement>(`[data-index="${row}"]`) ?? null;

/** The indexes of the visible rows, in order. */
function inSight({ range }: Virtual): readonly number[] {
  if (!range) return [];
  return Array.from({ length: range.endIndex - range.startIndex + 1 }, (_, n) => range.startIndex + n);
}
