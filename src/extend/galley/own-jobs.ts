/**
 * Jobs of a project: each run is made by one process of those that serve it. What has run last is kept in the database,
 * so that a run that nobody was there for is made once, by whoever starts next.
 */
import type { Cron } from 'croner';
import type { Database } from '../../db/database.ts';
import { selectRows } from '../../db/statements.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { changeSetting } from '../turns.ts';
import type { Job } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';

/** What is known of a job. Times are epoch milliseconds. */
export interface JobState {
  /** When it last began to run, or was first met. */
  readonly at: number;
  /** Until when whoever runs it is believed to; 0: nobody does. */
  readonly until: number;
  /** When it was last done; undefined where it never was. */
  readonly done?: number | undefined;
  /** What the last run failed with. */
  readonly failed?: string | undefined;
}

/** A job as it is told. */
export interface ToldJob extends Pick<Job, 'cron' | 'timezone'> {
  readonly name: string;
  readonly next: Date | null;
  readonly state: JobState | undefined;
}

/** Milliseconds for which a process that says nothing more is taken to run a job. */
const LEASE = 60_000;
const RENEWAL = 20_000;

export class OwnJobs {
  readonly #own: OwnCode;
  readonly #database: Database;
  #crons: Cron[] = [];

  constructor(own: OwnCode, database: Database) {
    this.#own = own;
    this.#database = database;
  }

  /**
   * Begins to run them at their times, and makes the runs that are late.
   *
   * @throws Error for an expression that is none.
   */
  async start(): Promise<void> {
    for (const [name, job] of this.#own.definition.jobs) {
      const cron = await cronOf(job, (self) => this.#runAt(name, job, self.currentRun() ?? new Date()));
      this.#crons.push(cron);
      void this.#own.runAlone(`late run of the job ${name}`, () => this.#runLate(name, job, cron));
    }
  }

  stop(): void {
    for (const cron of this.#crons) cron.stop();
    this.#crons = [];
  }

  /** All of them. */
  async list(): Promise<ToldJob[]> {
    const told: ToldJob[] = [];
    for (const [name, job] of this.#own.definition.jobs) {
      const [row] = await selectRows(this.#database, CORE_STORE_TABLE, ['value'], { key: keyOf(name) });
      const cron = await cronOf(job);
      const { cron: rule, timezone } = job;
      told.push({
        name,
        cron: rule,
        ...(timezone ? { timezone } : {}),
        next: cron.nextRun(),
        state: stateOf(row && String(row[0])),
      });
    }
    return told;
  }

  /**
   * Runs one now.
   *
   * @returns what it failed with, if it did; undefined where another process runs it.
   * @throws Error for a name that no job has.
   */
  async run(name: string): Promise<{ readonly failed: string | undefined } | undefined> {
    const job = this.#own.definition.jobs.get(name);
    if (!job) throw new Error(`there is no job ${name}`);
    const now = Date.now();
    return (await this.#claims(name, now, () => true)) ? this.#perform(name, job, now) : undefined;
  }

  async #runAt(name: string, job: Job, time: Date): Promise<void> {
    const at = Math.floor(time.getTime() / 1000) * 1000;
    await this.#own.runAlone(`job ${name}`, async () => {
      if (await this.#claims(name, at, (last) => last < at)) await this.#perform(name, job, at);
    });
  }

  /** Makes the run that was due since the last one, if there was any. */
  async #runLate(name: string, job: Job, cron: Cron): Promise<void> {
    const now = Date.now();
    const isLate = (last: number): boolean => {
      const due = cron.nextRun(new Date(last));
      return due !== null && due.getTime() <= now;
    };
    if (await this.#claims(name, now, isLate)) await this.#perform(name, job, now);
  }

  async #perform(name: string, job: Job, at: number): Promise<{ readonly failed: string | undefined }> {
    let renewed: Promise<unknown> = Promise.resolve();
    const renewal = setInterval(() => {
      const renew = () => this.#note(name, { at, until: Date.now() + LEASE });
      renewed = renewed.then(() => this.#own.runAlone(`lease of the job ${name}`, renew));
    }, RENEWAL).unref();
    const outcome = await this.#own.runAlone(`job ${name}`, () => job.run(this.#own.tools));
    clearInterval(renewal);
    // one that came late would say that the job still runs
    await renewed;
    await this.#note(name, { at, until: 0, done: Date.now(), ...(outcome.failed ? { failed: outcome.failed } : {}) });
    return outcome;
  }

  /** Whether this process is the one that runs a job, as of when it ran last. A job that is met first has just run. */
  async #claims(name: string, at: number, isDue: (last: number) => boolean): Promise<boolean> {
    let isOwn = false;
    await this.#change(name, (known) => {
      const now = Date.now();
      // of a job that was never met nothing can be late
      isOwn = isDue(known?.at ?? now) && (known === undefined || known.until < now);
      if (!isOwn && known) return undefined;
      return isOwn ? { ...known, at, until: now + LEASE } : { at: now, until: 0 };
    });
    return isOwn;
  }

  /** Takes down how a run goes, unless another process took it for dead and has made the next one. */
  #note(name: string, state: JobState): Promise<void> {
    return this.#change(name, (known) => (known?.at === state.at ? state : undefined));
  }

  #change(name: string, next: (known: JobState | undefined) => JobState | undefined): Promise<void> {
    return changeSetting(this.#database, { key: keyOf(name), type: 'object' }, (value) => {
      const state = next(stateOf(value));
      return state && JSON.stringify(state);
    });
  }
}

const keyOf = (name: string): string => `galley_job_${name}`;

function stateOf(value: string | undefined): JobState | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value) as JobState;
  } catch {
    return undefined;
  }
}

/** The times of a job: it waits for them where there is something to do. */
async function cronOf({ cron, timezone }: Job, work?: (self: Cron) => Promise<void>): Promise<Cron> {
  const { Cron: Made } = await import('croner');
  const options = { protect: true, unref: true, ...(timezone === undefined ? {} : { timezone }) };
  return work ? new Made(cron, options, work) : new Made(cron, { ...options, paused: true });
}
