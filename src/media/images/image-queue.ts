/** Queues jobs for the image process: some run at once, some wait, and each has a time limit. */
import { type ChildProcess, fork } from 'node:child_process';
import { entryFile } from '../../own-files.ts';
import type { ImageJob, JobFailure, JobReply, JobRequest, JobResult, Ready } from './image.ts';

export interface QueueOptions {
  /** Concurrent jobs. */
  readonly concurrency: number;
  /** Waiting jobs; a further one is refused. */
  readonly waiting: number;
  /** Bytes of memory of all running jobs. */
  readonly memory: number;
  /** Milliseconds of one job. */
  readonly timeout: number;
  /** Milliseconds without work after which the image process ends. */
  readonly idle: number;
}

/** Why the queue gave up a job. */
export type GivenUp = 'full' | 'late' | 'fatal' | 'unavailable' | 'closed';

/** A job failed for a reason outside of it, or because it crashed the image process. */
export class QueueError extends Error {
  readonly reason: GivenUp;
  constructor(reason: GivenUp, cause?: Error) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** A queue of jobs. */
export interface ImageJobs {
  /** @throws JobError for a failed job, QueueError for a job that was given up. */
  run(job: ImageJob): Promise<JobResult>;
  /** Gives up all unfinished jobs. */
  close(): void;
}

interface Entry {
  readonly job: ImageJob;
  readonly done: (result: JobResult) => void;
  readonly failed: (error: Error) => void;
  /**
   * The image process ended while it ran this job and others; the job runs again alone, to find out which one caused
   * it.
   */
  isSuspect: boolean;
  /** Bytes of memory that it may use: a share, or more once it is known to need it. */
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

  /** Ends the image process and gives up all jobs. */
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

/** A job failed: the image process reported it, or ended. */
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

/** One run of the image process. Its jobs end with a result or a JobError, with reason `lost` if the process ends. */
class ImageChild {
  /** Undefined if the system refused to start it, for example without memory. */
  readonly #child: ChildProcess | undefined;
  readonly #running = new Map<number, Running>();
  #lastId = 0;
  #ended = false;
  #ready = false;
  #failure: Error | undefined;

  /** @param threads the number of concurrent jobs. */
  constructor(threads: number) {
    // it receives nothing else of the server's environment, least of all secrets
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

  /** False for a process that ended before its first job, so that no image is to blame. */
  get wasReady(): boolean {
    return this.#ready;
  }

  /** The system's error for a process that could not be started. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** @throws JobError */
  run(job: ImageJob, memory: number): Promise<JobResult> {
    const child = this.#child;
    if (this.#ended || !child) return Promise.reject(new JobError({ reason: 'lost', message: 'it had ended' }));
    child.ref();
    child.channel?.ref();
    // a process that could not be started has no channel and emits an error later
    const isStarted = child.channel !== undefined;
    return new Promise((done, failed) => {
      const id = ++this.#lastId;
      this.#running.set(id, { done, failed });
      if (isStarted) child.send({ id, job, memory } satisfies JobRequest, (error) => error && this.#end());
    });
  }

  /** Ends the process; its jobs are lost. */
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

  /** An idle child does not keep the server from exiting. */
  #rest(): void {
    this.#child?.unref();
    this.#child?.channel?.unref();
  }
}
