/** A table with any number of rows. Only visible ones are rendered; one of them has the focus. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useText } from '../language/language.tsx';
import { Skeleton } from './bits.tsx';
import { allState, type Choose, useChoosing } from './choosing.ts';
import { classes } from './classes.ts';
import { type Column, columnStyle, isName, type Sorting } from './data-column.ts';
import styles from './data-table.module.css';
import { type Boxes, Head } from './data-table-head.tsx';
import { controlOf, isKeyOfGrid, isWithin } from './grid-events.ts';
import { ROW, useKeptPlace, useListPlace } from './list-position.ts';
import { BareCheckbox } from './toggle.tsx';
import { useHeldWhilePressed } from './while-pressed.ts';

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** The number of rows, loaded or not. */
  readonly count: number;
  /** Whether the number is still unknown: `count` is then the number of placeholders. */
  readonly isComing?: boolean;
  /** The row at an index; undefined while it is loading. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly keyOf: (row: Row) => string;
  /** The name of a row, for the label of its checkbox. */
  readonly nameOf: (row: Row) => string;
  readonly onOpen: (row: Row, index: number) => void;
  /** Called with a row that is likely to be opened next. */
  readonly onPoint?: (row: Row) => void;
  /** Called with the first and last visible index, to load these rows. */
  readonly onRange?: (first: number, last: number) => void;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
  /** Absent if every row can be selected. */
  readonly isChoosable?: ((row: Row) => boolean) | undefined;
  /** As in `Choosing`. */
  readonly keysBetween?: (first: number, last: number) => Promise<readonly string[] | undefined>;
  /** Whether a row is about to be removed. */
  readonly isLeaving?: (row: Row) => boolean;
  /** The name under which the scroll position of the list is stored. */
  readonly memory?: string;
  /** The height of the scroll container; by default the table fills its parent. */
  readonly height?: string;
}

/** The rows that are shown while a pointer is down. */
interface Held<Row> {
  readonly count: number;
  readonly rows: ReadonlyMap<number, Row | undefined>;
}

/** The number of rows that are rendered beyond the visible ones. */
const BEYOND = 12;

/**
 * A grid with one tab stop. Keys: arrows or `j` `k`, Home, End, Page keys; `x` or Space selects, with Shift a range,
 * Ctrl or ⌘ A all; Enter opens.
 */
export function DataTable<Row>(props: Props<Row>): ReactNode {
  const { label, columns, keyOf, onOpen, onRange, chosen, onChoose } = props;
  const { held, onPointerDown } = useHeldWhilePressed(
    (): Held<Row> => ({
      count,
      rows: new Map(items.map(({ index }) => [index, rowAt(index)])),
    }),
  );
  const { count } = held ?? props;
  const rowAt = (index: number): Row | undefined => (held?.rows.has(index) ? held.rows.get(index) : props.rowAt(index));
  const frame = useRef<HTMLDivElement>(null);
  const place = useListPlace(props.memory);
  const { at, setAt, due } = place;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: BEYOND,
    initialOffset: place.offset,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRange?.(first, last), [onRange, first, last]);

  const current = Math.min(at, Math.max(0, count - 1));
  // If the focused row was scrolled out of view, the first visible row becomes the tab stop.
  const stop = items.some(({ index }) => index === current) ? current : (virtual.range?.startIndex ?? first);
  const keyAt = (index: number): string | undefined => {
    const row = rowAt(index);
    return row === undefined ? undefined : keyOf(row);
  };
  const { memory, isComing = false } = props;
  useKeptPlace(place, virtual, { memory, isComing, count, frame, keyAt });
  const go = (index: number): void => {
    const next = Math.max(0, Math.min(count - 1, index));
    due.current = next;
    setAt(next);
    virtual.scrollToIndex(next, { align: 'auto' });
  };
  const isChoosable = (row: Row): boolean => props.isChoosable?.(row) ?? true;
  const choosableAt = (index: number): string | null | undefined => {
    const row = rowAt(index);
    return row === undefined ? undefined : isChoosable(row) ? keyOf(row) : null;
  };
  const choose = useChoosing({ count, keyAt: choosableAt, chosen, onChoose, keysBetween: props.keysBetween });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isKeyOfGrid(event) || event.altKey) return;
    if (event.key === 'a' && (event.ctrlKey || event.metaKey) && onChoose) {
      event.preventDefault();
      choose.all();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, last - first - BEYOND);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      j: current + 1,
      ArrowUp: current - 1,
      k: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: count - 1,
    };
    const to = steps[event.key];
    const row = rowAt(current);
    if (to !== undefined) go(to);
    else if (event.key === 'Enter' && row !== undefined) onOpen(row, current);
    else if (/^[xX ]$/.test(event.key) && row !== undefined) choose.toggle(current, event.shiftKey);
    else return;
    event.preventDefault();
  };

  const boxes: Boxes = {
    state: allState({ count, keyAt: choosableAt, chosen }),
    onAll: (isChosen) => (isChosen ? choose.all() : onChoose?.(new Set())),
  };
  const acts = useRef<Acts<Row>>({});
  acts.current = { open: onOpen, point: props.onPoint, toggle: choose.toggle, focus: setAt };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    <div
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-multiselectable={onChoose ? true : undefined}
      className={styles['frame']}
      style={{ ...columnStyle(columns, onChoose !== undefined), blockSize: props.height } as React.CSSProperties}
      tabIndex={count === 0 ? 0 : -1}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      // Without this, the browser would select the text between two clicks.
      onMouseDown={(event) => event.shiftKey && onChoose && event.preventDefault()}
    >
      <Head columns={columns} sorting={props.sorting} onSort={props.onSort} boxes={onChoose && boxes} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className={styles['body']} style={{ blockSize: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <BodyRow<Row>
              // Keyed by index, so that a row keeps the focus when its data arrives or changes.
              key={index}
              index={index}
              start={start}
              row={row}
              name={row === undefined ? '' : props.nameOf(row)}
              columns={columns}
              isCurrent={index === stop}
              isChosen={onChoose ? row !== undefined && chosen?.has(keyOf(row)) === true : undefined}
              hasBox={onChoose !== undefined && row !== undefined && isChoosable(row)}
              isLeaving={row !== undefined && props.isLeaving?.(row) === true}
              measure={virtual.measureElement}
              acts={acts}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The current actions of a row. */
interface Acts<Row> {
  readonly open?: (row: Row, index: number) => void;
  readonly point?: ((row: Row) => void) | undefined;
  readonly toggle?: Choose['toggle'];
  readonly focus?: (index: number) => void;
}

interface RowProps<Row> {
  readonly index: number;
  readonly start: number;
  readonly row: Row | undefined;
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly isCurrent: boolean;
  /** Undefined if rows cannot be selected. */
  readonly isChosen: boolean | undefined;
  readonly hasBox: boolean;
  readonly isLeaving: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly acts: RefObject<Acts<Row>>;
}

/** A row. Unchanged rows are not rendered again during scrolling. */
const BodyRow = memo(drawRow) as typeof drawRow;

function drawRow<Row>({ index, start, row, name, columns, isChosen, acts, ...look }: RowProps<Row>): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the grid
    <div
      ref={look.measure}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-busy={row === undefined ? true : undefined}
      tabIndex={look.isCurrent ? 0 : -1}
      className={classes(styles['row'], isChosen && styles['chosen'], look.isLeaving && styles['leaving'])}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => acts.current.focus?.(index)}
      onPointerEnter={() => row !== undefined && acts.current.point?.(row)}
      onClick={(event) => {
        if (!isWithin(event)) return;
        const control = controlOf(event);
        if (event.shiftKey && !control) acts.current.toggle?.(index, true);
        // The browser opens links in new tabs by itself.
        if (row === undefined || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        if (control && !control.classList.contains(styles['link']!)) return;
        event.preventDefault();
        acts.current.open?.(row, index);
      }}
    >
      {isChosen !== undefined && (
        <Cell isHeld>
          {look.hasBox && (
            <ChoiceBox name={name} isChosen={isChosen} onChoose={(shift) => acts.current.toggle?.(index, shift)} />
          )}
        </Cell>
      )}
      {columns.map((column, place) => (
        <Cell key={column.id} column={column} isHeld={isName(column, place)}>
          {row === undefined ? <Skeleton width="60%" /> : contentOf(column, row)}
        </Cell>
      ))}
    </div>
  );
}

/** The content of a cell. Rows have the focus and open with Enter; the link serves pointers and screen readers. */
function contentOf<Row>({ cell, href }: Column<Row>, row: Row): ReactNode {
  if (!href) return cell(row);
  return (
    <a href={href(row)} tabIndex={-1} dir="auto" draggable={false} className={styles['link']}>
      {cell(row)}
    </a>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: (withAllBetween: boolean) => void;
}

function ChoiceBox({ name, isChosen, onChoose }: ChoiceProps): ReactNode {
  const t = useText();
  return (
    <BareCheckbox
      label={t('list.choose', { name })}
      checked={isChosen}
      tabIndex={-1}
      onValue={(_, shift) => onChoose(shift)}
    />
  );
}

interface CellProps<Row> {
  readonly column?: Column<Row>;
  /** Whether the cell stays visible during horizontal scrolling. */
  readonly isHeld: boolean;
  readonly children: ReactNode;
}

function Cell<Row>({ column, isHeld, children }: CellProps<Row>): ReactNode {
  const look = column?.narrow;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    // biome-ignore lint/a11y/useFocusableInteractive: rows have the focus
    <div
      role="gridcell"
      dir={typeof children === 'string' && column?.align !== 'end' ? 'auto' : undefined}
      className={classes(
        styles['cell'],
        isHeld && styles['held'],
        look && styles[look],
        column?.align === 'end' && styles['atEnd'],
      )}
    >
      {children}
    </div>
  );
}
