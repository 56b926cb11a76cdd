/** The priority of background threads. */
import { readlinkSync } from 'node:fs';
import os from 'node:os';

/**
 * How far the priority is lowered (setpriority(2), "nice"). The threads that answer requests go first, and other
 * programs of a busy machine do not starve this one. At 10, a password waited for ten seconds, after which the next
 * ones are refused.
 */
const NICENESS = 5;

/** Lowers the priority of this thread only, on systems that distinguish threads. */
export function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    const { PRIORITY_LOW } = os.constants.priority;
    if (thread > 0) os.setPriority(thread, Math.min(os.getPriority() + NICENESS, PRIORITY_LOW));
  } catch {
    // a system without threads in /proc, or one that forbids it: then all are equal
  }
}
