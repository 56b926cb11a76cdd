/**
 * The thread in which passwords are hashed. A hash takes some 50 ms of one core: here it stands in nobody's way, and
 * the thread gives way to the others, so that a storm of logins leaves reads their time.
 */
import { readlinkSync } from 'node:fs';
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcrypt';

/** A text to hash, or to compare with a hash. */
export interface PasswordJob {
  readonly text: string;
  /** What to compare with; undefined: make a hash. */
  readonly hash: string | undefined;
  /** Hashes to compare with as well, for the time that it takes. */
  readonly decoys: readonly string[];
  /** 2^rounds steps of a new hash. */
  readonly rounds: number;
}

/** What became of a job: the hash that was made, or whether text and hash belong together. */
export type PasswordOutcome = string | boolean;

/** How far the thread steps back behind the others of the process (setpriority(2), "nice"). */
const NICENESS = 10;

/** Lowers the priority of this thread alone, where the system tells threads apart. */
function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    const { PRIORITY_LOW } = os.constants.priority;
    if (thread > 0) os.setPriority(thread, Math.min(os.getPriority() + NICENESS, PRIORITY_LOW));
  } catch {
    // a system without threads in /proc, or one that forbids it: then all are equal
  }
}

function run({ text, hash, decoys, rounds }: PasswordJob): PasswordOutcome {
  for (const decoy of decoys) bcrypt.compareSync(text, decoy);
  return hash === undefined ? bcrypt.hashSync(text, rounds) : bcrypt.compareSync(text, hash);
}

stepBack();
parentPort?.on('message', (job: PasswordJob) => {
  parentPort?.postMessage(run(job));
});
