/** Ids of rows that a transaction is about to insert: where statements travel, each id would be waited for by itself. */
import type { Dialect } from '../sql/dialect.ts';
import { type Sql, type SqlValue, slot } from '../sql/fragment.ts';
import type { Row } from './queryable.ts';

/** Ids of one table that are drawn at a time: rows beyond them are inserted as if there were none. */
const MOST = 4096;

/** Runs the statement that draws. */
type Draw = (values: readonly SqlValue[], compile: () => Sql) => Promise<Row[]>;

export class DrawnIds {
  readonly #run: Draw;
  readonly #ids = new Map<string, number[]>();

  constructor(run: Draw) {
    this.#run = run;
  }

  /** Draws ids, by table. Does nothing on an engine that tells the id of a row at once. */
  async draw({ drawIds }: Dialect, counts: ReadonlyMap<string, number>): Promise<void> {
    if (drawIds === undefined) return;
    const wanted = [...counts].filter(([, count]) => count > 0).map(([table, count]) => [table, Math.min(count, MOST)]);
    if (wanted.length === 0) return;
    const rows = await this.#run([JSON.stringify(wanted)], () => drawIds(slot(0)));
    for (const [place, id] of rows) {
      if (id === null) continue;
      const table = String(wanted[Number(place) - 1]![0]);
      const known = this.#ids.get(table);
      if (known) known.push(Number(id));
      else this.#ids.set(table, [Number(id)]);
    }
  }

  /** So many ids in the order in which they were drawn; undefined where there are not as many. */
  take(table: string, count: number): number[] | undefined {
    const ids = this.#ids.get(table);
    return ids && ids.length >= count ? ids.splice(0, count) : undefined;
  }
}
