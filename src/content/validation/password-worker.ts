/**
 * The thread that hashes passwords. A hash takes some 50 ms of one core: here it blocks no other work, and the thread
 * has a lower priority than the others, so that many logins at once do not slow down reads.
 */
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcrypt';
import { stepBack } from './thread-priority.ts';

/** A text to hash, or to compare with a hash. */
export interface PasswordJob {
  readonly text: string;
  /** The hash to compare with; undefined to compute a hash. */
  readonly hash: string | undefined;
  /** Hashes to compare with as well, for the time that it takes. */
  readonly decoys: readonly string[];
  /** 2^rounds steps of a new hash. */
  readonly rounds: number;
}

/** The result of a job: the new hash, or whether text and hash match. */
export type PasswordOutcome = string | boolean;

function run({ text, hash, decoys, rounds }: PasswordJob): PasswordOutcome {
  for (const decoy of decoys) bcrypt.compareSync(text, decoy);
  return hash === undefined ? bcrypt.hashSync(text, rounds) : bcrypt.compareSync(text, hash);
}

stepBack();
parentPort?.on('message', (job: PasswordJob) => {
  parentPort?.postMessage(run(job));
});
