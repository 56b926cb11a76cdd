/** Jobs of `src/galley`. The next process that starts performs missed runs of a job once. */
import type { Cron } from 'croner';
import type { Database } from '../../db/interface/database.ts';
import { isRunning, JobRuns, type JobState, type Jobs, type ListedJob, lateSince, type Ran } from '../jobs/job-runs.ts';
import type { Job } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';

export class OwnJobs implements Jobs {
  readonly #own: OwnCode;
  readonly #runs: JobRuns;
  #crons: Cron[] = [];

  constructor(own: OwnCode, database: Database) {
    this.#own = own;
    this.#runs = new JobRuns({ database, kind: 'galley_job', alone: own.runAlone.bind(own) });
  }

  /**
   * Starts to run them at their times, and performs late runs.
   *
   * @throws Error for an invalid expression.
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

  async list(): Promise<ListedJob[]> {
    const jobs: ListedJob[] = [];
    for (const [name, job] of this.#own.definition.jobs) {
      const cron = await cronOf(job);
      const state = await this.#runs.stateOf(name);
      const late = lateSince(state, (time) => cron.nextRun(time));
      const { cron: rule, timezone } = job;
      jobs.push({ name, origin: 'galley', rule, timezone, next: cron.nextRun(), state, lateSince: late });
    }
    return jobs;
  }

  async begin(name: string, report?: (failure: Error) => void): Promise<{ readonly done: Promise<Ran> } | undefined> {
    const job = this.#own.definition.jobs.get(name);
    if (!job) throw new Error(`there is no job ${name}`);
    const at = Date.now();
    const isOwn = await this.#runs.claims(name, at, (known, now) => !isRunning(known, now));
    return isOwn ? { done: this.#perform(name, job, at, report) } : undefined;
  }

  async #runAt(name: string, job: Job, time: Date): Promise<void> {
    const at = Math.floor(time.getTime() / 1000) * 1000;
    await this.#own.runAlone(`job ${name}`, () => this.#runIf(name, job, at, (last) => last < at));
  }

  /** Makes the run that was due since the last one, if there was any. */
  async #runLate(name: string, job: Job, cron: Cron): Promise<void> {
    const now = Date.now();
    await this.#runIf(name, job, now, (last) => {
      const due = cron.nextRun(new Date(last));
      return due !== null && due.getTime() <= now;
    });
  }

  /** Runs one that is due by when it ran last. Of a job that was never met nothing can be late. */
  async #runIf(name: string, job: Job, at: number, isLate: (last: number) => boolean): Promise<void> {
    const isDue = (known: JobState | undefined, now: number) => isLate(known?.at ?? now) && !isRunning(known, now);
    if (await this.#runs.claims(name, at, isDue)) await this.#perform(name, job, at);
  }

  #perform(name: string, job: Job, at: number, report?: (failure: Error) => void): Promise<Ran> {
    const work = () => job.run(this.#own.tools);
    return this.#runs.perform(name, at, () => this.#own.runAlone(`job ${name}`, work, report));
  }
}

/** The times of a job: it waits for them where there is something to do. */
async function cronOf({ cron, timezone }: Job, work?: (self: Cron) => Promise<void>): Promise<Cron> {
  const { Cron: CronClass } = await import('croner');
  const options = { protect: true, unref: true, ...(timezone === undefined ? {} : { timezone }) };
  return work ? new CronClass(cron, options, work) : new CronClass(cron, { ...options, paused: true });
}
