/** Which jobs the image process has, and which wait: some at once, some more in line, and an end to patience. */

import { type ChildProcess, fork } from 'node:child_process';
import { entryFile } from '../../own-files.ts';
import type { ImageJob, JobFailure, JobReply, JobRequest, JobResult, Ready } from './image.ts';

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

/** Why a job has no result: the failure that the image process reported, or the end of that process. */
export class JobError extends Error {
  readonly failure: JobFailure | { readonly reason: 'lost'; readonly message: string };

  constructor(failure: JobError['failure']) {
    super(failure.message);
    this.failure = failure;
  }
}

interface Running {
  readonly done: (result: JobResult) => void;
  readonly failed: (error: JobError) => void;
}

/** One life of the image process. Its jobs end with a result or a JobError; after an end of it with `lost`. */
export class ImageChild {
  /** Undefined where the system has refused it at once, as for want of memory. */
  readonly #child: ChildProcess | undefined;
  readonly #running = new Map<number, Running>();
  #lastId = 0;
  #ended = false;
  #ready = false;
  #failure: Error | undefined;

  /** @param threads jobs that it may be given at once. */
  constructor(threads: number) {
    // it needs nothing from the server's environment, least of all its secrets
    const { PATH, SystemRoot, TMPDIR, LD_LIBRARY_PATH, NODE_COMPILE_CACHE } = process.env;
    const env = {
      PATH,
      SystemRoot,
      TMPDIR,
      LD_LIBRARY_PATH,
      NODE_COMPILE_CACHE,
      UV_THREADPOOL_SIZE: String(threads + 1),
    };
    try {
      this.#child = fork(entryFile('media/images/image-process'), [], {
        env,
        execArgv: [],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
    } catch (error) {
      this.#failure = error as Error;
      this.#ended = true;
      return;
    }
    this.#child.on('message', (message: JobReply | Ready) => {
      if ('ready' in message) this.#ready = true;
      else this.#settle(message);
    });
    this.#child.on('error', (error) => {
      this.#failure = error;
      this.#end();
    });
    this.#child.on('exit', () => this.#end());
    this.#rest();
  }

  /** False for a process that ends before it can do anything: no image is to blame for that. */
  get wasReady(): boolean {
    return this.#ready;
  }

  /** What the system says of a process that could not be started. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Throws JobError. */
  run(job: ImageJob, memory: number): Promise<JobResult> {
    const child = this.#child;
    if (this.#ended || !child) return Promise.reject(new JobError({ reason: 'lost', message: 'it had ended' }));
    child.ref();
    child.channel?.ref();
    // one that could not be started has no channel, and will emit an event that says so
    const isStarted = child.channel !== undefined;
    return new Promise((done, failed) => {
      const id = ++this.#lastId;
      this.#running.set(id, { done, failed });
      if (isStarted) child.send({ id, job, memory } satisfies JobRequest, (error) => error && this.#end());
    });
  }

  /** Ends it, and loses the jobs that it has. */
  kill(): void {
    this.#end();
  }

  #settle(reply: JobReply): void {
    const running = this.#running.get(reply.id);
    if (!running) return;
    this.#running.delete(reply.id);
    if (this.#running.size === 0) this.#rest();
    if ('result' in reply) running.done(reply.result);
    else running.failed(new JobError(reply.failure));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#child?.kill('SIGKILL');
    const lost = [...this.#running.values()];
    this.#running.clear();
    for (const { failed } of lost) failed(new JobError({ reason: 'lost', message: 'the image process ended' }));
  }

  /** An idle child keeps nobody from exiting. */
  #rest(): void {
    this.#child?.unref();
    this.#child?.channel?.unref();
  }
}
