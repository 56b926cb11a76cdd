/** The thread that hashes passwords: it takes few steps for those that tests make, unless the steps are the subject. */
import { Worker } from 'node:worker_threads';
import { DECOY } from '../../../src/content/validation/password-hashing.ts';
import type { PasswordJob } from '../../../src/content/validation/password-worker.ts';

/** 2^4 steps for a hash, the fewest that bcrypt takes: a millisecond instead of 50. */
const CHEAP_ROUNDS = 4;

let thread: Worker | undefined;
let cheap = true;
let hashed = 0;

// not by the event `worker`, which comes after the first password has been posted
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (this: Worker, message: unknown, ...others: []) {
  if (this.threadName !== 'passwords') return postMessage.call(this, message, ...others);
  thread = this;
  if ((message as PasswordJob).hash === undefined) hashed += 1;
  postMessage.call(this, cheap ? cheapened(message as PasswordJob) : message);
};

/** The same job with fewer steps; comparing with a hash takes those of the hash, unless it is that of no account. */
function cheapened(job: PasswordJob): PasswordJob {
  const hash = job.hash === DECOY ? DECOY.replace('$10$', `$${String(CHEAP_ROUNDS).padStart(2, '0')}$`) : job.hash;
  return { ...job, hash, rounds: CHEAP_ROUNDS, decoys: [] };
}

/** Whether passwords take as long from now on as they take servers. */
export function takeAllSteps(all: boolean): void {
  cheap = !all;
}

/** How many passwords it was given to make hashes of. */
export const passwordsHashed = (): number => hashed;

/** Ends it: passwords that wait are refused with 503, and the next one starts another thread. */
export async function endPasswordThread(): Promise<void> {
  await thread?.terminate();
}
