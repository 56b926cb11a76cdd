/**
 * The health of servers over 30 days. Each process stores a sample of every minute in which something happened, in one
 * statement apart from requests. Minutes of all processes are later added up to a quarter of an hour, and these to two
 * hours. A sample that cannot be stored is dropped.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../db/interface/database.ts';
import { execute, query } from '../../db/interface/statements.ts';
import { loggedKinds } from '../../log-counts.ts';
import {
  compileDatabaseSize,
  compileFilesSize,
  compileForgetSamples,
  compileOldestSample,
  compileSamples,
  compileSamplesOf,
  compileStoreSample,
} from '../../sql/health.ts';
import { type Gauges, merged, ofPeriods, type Period, type Sample, sampleOf } from './sample.ts';
import type { Traffic } from './traffic.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The lengths of periods in minutes, and for how many milliseconds they are stored before they are added up. */
const STEPS = [
  { minutes: 1, stored: 3 * HOUR },
  { minutes: 15, stored: 8 * DAY },
  { minutes: 120, stored: 31 * DAY },
] as const;
/** An idle process stores a sample of every so many minutes. */
const IDLE = 15;
/** Minutes between two rounds of adding up, and periods of one round. */
const TIDYING = 5;
const ROUND = 12;
/** Milliseconds for which measured sizes count. */
const SIZES_FOR = HOUR;
/** Milliseconds that a reader of the history, and the end of the server, wait for the database. */
const PATIENCE = 1000;
/** Rows of files above which their sizes are added up on a connection of their own. */
const MANY_FILES = 20_000;
/** Rows that are read at once. */
const MOST_ROWS = 10_000;
/** Rows that are parsed in one turn. */
const BATCH = 100;

interface HistoryContext {
  readonly database: Database;
  readonly traffic: Traffic;
  /** Requests and statements that wait for their turn. */
  readonly waiting: () => number;
}

export class HealthHistory {
  readonly #context: HistoryContext;
  readonly #process = randomBytes(6).toString('hex');
  #opened = Date.now();
  /** When the current period began. */
  #began = this.#opened;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #sizes: Pick<Gauges, 'database' | 'files'> = {};
  #sizesAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | undefined;

  constructor(context: HistoryContext) {
    this.#context = context;
  }

  /** Begins to store samples. */
  open(): void {
    this.#opened = Date.now();
    this.#began = this.#opened;
    this.#schedule(0);
  }

  /** Stores what was counted last. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    await inTime(this.#storeRest());
  }

  async #storeRest(): Promise<void> {
    await this.#writing;
    const start = this.#began;
    const sample = this.#take({});
    if (sample.requests > 0 || sample.logs.length > 0) await this.#store(sample, start);
  }

  /**
   * A minute after the last one, as exactly as possible, so that each sample belongs to a minute of its own.
   *
   * @param count the number of minutes so far.
   */
  #schedule(count: number): void {
    const start = this.#opened + count * MINUTE;
    this.#timer = setTimeout(
      () => {
        // a computer that slept has missed some
        this.#schedule(Math.max(count + 1, Math.floor((Date.now() - this.#opened) / MINUTE)));
        // while the database does not answer, one statement at most waits for it
        this.#writing ??= this.#work(start, count)
          .catch(() => undefined)
          .finally(() => {
            this.#writing = undefined;
          });
      },
      Math.max(0, start + MINUTE - Date.now()),
    ).unref();
  }

  async #work(start: number, count: number): Promise<void> {
    const { requests, logs } = this.#peek();
    if (requests > 0 || logs.length > 0 || count % IDLE === 0) await this.record(start);
    else this.#began = Date.now();
    if (count % TIDYING === 0) await this.tidy();
  }

  /** Stores the sample of a minute. @param start an epoch millisecond of it. */
  async record(start = Date.now()): Promise<void> {
    if (Date.now() - this.#sizesAt >= SIZES_FOR) await this.#measure();
    await this.#store(this.#take(this.#gauges()), start);
  }

  async #store(sample: Sample, start: number): Promise<void> {
    const at = start - (start % MINUTE);
    const values = [1, at, this.#process, JSON.stringify(sample)];
    await this.#context.database.transaction((tx) => execute(tx, compileStoreSample(), values));
  }

  #peek(): Sample {
    return { ...this.#context.traffic.counts(false), ...this.#rest({}), logs: loggedKinds(false) };
  }

  #take(gauges: Gauges): Sample {
    const sample = { ...this.#context.traffic.counts(true), ...this.#rest(gauges), logs: loggedKinds(true) };
    this.#began = Date.now();
    return sample;
  }

  #rest(gauges: Gauges): Pick<Sample, 'gauges' | 'seconds'> {
    return { gauges, seconds: (Date.now() - this.#began) / 1000 };
  }

  #gauges(): Gauges {
    return { memory: process.memoryUsage.rss(), waiting: this.#context.waiting(), ...this.#sizes };
  }

  /**
   * The periods since a time, in their order, with those of all processes added up. The last one is the current one of
   * this process; others store theirs within a minute.
   */
  async since(from: number, now = Date.now()): Promise<readonly Period[]> {
    const { database } = this.#context;
    const rows = await query(database, compileSamples(), [from, MOST_ROWS]);
    if (Date.now() - this.#sizesAt >= SIZES_FOR) await inTime(this.#measure());
    const current = { ...this.#peek(), gauges: this.#gauges() };
    const periods: Period[] = [];
    // requests are answered between the batches
    for (let row = 0; row < rows.length; row += BATCH) {
      if (row > 0) await nextTurn();
      periods.push(...periodsOf(rows.slice(row, row + BATCH)));
    }
    return merged([...periods.reverse(), { at: now - (now % MINUTE), minutes: 1, sample: current }]);
  }

  #measure(): Promise<void> {
    this.#measuring ??= this.#measureSizes()
      .catch(() => undefined)
      .finally(() => {
        this.#sizesAt = Date.now();
        this.#measuring = undefined;
      });
    return this.#measuring;
  }

  async #measureSizes(): Promise<void> {
    const { database } = this.#context;
    const { dialect } = database;
    const [[bytes] = []] = await query(database, compileDatabaseSize(dialect));
    const filesIn = async (db: Parameters<typeof query>[0]) => (await query(db, compileFilesSize()))[0]?.[0];
    const isLong = (database.rowsOf('files') ?? 0) > MANY_FILES && database.separately !== undefined;
    const kilobytes = isLong
      ? await database.separately((executor) =>
          filesIn({ dialect, rows: (text, values) => executor.rows(text, values) }),
        )
      : await filesIn(database);
    this.#sizes = { database: Number(bytes), files: Math.round(Number(kilobytes) * 1000) };
  }

  /**
   * Adds up old periods to longer ones, and deletes those that are too old. Several processes take turns.
   */
  async tidy(now = Date.now()): Promise<void> {
    for (const [n, { minutes, stored }] of STEPS.entries()) {
      const longer = STEPS[n + 1]?.minutes;
      for (let round = 0; round < ROUND; round++) {
        const length = (longer ?? minutes) * MINUTE;
        // only whole longer periods are added up
        const before = now - stored - length;
        const [[oldest] = []] = await query(this.#context.database, compileOldestSample(), [minutes, before]);
        if (oldest === null || oldest === undefined) break;
        const from = Number(oldest) - (Number(oldest) % length);
        await this.#addUp({ from, to: longer === undefined ? before : from + length, minutes, longer });
      }
    }
  }

  /** Replaces the periods of a length by one longer one; without a longer one, deletes them. */
  async #addUp({ from, to, minutes, longer }: AddedUp): Promise<void> {
    await this.#context.database.transaction(async (tx) => {
      await tx.lock(() => [{ key: 'galley health', shared: false }]);
      if (longer !== undefined) {
        const own = await query(tx, compileSamplesOf(), [minutes, from, to, MOST_ROWS]);
        // another process has done it
        if (own.length === 0) return;
        const added = await query(tx, compileSamplesOf(), [longer, from, from + 1, MOST_ROWS]);
        const sample = JSON.stringify(ofPeriods(periodsOf([...added, ...own])));
        await execute(tx, compileStoreSample(), [longer, from, '', sample]);
      }
      await execute(tx, compileForgetSamples(), [minutes, from, to]);
    });
  }
}

/** Waits for work, but not for long. Its failure does not matter. */
async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

interface AddedUp {
  readonly from: number;
  /** The time after the periods. */
  readonly to: number;
  readonly minutes: number;
  readonly longer: number | undefined;
}

function periodsOf(rows: readonly (readonly unknown[])[]): Period[] {
  return rows.flatMap(([minutes, at, text]) => {
    const sample = sampleOf(String(text));
    return sample ? [{ minutes: Number(minutes), at: Number(at), sample }] : [];
  });
}
