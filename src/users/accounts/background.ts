/** Work that an answer does not wait for: what takes long, or whose timing would reveal what the answer does not. */

import { oneLine } from '../mail/one-line.ts';

/** Running jobs; further ones are dropped. */
export const MAX_JOBS = 200;
/** Milliseconds that jobs are waited for when the server ends: less than it has to close the database. */
const PATIENCE = 3000;

export class Background {
  readonly #jobs = new Set<Promise<void>>();
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Begins a job. What it throws is logged under its name, without what it was about. */
  run(name: string, job: () => Promise<void>): void {
    if (this.#jobs.size >= MAX_JOBS) {
      this.#log(`error: ${name}: too many jobs are running, this one was dropped`);
      return;
    }
    const running = job()
      .catch((error: unknown) => {
        const { code, message } = error as { code?: string; message?: string };
        this.#log(`error: ${name}: ${oneLine(String(code ?? message ?? 'failed'))}`);
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
