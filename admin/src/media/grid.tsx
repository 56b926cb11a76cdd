/** The entries of the library as tiles. Only visible ones are rendered; one of them has the focus. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { Skeleton } from '../ui/bits.tsx';
import { useChoosing } from '../ui/choosing.ts';
import { classes } from '../ui/classes.ts';
import { controlOf, isKeyOfGrid, isWithin } from '../ui/grid-events.ts';
import { useHeldWhilePressed } from '../ui/while-pressed.ts';
import { type Entries, type EntriesProps, keyOf, seenOf } from './entries.ts';
import styles from './grid.module.css';
import { heldWith, Tile } from './tile.tsx';

const GAP = 12;
/** The minimum width of a tile in pixels, on wide and on narrow pages. */
const [WIDE, NARROW] = [172, 140];
const FOLDER = 44;
/** The height of the name and the size below a picture. */
const CAPTION = 44;
const ROWS_BEYOND = 3;

/**
 * A grid with one tab stop. Keys: arrows, `j` `k`, Home, End, Page keys; `x` or Space selects, with Shift a range, Ctrl
 * or ⌘ A all; Enter opens.
 */
export function Grid(props: EntriesProps): ReactNode {
  const { chosen, onChoose, keysBetween, isChoosable, onOpen, onRange, actions, onMove } = props;
  const t = useText();
  const frame = useRef<HTMLDivElement>(null);
  const inner = useWidth(frame);
  const [at, setAt] = useState(0);
  const moved = useRef(false);
  const least = inner < 560 ? NARROW : WIDE;
  const columns = Math.max(2, Math.floor((inner + GAP) / (least + GAP)));
  const width = Math.max(60, (inner - GAP * (columns - 1)) / columns);
  const { held, onPointerDown } = useHeldWhilePressed(
    (): Entries =>
      seenOf(
        entries,
        items.flatMap(({ index }) => placesOf(index)),
      ),
  );
  const entries = held ?? props.entries;
  const { count, folders } = entries;
  const folderRows = Math.ceil(folders.length / columns);
  const rows = folderRows + Math.ceil((count - folders.length) / columns);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => frame.current,
    estimateSize: (row) => (row < folderRows ? FOLDER : width * 0.75 + CAPTION) + GAP,
    overscan: ROWS_BEYOND,
    // Room for the focus ring.
    paddingStart: 3,
    paddingEnd: GAP,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights follow from the width
  useEffect(() => {
    virtual.measure();
  }, [width, folderRows, virtual]);
  const items = virtual.getVirtualItems();
  /** The indexes of the entries in a row. */
  const placesOf = (row: number): readonly number[] => {
    const [start, end] =
      row < folderRows ? [row * columns, folders.length] : [folders.length + (row - folderRows) * columns, count];
    return Array.from({ length: Math.max(0, Math.min(columns, end - start)) }, (_, index) => start + index);
  };
  const rowOf = (place: number): number =>
    place < folders.length ? Math.floor(place / columns) : folderRows + Math.floor((place - folders.length) / columns);
  const first = items[0] ? Math.max(0, (placesOf(items[0].index)[0] ?? 0) - folders.length) : 0;
  const last = Math.max(0, (placesOf(items.at(-1)?.index ?? 0).at(-1) ?? 0) - folders.length);
  useEffect(() => onRange(first, last), [onRange, first, last]);

  const current = Math.min(at, Math.max(0, count - 1));
  useEffect(() => {
    // A distant tile is rendered some frames later.
    const cell = moved.current ? frame.current?.querySelector<HTMLElement>(`[data-place="${current}"]`) : undefined;
    if (!cell) return;
    moved.current = false;
    cell.focus({ preventScroll: true });
  });
  const go = (place: number): void => {
    const next = Math.max(0, Math.min(count - 1, place));
    moved.current = true;
    setAt(next);
    virtual.scrollToIndex(rowOf(next), { align: 'auto' });
  };
  const below = (steps: number): number => {
    const row = Math.max(0, Math.min(rows - 1, rowOf(current) + steps));
    const column = placesOf(rowOf(current)).indexOf(current);
    const places = placesOf(row);
    return places[Math.min(column, places.length - 1)] ?? current;
  };
  const keyAt = (place: number): string | null | undefined => {
    const entry = entries.at(place);
    return entry === undefined ? undefined : isChoosable(entry) ? keyOf(entry) : null;
  };
  const choose = useChoosing({ count, keyAt, chosen, onChoose, keysBetween });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isKeyOfGrid(event)) return;
    if (event.key === 'a' && (event.ctrlKey || event.metaKey) && onChoose) {
      event.preventDefault();
      choose.all();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1;
    const page = Math.max(1, items.length - 2 * ROWS_BEYOND);
    const steps: Readonly<Record<string, () => number>> = {
      ArrowRight: () => current + forward,
      ArrowLeft: () => current - forward,
      j: () => current + 1,
      k: () => current - 1,
      ArrowDown: () => below(1),
      ArrowUp: () => below(-1),
      PageDown: () => below(page),
      PageUp: () => below(-page),
      Home: () => 0,
      End: () => count - 1,
    };
    const entry = entries.at(current);
    const step = steps[event.key];
    if (step) go(step());
    else if (event.key === 'Enter' && entry) onOpen(entry);
    else if (/^[xX ]$/.test(event.key) && entry) choose.toggle(current, event.shiftKey);
    else return;
    event.preventDefault();
  };
  const onPress = (event: MouseEvent, place: number): void => {
    const entry = entries.at(place);
    if (!entry || !isWithin(event) || controlOf(event)) return;
    if (onChoose && (event.shiftKey || event.ctrlKey || event.metaKey)) choose.toggle(place, event.shiftKey);
    else onOpen(entry);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    <div
      ref={frame}
      role="grid"
      aria-label={t('media.content')}
      aria-rowcount={rows}
      aria-multiselectable={onChoose ? true : undefined}
      className={classes(styles['frame'], chosen.size > 0 && styles['choosing'])}
      tabIndex={count === 0 ? 0 : -1}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      // Without this, the browser would select the text between two clicks.
      onMouseDown={(event) => event.shiftKey && onChoose && event.preventDefault()}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className={styles['body']} style={{ blockSize: virtual.getTotalSize() }}>
        {items.map(({ index: row, start }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus
          <div
            key={row}
            role="row"
            aria-rowindex={row + 1}
            className={styles['row']}
            style={{ '--columns': columns, transform: `translateY(${start}px)` } as React.CSSProperties}
          >
            {placesOf(row).map((place) => {
              const entry = entries.at(place);
              const isChosen = entry !== undefined && chosen.has(keyOf(entry));
              return (
                // biome-ignore lint/a11y/useSemanticElements: as above
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the grid
                <div
                  key={entry ? keyOf(entry) : place}
                  role="gridcell"
                  data-place={place}
                  aria-selected={onChoose ? isChosen : undefined}
                  aria-busy={entry ? undefined : true}
                  tabIndex={place === current ? 0 : -1}
                  className={classes(styles['cell'], isChosen && styles['chosen'])}
                  onFocus={() => setAt(place)}
                  onClick={(event) => onPress(event, place)}
                >
                  {entry ? (
                    <Tile
                      entry={entry}
                      isChosen={isChosen}
                      onChoose={onChoose && isChoosable(entry) ? (shift) => choose.toggle(place, shift) : undefined}
                      isMovable={actions !== undefined && isChoosable(entry)}
                      held={() => heldWith(entry, chosen)}
                      actions={actions}
                      onMove={onMove}
                      width={width}
                    />
                  ) : (
                    <Skeleton height={`${width * 0.75}px`} />
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The inner width of an element. */
function useWidth(ref: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
