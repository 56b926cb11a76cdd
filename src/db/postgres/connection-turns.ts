/** Turns at the connections of a PostgreSQL database, by caller and kind of work. */
import os from 'node:os';
import { currentAccount } from '../interface/account.ts';
import type { Read, ReadWatcher } from '../interface/database.ts';
import type { Row } from '../interface/queryable.ts';
import { noteRead } from '../interface/recorded-reads.ts';
import { Lanes, type TableSizes } from '../scheduling/lanes.ts';
import { Turns } from '../scheduling/turns.ts';
import { LANE_TIMES } from './explain.ts';

/** The most waiting requests of one caller and of all callers, and their longest wait in milliseconds. */
const WAITING = { waitingEach: 200, waiting: 1000, patience: 10_000 };

/** Turns at the connections: quick reads, look-ups, slow reads and transactions each have a share of them. */
export class ConnectionTurns {
  readonly #lanes: Lanes;
  readonly #quickReads: Turns;
  /** Statements without a plan, such as look-ups of callers: they are short, so taking turns suffices. */
  readonly #lookUps: Turns;
  readonly #slowReads: Turns;
  readonly #writes: Turns;
  #watcher: ReadWatcher | undefined;

  /** @param connections the most connections; if there are several, at least one is reserved for quick work. */
  constructor(connections: number, sizes: TableSizes) {
    this.#lanes = new Lanes(sizes, LANE_TIMES);
    const slow = Math.max(1, Math.min(Math.floor((connections - 1) / 2), os.availableParallelism() + 2));
    const writes = Math.max(1, connections - 1 - slow);
    // fewer reads of one table than reads in all, and a smaller share for each caller, so that others can read it too
    const tableShare = slow > 2 ? slow - 1 : slow;
    this.#quickReads = new Turns({
      places: connections,
      share: Math.max(1, connections - 2),
      tableShare: Math.max(1, connections - 2),
      ...WAITING,
    });
    this.#lookUps = new Turns({ places: connections, share: connections, ...WAITING });
    this.#slowReads = new Turns({ places: slow, share: Math.max(1, tableShare - 1), tableShare, ...WAITING });
    this.#writes = new Turns({ places: writes, share: Math.max(1, writes - 1), ...WAITING });
  }

  get waiting(): number {
    const all = [this.#quickReads, this.#lookUps, this.#slowReads, this.#writes];
    return all.reduce((sum, { load }) => sum + load.waiting, 0);
  }

  /**
   * Runs a read in its turn; a quick read does not wait for slow ones.
   *
   * @param run receives the kind of reads that may share a connection; undefined: the read needs its own. Reads of one
   * table and one caller may share: a table may be locked, and no caller waits for another.
   * @throws ContentError 503 if the turn does not come in time.
   */
  read(read: Read, run: (kind: string | undefined) => Promise<Row[]>): Promise<Row[]> {
    noteRead(read);
    const caller = currentAccount();
    const lane = this.#lanes.choose(read, caller);
    const kind = lane === 'quick' ? `${read.table} ${caller}` : undefined;
    const timed = async () => {
      const started = performance.now();
      try {
        return await run(kind);
      } finally {
        const milliseconds = performance.now() - started;
        this.#lanes.note(read, { caller, lane, milliseconds });
        this.#watcher?.(read, milliseconds);
      }
    };
    return (lane === 'slow' ? this.#slowReads : this.#quickReads).run(read.table, timed);
  }

  /** Calls a watcher with each read and its milliseconds. */
  watch(watcher: ReadWatcher): void {
    this.#watcher = watcher;
  }

  /**
   * Runs a look-up of the server in the turn of the caller on whose account it is.
   *
   * @throws ContentError 503 if the turn does not come in time.
   */
  lookUp(run: () => Promise<Row[]>): Promise<Row[]> {
    return this.#lookUps.run(undefined, run);
  }

  /**
   * Runs a transaction in its turn.
   *
   * @throws ContentError 503 if the turn does not come in time.
   */
  write<T>(run: () => Promise<T>): Promise<T> {
    return this.#writes.run(undefined, run);
  }
}
