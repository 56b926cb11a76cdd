/** The server's side of a reader process. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { ContentError, type ErrorName, unavailable } from '../../../errors.ts';
import { entryFile } from '../../../own-files.ts';
import type { SqlValue } from '../../../sql/fragment.ts';
import type { Row } from '../../interface/queryable.ts';
import { LONG_VALUES, receiveLongValues, type SentRows } from './long-values.ts';

/** The argument of a process whose statements may write to the file. */
export const WRITES = 'writes';

export interface ReaderRequest {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The rows, and the processor time that they took, which does not depend on other programs. */
export interface Answered {
  readonly rows: Row[];
  readonly milliseconds: number;
}

export type ReaderReply =
  /** Sent first, when the process is ready, so that later requests do not wait for the start. */
  | { readonly isReady: true }
  | { readonly sent: SentRows; readonly milliseconds: number }
  | { readonly refusal: { readonly name: ErrorName; readonly message: string; readonly cause: string | undefined } }
  | { readonly failure: { readonly message: string; readonly code: string | undefined } };

/**
 * Makes the C library return large blocks of memory to the system when they are freed (mallopt(3)). Otherwise it keeps
 * them, and a process that builds answers of 16 MB grows with every one, up to 300 MB.
 */
const ALLOCATION = { MALLOC_MMAP_THRESHOLD_: '8388608' };

/** Milliseconds that a process may take to start on a busy machine. */
const STARTING = 30_000;

interface Job {
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: Error) => void;
}

/** One reader process. It runs one statement at a time. */
export class ReaderChild {
  /** Undefined if the system refused to start it, for example for lack of memory. */
  readonly #child: ChildProcess | undefined;
  /** Undefined if the process could not be started, for lack of open files. */
  readonly #pipe: Socket | undefined;
  /** Resolves once the process accepts requests, or has ended. */
  readonly #started: Promise<void>;
  #begin: () => void = () => {};
  #job: Job | undefined;
  #ended = false;
  #ranOut = false;
  /** The error with which it ended, if known. */
  #cause: Error | undefined;

  /** @param mayWrite whether its statements may write to the file. */
  constructor(filename: string, mayWrite = false) {
    // the process needs nothing else from the server's environment, least of all its secrets
    const { PATH, SystemRoot, TMPDIR, LD_LIBRARY_PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, SystemRoot, TMPDIR, LD_LIBRARY_PATH, NODE_COMPILE_CACHE, ...ALLOCATION };
    const args = [filename, ...(mayWrite ? [WRITES] : [])];
    try {
      this.#child = fork(entryFile('db/sqlite/readers/reader-process'), args, {
        env,
        execArgv: [],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
      });
    } catch (error) {
      this.#started = Promise.resolve();
      this.#end(error as Error);
      return;
    }
    // registered first: a process that cannot be started has nothing else, and reports it in a moment
    this.#child.on('error', (error) => this.#end(error));
    this.#child.on('exit', (code, signal) =>
      this.#end(new Error(`a reader process ended: ${signal ?? `code ${code}`}`)),
    );
    this.#pipe = (this.#child.stdio as ChildProcess['stdio'] | undefined)?.[LONG_VALUES] as Socket | undefined;
    this.#pipe?.on('error', (error) => this.#end(error));
    const late = setTimeout(() => this.#end(), STARTING).unref();
    this.#started = new Promise((resolve) => {
      this.#begin = () => {
        clearTimeout(late);
        resolve();
      };
    });
    this.#child.on('message', (reply: ReaderReply) => this.#settle(reply));
    this.#rest();
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Whether it was ended because a statement exceeded its time. */
  get ranOut(): boolean {
    return this.#ranOut;
  }

  /**
   * Runs one statement once the process has started.
   *
   * @param limit milliseconds after which the process is ended; 0: unlimited.
   * @throws ContentError 503 if the statement takes too long, or the process ends.
   */
  async run(request: ReaderRequest, limit: number): Promise<Answered> {
    this.#child?.ref();
    this.#child?.channel?.ref();
    this.#pipe?.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      if (!(await this.#startsWithin(limit))) throw unavailable('The database took too long to answer');
      const late = () => {
        this.#ranOut = true;
        this.#end(undefined, 'The database took too long to answer');
      };
      if (limit > 0) timer = setTimeout(late, limit);
      return await new Promise<Answered>((resolve, reject) => {
        this.#job = { resolve, reject };
        if (this.#ended) this.#lose(this.#cause, ENDED);
        else this.#child!.send(request, (error) => error && this.#end(error));
      });
    } finally {
      clearTimeout(timer);
      if (!this.#ended) this.#rest();
    }
  }

  /** Whether the process has started in time. If not, it keeps starting for the next request. */
  async #startsWithin(limit: number): Promise<boolean> {
    if (limit === 0) return this.#started.then(() => true);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, limit, false);
    });
    try {
      return await Promise.race([this.#started.then(() => true), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the process and its statement. */
  kill(): void {
    this.#end();
  }

  #settle(reply: ReaderReply): void {
    if ('isReady' in reply) {
      this.#begin();
      return;
    }
    if ('sent' in reply) {
      const { sent, milliseconds } = reply;
      receiveLongValues(sent, this.#pipe!, (rows) => this.#takeJob()?.resolve({ rows, milliseconds }));
      return;
    }
    const job = this.#takeJob();
    if (!job) return;
    if ('refusal' in reply) {
      const { name, message, cause } = reply.refusal;
      job.reject(new ContentError(name, message, {}, cause === undefined ? {} : { cause: new Error(cause) }));
    } else job.reject(Object.assign(new Error(reply.failure.message), { code: reply.failure.code }));
  }

  #end(cause?: Error, message = ENDED): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cause = cause;
    this.#begin();
    this.#child?.kill('SIGKILL');
    this.#lose(cause, message);
  }

  #lose(cause: Error | undefined, message: string): void {
    this.#takeJob()?.reject(unavailable(message, cause));
  }

  #takeJob(): Job | undefined {
    const job = this.#job;
    this.#job = undefined;
    return job;
  }

  /** Lets an idle process not keep the server from exiting. */
  #rest(): void {
    this.#child?.unref();
    this.#child?.channel?.unref();
    this.#pipe?.unref();
  }
}

const ENDED = 'The database cannot be reached';
