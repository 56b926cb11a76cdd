/** Collects rows of many tables into batches. */
import type { CanonicalValue, RowBatch } from '../rows.ts';
import { placeOf } from './lines.ts';

/** Rows, and bytes of the lines from which they come, after which they are passed on. */
const ROWS = 4000;
const BYTES = 8 * 1024 * 1024;

interface Collected {
  readonly columns: readonly string[];
  readonly isUpdate: boolean;
  readonly rows: (readonly CanonicalValue[])[];
  readonly lines: number[];
}

export class RowBuffer {
  readonly #tables = new Map<string, Collected>();
  /** The file and the line that are being read. */
  #file = '';
  #line = 0;
  #rows = 0;
  #bytes = 0;

  /** The place that is being read. */
  get place(): string {
    return placeOf(this.#file, this.#line);
  }

  at(file: string, line: number, bytes: number): void {
    this.#file = file;
    this.#line = line;
    this.#bytes += bytes;
  }

  /**
   * @param columns the same ones for all rows of a table, or of its updates.
   * @param isUpdate whether the row is there (`RowBatch.isUpdate`).
   */
  add(table: string, columns: readonly string[], row: readonly CanonicalValue[], isUpdate = false): void {
    const key = isUpdate ? `${table} ${columns}` : table;
    let collected = this.#tables.get(key);
    if (!collected) {
      collected = { columns, isUpdate, rows: [], lines: [] };
      this.#tables.set(key, collected);
    }
    collected.rows.push(row);
    collected.lines.push(this.#line);
    this.#rows += 1;
  }

  get isFull(): boolean {
    return this.#rows >= ROWS || this.#bytes >= BYTES;
  }

  /** The rows so far, which all come from one file. */
  *take(): Generator<RowBatch> {
    const file = this.#file;
    for (const [key, { columns, isUpdate, rows, lines }] of this.#tables) {
      const table = isUpdate ? key.slice(0, key.indexOf(' ')) : key;
      const batch = { table, columns, rows, placeOf: (row: number) => placeOf(file, lines[row]!) };
      yield isUpdate ? { ...batch, isUpdate: true } : batch;
    }
    this.#tables.clear();
    this.#rows = 0;
    this.#bytes = 0;
  }
}
