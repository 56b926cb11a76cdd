/**
 * How long this thread has been at work: unlike the time of a clock, it does not grow while others have the processor.
 */

/**
 * Only newer versions of Node distinguish threads; of a process that mostly has one at work the difference is small.
 */
const usage = (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage ?? process.cpuUsage;

/** Milliseconds of the processor that this thread has used. */
export function processorTime(): number {
  const { user, system } = usage.call(process);
  return (user + system) / 1000;
}

/** Milliseconds of the clock that nobody doubts, and after which what the thread has used is asked for anew. */
const SHORT = 1;

/**
 * Tells how long this thread is at work on something, to within a millisecond. Asking the system takes as long as a
 * short read, so what is short by the clock counts as that long, and the system is asked once a millisecond.
 */
export class WorkTimer {
  #asked = Number.NEGATIVE_INFINITY;
  #used = 0;

  /** To be called before the work; gives what `since` takes. */
  begin(): number {
    const now = performance.now();
    if (now - this.#asked > SHORT) {
      this.#asked = now;
      this.#used = processorTime();
    }
    return now;
  }

  /** Milliseconds of work since a beginning: at most what the clock says, and no less than the work took. */
  since(begun: number): number {
    const passed = performance.now() - begun;
    return passed <= SHORT ? passed : Math.min(passed, processorTime() - this.#used);
  }
}
