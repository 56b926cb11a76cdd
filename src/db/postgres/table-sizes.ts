/**
 * What the server's catalog tells of tables: how large they are, by its own statistics, as far as it matters for the
 * choice of a lane, and whether their totals are kept.
 */
import type { Row } from '../interface/queryable.ts';
import { KEPT } from './totals.ts';

/** Milliseconds for which sizes are considered current. */
const FRESH = 60_000;
/** Milliseconds until the server is asked again when it did not answer. */
const RETRY = 5000;

/** A table that was never analysed says -1: nothing is known of it. */
export const SIZES = `select c.relname, nullif(c.reltuples::float8, -1), ${KEPT} from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace = any(current_schemas(false)::regnamespace[])`;

interface Known {
  readonly rows: number | undefined;
  readonly keepsTotals: boolean;
}

export class TableSizes {
  readonly #ask: (text: string) => Promise<Row[]>;
  #known: ReadonlyMap<string, Known> = new Map();
  #askAgain = 0;

  /** `ask` runs a statement. */
  constructor(ask: (text: string) => Promise<Row[]>) {
    this.#ask = ask;
  }

  /** About how many rows a table has; undefined when that is not known, or not yet. */
  of(table: string): number | undefined {
    return this.#know(table)?.rows;
  }

  /** Whether the totals of a table are kept; false when that is not known, or not yet. */
  keepsTotals(table: string): boolean {
    return this.#know(table)?.keepsTotals ?? false;
  }

  #know(table: string): Known | undefined {
    const now = performance.now();
    if (now >= this.#askAgain) {
      this.#askAgain = now + RETRY;
      void this.refresh();
    }
    return this.#known.get(table);
  }

  /** Asks the server; where it does not answer, what was known stays. */
  async refresh(): Promise<void> {
    try {
      const rows = await this.#ask(SIZES);
      this.#known = new Map(rows.map(([name, count, kept]) => [String(name), known(count, kept)]));
      this.#askAgain = performance.now() + FRESH;
    } catch {
      // the server cannot be reached: what asks for rows says so
    }
  }
}

function known(count: unknown, kept: unknown): Known {
  return { rows: count === null ? undefined : Number(count), keepsTotals: kept === true };
}
