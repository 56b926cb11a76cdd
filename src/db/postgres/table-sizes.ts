/** Sizes of tables from the server's statistics, and whether their totals are maintained. */
import type { Row } from '../interface/queryable.ts';
import { KEPT } from './totals.ts';

/** Milliseconds for which sizes count as current. */
const FRESH = 60_000;
/** Milliseconds until the next attempt after the server did not answer. */
const RETRY = 5000;

/** The size of a table that was never analysed is -1, which means unknown. */
export const SIZES = `select c.relname, nullif(c.reltuples::float8, -1), ${KEPT} from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace = any(current_schemas(false)::regnamespace[])`;

interface TableSize {
  readonly rows: number | undefined;
  readonly keepsTotals: boolean;
}

export class TableSizes {
  readonly #ask: (text: string) => Promise<Row[]>;
  #known: ReadonlyMap<string, TableSize> = new Map();
  #nextCheck = 0;

  constructor(ask: (text: string) => Promise<Row[]>) {
    this.#ask = ask;
  }

  /** The approximate number of rows of a table; undefined if it is not known, or not yet. */
  of(table: string): number | undefined {
    return this.#know(table)?.rows;
  }

  /** Whether the totals of a table are maintained; false if that is not known, or not yet. */
  keepsTotals(table: string): boolean {
    return this.#know(table)?.keepsTotals ?? false;
  }

  #know(table: string): TableSize | undefined {
    const now = performance.now();
    if (now >= this.#nextCheck) {
      this.#nextCheck = now + RETRY;
      void this.refresh();
    }
    return this.#known.get(table);
  }

  /** Queries the server; if it does not answer, the last sizes stay. */
  async refresh(): Promise<void> {
    try {
      const rows = await this.#ask(SIZES);
      this.#known = new Map(rows.map(([name, count, totals]) => [String(name), known(count, totals)]));
      this.#nextCheck = performance.now() + FRESH;
    } catch {
      // the server cannot be reached; other statements report that
    }
  }
}

function known(count: unknown, totals: unknown): TableSize {
  return { rows: count === null ? undefined : Number(count), keepsTotals: totals === true };
}
