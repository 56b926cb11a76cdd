/** The priority of threads whose work can wait. */
import { readlinkSync } from 'node:fs';
import os from 'node:os';

/**
 * How far the thread steps back behind the others of the process (setpriority(2), "nice"): what answers requests goes
 * first, and other programs of a busy machine do not leave it without the processor. At 10 they left a password waiting
 * for ten seconds, after which the next one is refused.
 */
const NICENESS = 5;

/** Lowers the priority of this thread alone, where the system tells threads apart. */
export function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    const { PRIORITY_LOW } = os.constants.priority;
    if (thread > 0) os.setPriority(thread, Math.min(os.getPriority() + NICENESS, PRIORITY_LOW));
  } catch {
    // a system without threads in /proc, or one that forbids it: then all are equal
  }
}
