/** The rows of a form as a list of cells that can be moved, and back. */
import type { Arrangement } from '../../../contract/layout.ts';

type Rows = Arrangement['layouts']['edit'];

export interface Cell {
  readonly name: string;
  readonly size: number;
  /** Whether the cell starts a row although it would fit into the previous one. */
  readonly begins: boolean;
}

const WHOLE = 12;

export function cellsOf(rows: Rows): readonly Cell[] {
  return rows.flatMap((row, index) => {
    const before = rows[index - 1]?.reduce((sum, { size }) => sum + size, 0) ?? WHOLE;
    return row.map(({ name, size }, place) => ({ name, size, begins: place === 0 && before + size <= WHOLE }));
  });
}

/** Fills rows from the start. A cell that does not fit, or starts a row, goes to the next one. */
export function rowsOf(cells: readonly Cell[]): Rows {
  const rows: { name: string; size: number }[][] = [];
  let taken = WHOLE;
  for (const { name, size, begins } of cells) {
    if (begins || taken + size > WHOLE) {
      rows.push([]);
      taken = 0;
    }
    rows.at(-1)!.push({ name, size });
    taken += size;
  }
  return rows;
}
