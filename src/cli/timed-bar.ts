/** Progress of long work, with the remaining time. */
import type { Surroundings } from './command.ts';

/** Characters of the bar. */
const WIDTH = 24;
/** Milliseconds between two drawings. */
const INTERVAL = 200;
/** Without a terminal, a line is printed after each such part of the work that takes long. */
const STEP = 0.25;
const LONG = 5000;

export class TimedBar {
  readonly #surroundings: Pick<Surroundings, 'terminal' | 'warn'>;
  readonly #name: string;
  readonly #start = performance.now();
  #drawn = 0;
  #printed = 0;

  constructor(surroundings: Pick<Surroundings, 'terminal' | 'warn'>, name: string) {
    this.#surroundings = surroundings;
    this.#name = name;
  }

  /** @param fraction of the work that is done: 0 to 1. */
  readonly show = (fraction: number): void => {
    const now = performance.now();
    const { terminal, warn } = this.#surroundings;
    const spent = now - this.#start;
    const rest = fraction > 0.02 ? `, ${durationText((spent / fraction) * (1 - fraction))} left` : '';
    const text = `${this.#name} ${Math.floor(fraction * 100)} %${rest}`;
    if (terminal) {
      if (now - this.#drawn < INTERVAL) return;
      this.#drawn = now;
      const done = Math.round(fraction * WIDTH);
      terminal(`\r\u001b[K[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${text}`);
    } else if (fraction >= this.#printed + STEP && spent > LONG) {
      this.#printed = fraction;
      warn(text);
    }
  };

  /** Clears the line of the bar. */
  readonly end = (): void => this.#surroundings.terminal?.('\r\u001b[K');
}

/** `45 s`, `12 min`. */
function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
