/** Which jobs the image process has, and which wait: some at once, some more in line, and an end to patience. */

import type { ImageJob, JobResult } from './image.ts';
import { ImageChild } from './image-child.ts';
import { JobError } from './job-error.ts';

export interface QueueOptions {
  /** Jobs at once. */
  readonly concurrency: number;
  /** Jobs that may wait; one more is refused. */
  readonly waiting: number;
  /** Bytes of memory that running jobs may take together. */
  readonly memory: number;
  /** Milliseconds that one job may take. */
  readonly timeout: number;
  /** Milliseconds without work after which the image process ends. */
  readonly idle: number;
}

/** Why the queue gave a job up. */
export type GivenUp = 'full' | 'late' | 'fatal' | 'unavailable' | 'closed';

/** A job that was not done for a reason outside of it, or for what it did to the image process. */
export class QueueError extends Error {
  readonly reason: GivenUp;
  constructor(reason: GivenUp, cause?: Error) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** Where jobs are done in their turn. */
export interface ImageJobs {
  /** Throws JobError for a job that failed, QueueError for one that was given up. */
  run(job: ImageJob): Promise<JobResult>;
  /** Gives up the jobs that are not done. */
  close(): void;
}

interface Entry {
  readonly job: ImageJob;
  readonly done: (result: JobResult) => void;
  readonly failed: (error: Error) => void;
  /**
   * The image process ended while it had this job and others: it is run again by itself, to find out which job it was.
   */
  isSuspect: boolean;
  /** Bytes of memory that it may take: a share, until it is known to need more. */
  memory: number;
  isLate: boolean;
}

export class ImageQueue implements ImageJobs {
  readonly #options: QueueOptions;
  readonly #waiting: Entry[] = [];
  readonly #running = new Set<Entry>();
  #child: ImageChild | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  run(job: ImageJob): Promise<JobResult> {
    if (this.#closed) return Promise.reject(new QueueError('closed'));
    if (this.#waiting.length >= this.#options.waiting) return Promise.reject(new QueueError('full'));
    const { memory, concurrency } = this.#options;
    return new Promise((done, failed) => {
      this.#waiting.push({
        job,
        done,
        failed,
        isSuspect: false,
        memory: Math.floor(memory / concurrency),
        isLate: false,
      });
      this.#next();
    });
  }

  /** Ends the image process; jobs that it has or that wait are given up. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#idle);
    for (const { failed } of this.#waiting.splice(0)) failed(new QueueError('closed'));
    this.#child?.kill();
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#running.size < this.#options.concurrency) {
      const { isSuspect: isAlone, memory } = this.#waiting[0]!;
      const running = [...this.#running];
      const taken = running.reduce((sum, entry) => sum + entry.memory, 0);
      const isFull = isAlone || running.some(({ isSuspect }) => isSuspect) || taken + memory > this.#options.memory;
      if (running.length > 0 && isFull) return;
      void this.#start(this.#waiting.shift()!);
    }
  }

  async #start(entry: Entry): Promise<void> {
    this.#running.add(entry);
    clearTimeout(this.#idle);
    if (!this.#child || this.#child.hasEnded) this.#child = new ImageChild(this.#options.concurrency);
    const child = this.#child;
    const { isSuspect } = entry;
    const timer = setTimeout(() => {
      entry.isLate = true;
      child.kill();
    }, this.#options.timeout);
    try {
      entry.done(await child.run(entry.job, entry.memory));
    } catch (error) {
      const failure = error instanceof JobError ? error.failure : undefined;
      if (failure?.reason === 'heavy') {
        entry.memory = failure.memory!;
        this.#waiting.unshift(entry);
      } else if (failure?.reason !== 'lost') entry.failed(error as Error);
      else if (this.#closed) entry.failed(new QueueError('closed'));
      else if (entry.isLate) entry.failed(new QueueError('late'));
      else if (isSuspect)
        entry.failed(child.wasReady ? new QueueError('fatal') : new QueueError('unavailable', child.failure));
      else {
        entry.isSuspect = true;
        this.#waiting.unshift(entry);
      }
    } finally {
      clearTimeout(timer);
      this.#running.delete(entry);
      this.#next();
      if (this.#running.size === 0 && !this.#closed) this.#rest();
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#child?.kill(), this.#options.idle).unref();
  }
}
