/** The time by which scheduled work is due. Tests replace it. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls a function once a time is reached, until the returned function is called. It keeps no process alive. */
  at(time: number, call: () => void): () => void;
}

/** Milliseconds after which the clock is read again, which may be set meanwhile. */
const LONGEST_TIMER = 1000;

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  at: (time, call) => {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const rest = time - Date.now();
      timer = setTimeout(rest > LONGEST_TIMER ? wait : call, Math.max(0, Math.min(rest, LONGEST_TIMER))).unref();
    };
    wait();
    return () => clearTimeout(timer);
  },
};
