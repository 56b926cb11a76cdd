/** How far a run is: a bar that is drawn over itself on a terminal, and a line a step elsewhere. */

const WIDTH = 30;

export class Progress {
  readonly #steps: number;
  readonly #started = performance.now();
  #done = 0;
  #label = '';

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Begins the next step. */
  step(label: string): void {
    this.#label = label;
    if (process.stderr.isTTY) this.#draw(label, 0);
    else process.stderr.write(`${this.#done + 1}/${this.#steps} ${label}\n`);
    this.#done = Math.min(this.#done + 1, this.#steps);
  }

  /** How much of the present step is done, from 0 to 1; shown on a terminal only. */
  within(label: string, share: number): void {
    if (process.stderr.isTTY) this.#draw(label || this.#label, share);
  }

  /** Takes the bar away. */
  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  #draw(label: string, share: number): void {
    const filled = Math.round((Math.max(0, this.#done - 1 + share) / this.#steps) * WIDTH);
    const bar = '█'.repeat(Math.min(filled, WIDTH)).padEnd(WIDTH, '░');
    const minutes = ((performance.now() - this.#started) / 60_000).toFixed(1);
    const room = Math.max(20, (process.stderr.columns ?? 80) - WIDTH - 20);
    process.stderr.write(`\r\x1b[K${bar} ${this.#done}/${this.#steps} ${minutes} min ${label.slice(0, room)}`);
  }
}
