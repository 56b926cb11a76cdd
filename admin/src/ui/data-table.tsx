/** Rows of anything: as many as there are, of which those in sight are drawn; one of them has the focus. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useText } from '../language/language.tsx';
import { Skeleton } from './bits.tsx';
import { classes } from './classes.ts';
import styles from './data-table.module.css';
import { controlOf, isKeyOfGrid, isWithin } from './grid-events.ts';
import { ArrowDown, ArrowUp } from './icons.ts';
import { ROW, useKeptPlace, useListPlace } from './list-place.ts';
import { BareCheckbox } from './toggle.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** Of a grid: `minmax(0, 1fr)`, `120px`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures and dates stand at the end. */
  readonly align?: 'end';
  /** `title`: the first line on a phone; `second`: in the one below, at its start or its end; `wide`: not on a phone. */
  readonly narrow?: 'title' | 'second' | 'wide';
  readonly sortable?: boolean;
  /** Where a row leads: the cell is a link, which pressing the row anywhere else follows as well. */
  readonly href?: (row: Row) => string;
}

export interface Sorting {
  readonly column: string;
  readonly descending: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** How many rows the list has, loaded or not. */
  readonly count: number;
  /** Whether it is not known yet how many there are: `count` rows hold their place. */
  readonly isComing?: boolean;
  /** The row at a place; undefined while it is on its way. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly keyOf: (row: Row) => string;
  /** How a row is called, for its checkbox. */
  readonly nameOf: (row: Row) => string;
  readonly onOpen: (row: Row, index: number) => void;
  /** Called with a row that is about to be opened. */
  readonly onPoint?: (row: Row) => void;
  /** Called with the first and last place in sight, to load what is there. */
  readonly onRange?: (first: number, last: number) => void;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
  /** Whether a row is on its way out. */
  readonly isLeaving?: (row: Row) => boolean;
  /** Names the list: whoever comes back to it finds it where it was left. */
  readonly memory?: string;
  /** What scrolls; the table's own frame where none is given. */
  readonly height?: string;
}

/** Rows drawn beyond what is in sight. */
const BEYOND = 12;

/**
 * A grid of rows with one tab stop. Keys: arrows or `j` `k`, Home, End, Page keys; `x` or Space chooses, Enter opens.
 */
export function DataTable<Row>(props: Props<Row>): ReactNode {
  const { label, columns, count, rowAt, keyOf, onOpen, onRange, chosen, onChoose } = props;
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
  // whoever has scrolled away from it comes back in where they are
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
  const toggle = (row: Row): void => {
    if (!chosen || !onChoose) return;
    const next = new Set(chosen);
    if (!next.delete(keyOf(row))) next.add(keyOf(row));
    onChoose(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isKeyOfGrid(event) || event.ctrlKey || event.metaKey || event.altKey) return;
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
    else if ((event.key === 'x' || event.key === ' ') && row !== undefined) toggle(row);
    else return;
    event.preventDefault();
  };

  const acts = useRef<Acts<Row>>({});
  acts.current = { open: onOpen, point: props.onPoint, toggle, focus: setAt };
  const template = [onChoose ? '30px' : '', ...columns.map(({ width }) => width)].join(' ');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    <div
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-multiselectable={onChoose ? true : undefined}
      className={styles['frame']}
      style={{ '--columns': template, blockSize: props.height } as React.CSSProperties}
      tabIndex={count === 0 ? 0 : -1}
      onKeyDown={onKeyDown}
    >
      <Head {...props} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className={styles['body']} style={{ blockSize: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <BodyRow<Row>
              // by its place: what stands there may be loaded or change, and keeps the focus
              key={index}
              index={index}
              start={start}
              row={row}
              name={row === undefined ? '' : props.nameOf(row)}
              columns={columns}
              isCurrent={index === stop}
              isChosen={onChoose ? row !== undefined && chosen?.has(keyOf(row)) === true : undefined}
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

/** What can be done to a row, as it is at the moment. */
interface Acts<Row> {
  readonly open?: (row: Row, index: number) => void;
  readonly point?: ((row: Row) => void) | undefined;
  readonly toggle?: (row: Row) => void;
  readonly focus?: (index: number) => void;
}

interface RowProps<Row> {
  readonly index: number;
  readonly start: number;
  readonly row: Row | undefined;
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly isCurrent: boolean;
  /** Undefined where rows cannot be chosen. */
  readonly isChosen: boolean | undefined;
  readonly isLeaving: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly acts: RefObject<Acts<Row>>;
}

/** One row. Those that stay as they are while one scrolls are not drawn anew. */
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
        // the browser opens links elsewhere that are pressed with a key
        if (row === undefined || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        const control = controlOf(event);
        if (control && !control.classList.contains(styles['link']!)) return;
        event.preventDefault();
        acts.current.open?.(row, index);
      }}
    >
      {isChosen !== undefined && (
        <Cell>
          {row !== undefined && (
            <ChoiceBox name={name} isChosen={isChosen} onChoose={() => acts.current.toggle?.(row)} />
          )}
        </Cell>
      )}
      {columns.map((column) => (
        <Cell key={column.id} column={column}>
          {row === undefined ? <Skeleton width="60%" /> : contentOf(column, row)}
        </Cell>
      ))}
    </div>
  );
}

/** What stands in a cell. Rows have the focus, and open with Enter: the link is for pointers, and for what reads aloud. */
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
  readonly onChoose: () => void;
}

function ChoiceBox({ name, isChosen, onChoose }: ChoiceProps): ReactNode {
  const t = useText();
  return <BareCheckbox label={t('list.choose', { name })} checked={isChosen} tabIndex={-1} onValue={onChoose} />;
}

function Cell<Row>({ column, children }: { readonly column?: Column<Row>; readonly children: ReactNode }): ReactNode {
  const look = column?.narrow;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    // biome-ignore lint/a11y/useFocusableInteractive: rows have the focus
    <div
      role="gridcell"
      dir={typeof children === 'string' && column?.align !== 'end' ? 'auto' : undefined}
      className={classes(styles['cell'], look && styles[look], column?.align === 'end' && styles['atEnd'])}
    >
      {children}
    </div>
  );
}

function Head<Row>({ columns, sorting, onSort, count, rowAt, keyOf, chosen, onChoose }: Props<Row>): ReactNode {
  const t = useText();
  const loaded = (): Row[] =>
    Array.from({ length: count }, (_, index) => rowAt(index)).filter((row): row is Row & {} => row !== undefined);
  const all = chosen !== undefined && chosen.size > 0 && chosen.size >= count;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    // biome-ignore lint/a11y/useFocusableInteractive: rows below have the focus
    <div role="row" aria-rowindex={1} className={styles['head']}>
      {onChoose && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: its checkbox has
        <div role="columnheader" className={styles['cell']}>
          <BareCheckbox
            label={t('list.chooseAll')}
            checked={all || (chosen && chosen.size > 0 ? 'mixed' : false)}
            onValue={(value) => onChoose(new Set(value ? loaded().map(keyOf) : []))}
          />
        </div>
      )}
      {columns.map(({ id, label, align, sortable, narrow }) => {
        const order = sorting?.column === id ? (sorting.descending ? 'descending' : 'ascending') : undefined;
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: its button has
          <div
            key={id}
            role="columnheader"
            aria-sort={order}
            className={classes(styles['cell'], align === 'end' && styles['atEnd'], narrow === 'wide' && styles['wide'])}
          >
            {sortable && onSort ? (
              <button
                type="button"
                className={styles['sort']}
                onClick={() => onSort({ column: id, descending: order === 'ascending' })}
              >
                {label}
                {order === 'ascending' && <ArrowUp size={13} />}
                {order === 'descending' && <ArrowDown size={13} />}
              </button>
            ) : (
              label
            )}
          </div>
        );
      })}
    </div>
  );
}
