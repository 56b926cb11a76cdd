/** The columns of a table. */
import type { ReactNode } from 'react';

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

/** Whether a column says what a row is called: it stays in sight while one scrolls sideways. */
export const isName = <Row>({ narrow }: Column<Row>, place: number): boolean => place === 0 && narrow === 'title';

/** The width of a checkbox. */
const BOX = '30px';

/** The columns of a grid, as its style has them. */
export function columnStyle<Row>(columns: readonly Column<Row>[], hasBoxes: boolean): Readonly<Record<string, string>> {
  const widths = [...(hasBoxes ? [BOX] : []), ...columns.map(({ width }) => width)];
  const least = widths.map((width) => /\d+px/.exec(width)?.[0] ?? '0px').join(' + ');
  return {
    '--columns': widths.join(' '),
    // narrower than that, the table scrolls
    '--least': `calc(${least} + ${widths.length - 1} * var(--gap))`,
    // where the first column begins
    '--from': hasBoxes ? `calc(${BOX} + var(--gap))` : '0px',
  };
}
