/** How far a long command is: a bar that is drawn over itself at a terminal, else a line now and then. */
import type { Surroundings } from './command.ts';

/** Characters of the bar. */
const WIDTH = 24;
/** Without a terminal: a line for each such part of the whole. */
const STEP = 0.1;

export interface Progress<T> {
  readonly show: (state: T) => void;
  /** Clears the bar's line. */
  readonly end: () => void;
}

/** Shows states as `describe` puts them: how much is done, from 0 to 1, and words. */
export function progressLine<T>(
  { terminal, warn }: Surroundings,
  describe: (state: T) => { readonly fraction: number; readonly text: string },
): Progress<T> {
  let told = 0;
  return {
    show(state) {
      const { fraction, text } = describe(state);
      if (terminal) {
        const done = Math.round(fraction * WIDTH);
        terminal(`\r\u001b[K[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${text}`);
      } else if (fraction >= told + STEP || fraction === 1) {
        told = fraction;
        warn(text);
      }
    },
    end: () => terminal?.('\r\u001b[K'),
  };
}
