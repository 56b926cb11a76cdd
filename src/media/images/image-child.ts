/** The image process as the server sees it: started when there is work, ended when there has been none for a while. */
import { type ChildProcess, fork } from 'node:child_process';
import { entryFile } from '../../own-files.ts';
import type { ImageJob, JobReply, JobRequest, JobResult, Ready } from './image.ts';
import { JobError } from './job-error.ts';

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
