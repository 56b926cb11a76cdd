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
