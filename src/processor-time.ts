/** Measures the processor time of this thread, which does not include the time of other threads and processes. */

/**
 * Only newer versions of Node distinguish threads; of a process that mostly has one at work the difference is small.
 */
const usage = (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage ?? process.cpuUsage;

/** Milliseconds of processor time of this thread. */
export function processorTime(): number {
  const { user, system } = usage.call(process);
  return (user + system) / 1000;
}

/** Milliseconds for which the clock counts as exact, and after which the used processor time is read again. */
const SHORT = 1;

/**
 * Measures the processor time of this thread to within a millisecond. A system call takes as long as a short read, so
 * short work is measured by the clock, with one system call per millisecond.
 */
export class WorkTimer {
  #readAt = Number.NEGATIVE_INFINITY;
  #used = 0;

  /** Starts a measurement; the result is passed to `since`. */
  begin(): number {
    const now = performance.now();
    if (now - this.#readAt > SHORT) {
      this.#readAt = now;
      this.#used = processorTime();
    }
    return now;
  }

  /** Milliseconds of work since a start: at most the time of the clock, and no less than the work took. */
  since(begun: number): number {
    const passed = performance.now() - begun;
    return passed <= SHORT ? passed : Math.min(passed, processorTime() - this.#used);
  }
}
