/** The thread that hashes passwords, for tests that give it more to do than they wait for. */
import type { Worker } from 'node:worker_threads';

let thread: Worker | undefined;
process.on('worker', (worker) => {
  if (worker.threadName === 'passwords') thread = worker;
});

/** Ends it: passwords that wait are refused with 503, and the next one starts another thread. */
export async function endPasswordThread(): Promise<void> {
  await thread?.terminate();
}
