/** The thread that hashes passwords: it takes few steps for those that tests make, unless the steps are the subject. */
import type { Worker } from 'node:worker_threads';
import type { PasswordJob } from '../../../src/content/validation/password-worker.ts';

/** 2^4 steps for a hash, the fewest that bcrypt takes: a millisecond instead of 50. */
const CHEAP_ROUNDS = 4;

let thread: Worker | undefined;
let cheap = true;

process.on('worker', (worker) => {
  if (worker.threadName !== 'passwords') return;
  thread = worker;
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (job: PasswordJob) => post(cheap ? cheapened(job) : job);
});

/** The same job with fewer steps; comparing with a hash takes those of the hash. */
function cheapened(job: PasswordJob): PasswordJob {
  return { ...job, rounds: CHEAP_ROUNDS, decoys: [] };
}

/** Whether passwords take as long from now on as they take servers. */
export function takeAllSteps(all: boolean): void {
  cheap = !all;
}

/** Ends it: passwords that wait are refused with 503, and the next one starts another thread. */
export async function endPasswordThread(): Promise<void> {
  await thread?.terminate();
}
