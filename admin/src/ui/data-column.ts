/** The columns of a table. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** A CSS grid track: `minmax(0, 1fr)`, `120px`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and dates are aligned to the end. */
  readonly align?: 'end';
  /** The place on a phone. `title`: the first line; `second`: the second line; `wide`: hidden. */
  readonly narrow?: 'title' | 'second' | 'wide';
  readonly sortable?: boolean;
  /** The address of a row. The cell becomes a link, and a click on the rest of the row follows it. */
  readonly href?: (row: Row) => string;
}

export interface Sorting {
  readonly column: string;
  readonly descending: boolean;
}

/** Whether a column names the rows: it stays visible during horizontal scrolling. */
export const isName = <Row>({ narrow }: Column<Row>, place: number): boolean => place === 0 && narrow === 'title';

/** The width of a checkbox. */
const BOX = '30px';

/** The column properties of the grid, as CSS variables. */
export function columnStyle<Row>(columns: readonly Column<Row>[], hasBoxes: boolean): Readonly<Record<string, string>> {
  const widths = [...(hasBoxes ? [BOX] : []), ...columns.map(({ width }) => width)];
  const least = widths.map((width) => /\d+px/.exec(width)?.[0] ?? '0px').join(' + ');
  return {
    '--columns': widths.join(' '),
    // The table scrolls if it is narrower.
    '--least': `calc(${least} + ${widths.length - 1} * var(--gap))`,
    // The start of the first column.
    '--from': hasBoxes ? `calc(${BOX} + var(--gap))` : '0px',
  };
}
