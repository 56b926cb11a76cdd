/**
 * The claims and last runs of jobs, which are settings of a scheduler. One of the processes that serve the project
 * performs each run.
 */
import { readEntry } from '../../db/interface/core-store.ts';
import type { Database } from '../../db/interface/database.ts';
import { deleteRows, selectRows } from '../../db/interface/statements.ts';
import type { JsonObject } from '../../plain-values.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { changeSetting } from './turns.ts';

/** The state of a job. Times are epoch milliseconds. */
export interface JobState {
  /** When it last was to run, or was first met. */
  readonly at: number;
  /** When the claim of the process that runs it expires; 0 if no process runs it. */
  readonly until: number;
  /** The start and the end of the last run; undefined without one. */
  readonly began?: number | undefined;
  readonly done?: number | undefined;
  /** The error of the last run. */
  readonly failed?: string | undefined;
  /** The schedule of a job that has only runs and no definition. */
  readonly rule?: string | undefined;
  /** What the last run reports of itself: its progress, and its result. */
  readonly report?: JsonObject | undefined;
}

/** Stores what a run reports of itself. */
export type Report = (report: JsonObject) => Promise<unknown>;

/** What a run came to. */
export interface Ran {
  /** Undefined: it did not fail. */
  readonly failed: string | undefined;
}

/** Where a job is from: `src/galley`, the configuration, or `strapi.cron.add`. */
export type JobOrigin = 'galley' | 'config' | 'code';

/** A job in lists. */
export interface ListedJob {
  readonly name: string;
  readonly origin: JobOrigin;
  /** A cron expression, or the one time of its run in ISO 8601. */
  readonly rule: string;
  readonly timezone: string | undefined;
  readonly next: Date | null;
  readonly state: JobState | undefined;
  /** The due time of a run that has not begun; undefined if none is late. */
  readonly lateSince: Date | undefined;
}

/** Jobs of one scheduler. */
export interface Jobs {
  /** All of them. */
  list(): Promise<ListedJob[]>;
  /**
   * Begins to run one now.
   *
   * @param report is called with the error of a run that fails; left out, the log has it.
   * @returns undefined if any process is running it already.
   * @throws Error for an unknown name.
   */
  begin(name: string, report?: (failure: Error) => void): Promise<{ readonly done: Promise<Ran> } | undefined>;
}

/** Milliseconds for which a process that says nothing more is taken to run a job. */
const LEASE = 60_000;
const RENEWAL = 20_000;
/** Milliseconds after its time from which a run is late. */
const LATE = 60_000;
/** The stored length of an error. */
const FAILURE = 500;

interface RunnerParts {
  readonly database: Database;
  /** What tells the settings of the scheduler from others. */
  readonly kind: 'galley_job' | 'galley_cron' | 'galley_doctor' | 'galley_backup';
  /** Does work that no caller waits for: an error is a line in the log. */
  readonly alone: (purpose: string, work: () => Promise<unknown>) => Promise<unknown>;
}

export class JobRuns {
  readonly #parts: RunnerParts;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** The state of a job. */
  async stateOf(name: string): Promise<JobState | undefined> {
    return stateOf(await readEntry(this.#parts.database, this.#keyOf(name)));
  }

  /** All jobs that have run. */
  async recorded(): Promise<{ readonly name: string; readonly state: JobState }[]> {
    return (await this.#rows()).map(({ key, state }) => ({ name: key.slice(this.#keyOf('').length), state }));
  }

  /** Forgets jobs but so many that have run last. */
  async keep(most: number): Promise<void> {
    const rows = await this.#rows();
    if (rows.length <= most) return;
    const oldest = rows.sort((a, b) => b.state.at - a.state.at).slice(most);
    await this.#parts.database.transaction(async (tx) => {
      for (const { key } of oldest) await deleteRows(tx, CORE_STORE_TABLE, { key });
    });
  }

  /**
   * Claims a run of a job for this process. A job that is seen for the first time and is not due counts as just run.
   *
   * @param more is stored with the run.
   */
  async claims(
    name: string,
    at: number,
    isDue: (known: JobState | undefined, now: number) => boolean,
    more: Pick<JobState, 'rule' | 'report'> = {},
  ): Promise<boolean> {
    let isOwn = false;
    await this.#change(name, (known) => {
      const now = Date.now();
      isOwn = isDue(known, now);
      if (!isOwn) return known ? undefined : { at: now, until: 0 };
      return { ...known, at, until: now + LEASE, began: now, ...more };
    });
    return isOwn;
  }

  /** Runs a job that was claimed, and takes down what it comes to. */
  async perform(name: string, at: number, work: (report: Report) => Promise<Ran>): Promise<Ran> {
    const { alone } = this.#parts;
    let renewed: Promise<unknown> = Promise.resolve();
    const renewal = setInterval(() => {
      const renew = () => this.#note(name, at, (state) => ({ ...state, until: Date.now() + LEASE }));
      renewed = renewed.then(() => alone(`lease of the job ${name}`, renew));
    }, RENEWAL).unref();
    const { failed } = await work((report) => this.#note(name, at, (state) => ({ ...state, report })));
    clearInterval(renewal);
    // one that came late would say that the job still runs
    await renewed;
    const outcome = { until: 0, done: Date.now(), failed: failed?.slice(0, FAILURE) };
    await this.#note(name, at, (state) => ({ ...state, ...outcome }));
    return { failed };
  }

  /** Records the state of a run, unless another process presumed it dead and started the next one. */
  #note(name: string, at: number, next: (state: JobState) => JobState): Promise<void> {
    return this.#change(name, (known) => (known?.at === at ? next(known) : undefined));
  }

  #change(name: string, next: (known: JobState | undefined) => JobState | undefined): Promise<void> {
    const { database, kind } = this.#parts;
    return changeSetting(database, { key: this.#keyOf(name), type: kind }, (value) => {
      const state = next(stateOf(value));
      return state && JSON.stringify(state);
    });
  }

  async #rows(): Promise<{ key: string; state: JobState }[]> {
    const { database, kind } = this.#parts;
    const rows = await selectRows(database, CORE_STORE_TABLE, ['key', 'value'], { type: kind }, ['id']);
    return rows.map(([key, value]) => ({ key: String(key), state: stateOf(String(value)) ?? { at: 0, until: 0 } }));
  }

  #keyOf(name: string): string {
    return `${this.#parts.kind}_${name}`;
  }
}

/**
 * The due time of a run that no process has started a minute later; undefined if none is late.
 *
 * @param runAfter the first time of a run after another time.
 */
export function lateSince(
  state: JobState | undefined,
  runAfter: (time: Date) => Date | null,
  now = Date.now(),
): Date | undefined {
  if (!state || isRunning(state, now)) return undefined;
  const due = runAfter(new Date(state.at));
  return due !== null && now - due.getTime() > LATE ? due : undefined;
}

/** Whether a process is presumed to run a job. */
export const isRunning = (state: JobState | undefined, now = Date.now()): boolean =>
  state !== undefined && state.until >= now;

/** The outcome of the last run of a job: `given up` if its process ended; undefined without a run. */
export function outcomeOf(state: JobState | undefined): 'running' | 'done' | 'failed' | 'given up' | undefined {
  if (!state) return undefined;
  if (isRunning(state)) return 'running';
  if (state.until > 0) return 'given up';
  if (state.done === undefined) return undefined;
  return state.failed === undefined ? 'done' : 'failed';
}

function stateOf(value: string | undefined): JobState | undefined {
  if (value === undefined) return undefined;
  try {
    const state = JSON.parse(value) as JobState | number;
    // the second of the last run, the former format of tasks
    return typeof state === 'number' ? { at: state * 1000, until: 0 } : state;
  } catch {
    return undefined;
  }
}
