/** How large tables are, by the server's own statistics, as far as it matters for the choice of a lane. */
import type { Row } from '../queryable.ts';

/** Milliseconds for which sizes are considered current. */
const FRESH = 60_000;
/** Milliseconds until the server is asked again when it did not answer. */
const RETRY = 5000;

/** A table that was never analysed says -1: nothing is known of it. */
export const SIZES = `select c.relname, c.reltuples::float8 from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace = any(current_schemas(false)::regnamespace[]) and c.reltuples >= 0`;

export class TableSizes {
  readonly #ask: (text: string) => Promise<Row[]>;
  #known: ReadonlyMap<string, number> = new Map();
  #askAgain = 0;

  /** `ask` runs a statement. */
  constructor(ask: (text: string) => Promise<Row[]>) {
    this.#ask = ask;
  }

  /** About how many rows a table has; undefined when that is not known, or not yet. */
  of(table: string): number | undefined {
    const now = performance.now();
    if (now >= this.#askAgain) {
      this.#askAgain = now + RETRY;
      void this.#refresh();
    }
    return this.#known.get(table);
  }

  async #refresh(): Promise<void> {
    try {
      const rows = await this.#ask(SIZES);
      this.#known = new Map(rows.map(([name, count]) => [String(name), Number(count)]));
      this.#askAgain = performance.now() + FRESH;
    } catch {
      // the server cannot be reached: what asks for rows says so
    }
  }
}
