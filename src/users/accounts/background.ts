/** Runs work after an answer: slow work, and work whose duration would reveal a secret. */
import { withheld } from '../../log-line.ts';

/** The most running jobs; further ones are dropped. */
export const MAX_JOBS = 200;
/** Milliseconds that a stopping server waits for jobs, less than it has to close the database. */
const PATIENCE = 3000;

export class Background {
  readonly #jobs = new Set<Promise<void>>();
  readonly #log: (line: string, error?: unknown) => void;

  constructor(log: (line: string, error?: unknown) => void) {
    this.#log = log;
  }

  /** Starts a job. Its errors are logged with its name, without their message if they have a code. */
  run(name: string, job: () => Promise<void>): void {
    if (this.#jobs.size >= MAX_JOBS) {
      this.#log(`error: ${name}: too many jobs are running, this one was dropped`);
      return;
    }
    const running = job()
      .catch((error: unknown) => {
        const { code } = (error ?? {}) as { readonly code?: unknown };
        this.#log(`error: ${name}: failed`, code === undefined ? error : withheld(error));
      })
      .finally(() => this.#jobs.delete(running));
    this.#jobs.add(running);
  }

  /** Waits a short time for the running jobs. */
  async finish(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE);
    });
    await Promise.race([Promise.all(this.#jobs), patience]);
    clearTimeout(timer);
  }
}
