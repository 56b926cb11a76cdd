/** Work that an answer does not wait for: what takes long, or whose timing would reveal what the answer does not. */
import { withheld } from '../../log-line.ts';

/** Running jobs; further ones are dropped. */
export const MAX_JOBS = 200;
/** Milliseconds that jobs are waited for when the server ends: less than it has to close the database. */
const PATIENCE = 3000;

export class Background {
  readonly #jobs = new Set<Promise<void>>();
  readonly #log: (line: string, error?: unknown) => void;

  constructor(log: (line: string, error?: unknown) => void) {
    this.#log = log;
  }

  /** Begins a job. What it throws is logged under its name, without what it was about where a code tells enough. */
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

  /** Waits for the running jobs, but not for long. */
  async finish(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE);
    });
    await Promise.race([Promise.all(this.#jobs), patience]);
    clearTimeout(timer);
  }
}
