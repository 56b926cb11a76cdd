/** The place in a list: where it is left, how it is found again, and which row has the focus while others come and go. */
import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type LeftPlace, leaveList, leftAt } from '../data/left-lists.ts';

type Virtual = Virtualizer<HTMLDivElement, Element>;

export interface ListPlace {
  /** The row that has the focus, or gets it. */
  readonly at: number;
  readonly setAt: (row: number) => void;
  /** Where the list scrolls to at first. */
  readonly offset: number;
  /** Where it was left, until it is found again. */
  readonly returns: RefObject<LeftPlace | undefined>;
  /** The row that gets the focus once it is drawn. */
  readonly due: RefObject<number | undefined>;
}

interface Shown {
  /** Names the list: whoever comes back to it finds it where it was left. */
  readonly memory: string | undefined;
  /** Whether it is not known yet how many rows there are. */
  readonly isComing: boolean;
  readonly count: number;
  readonly frame: RefObject<HTMLDivElement | null>;
  /** What a row is of; undefined while that is on its way. */
  readonly keyAt: (row: number) => string | undefined;
}

/** Pixels of a row until it is measured. */
export const ROW = 39;
/** How often a list is scrolled until it is where it was. */
const TRIES = 10;
const BY_HAND = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

export function useListPlace(memory: string | undefined): ListPlace {
  const [left] = useState(() => (memory === undefined ? undefined : leftAt(memory)));
  const [at, setAt] = useState(left?.row ?? 0);
  const returns = useRef(left);
  const due = useRef<number>(undefined);
  return { at, setAt, offset: left ? Math.max(0, left.row * ROW - left.below) : 0, returns, due };
}

/** Keeps the place in a list that is drawn. */
export function useKeptPlace(
  { at, setAt, returns, due }: ListPlace,
  virtual: Virtual,
  { memory, isComing, count, frame, keyAt }: Shown,
): void {
  const current = Math.min(at, Math.max(0, count - 1));
  const tries = useRef(0);
  const isFound = useRef(false);
  /** What the row that has the focus is of, and where that was seen. */
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
    // rows are as high as is estimated until they are drawn: it goes on for some pictures
    tries.current += 1;
    const isThere = Math.abs(element.scrollTop - before) <= 1 && rowIn(element, row) !== null;
    if (tries.current === TRIES) returns.current = undefined;
    if (isFound.current || (!isThere && tries.current < TRIES)) return;
    isFound.current = true;
    held.current = { row, key: place.key };
    // whoever is somewhere else already stays there, and nobody is led to what is not in sight
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
    // others have come or gone: whoever is at a row stays at it as long as it is in sight, and else where it was
    const row = inSight(virtual).find((one) => keyAt(one) === before.key);
    if (row === undefined) return;
    held.current = { row, key: before.key };
    if (frame.current?.contains(document.activeElement)) focus(row);
    else setAt(row);
  });

  useEffect(() => {
    // a row far away is drawn some pictures later
    const row = due.current === undefined ? null : rowIn(frame.current, due.current);
    if (!row) return;
    due.current = undefined;
    row.focus({ preventScroll: true });
  });

  const latest = useRef({ row: current, virtual });
  latest.current = { row: current, virtual };
  const shown = useRef(memory);
  // before the page goes: what is not drawn any more has not scrolled
  useLayoutEffect(() => {
    if (shown.current !== memory) {
      // another list in its place is seen from its beginning
      shown.current = memory;
      returns.current = undefined;
      held.current = undefined;
      if (frame.current) frame.current.scrollTop = 0;
      setAt(0);
    }
    return () => {
      if (memory === undefined || returns.current) return;
      const { row, virtual } = latest.current;
      leaveList(memory, { row, key: held.current?.key, below: startOf(virtual, row) - (virtual.scrollOffset ?? 0) });
    };
  }, [memory, frame, setAt, returns]);

  useEffect(() => {
    const element = frame.current;
    // whoever scrolls by themselves is not led back
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

/** The rows in sight, in their order. */
function inSight({ range }: Virtual): readonly number[] {
  if (!range) return [];
  return Array.from({ length: range.endIndex - range.startIndex + 1 }, (_, n) => range.startIndex + n);
}
