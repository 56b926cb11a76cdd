/**
 * Passwords as bcrypt hashes, computed and compared in a separate thread that starts when needed and ends when idle.
 */
import { Worker } from 'node:worker_threads';
import { unavailable, validation } from '../../errors.ts';
import { entryFile } from '../../own-files.ts';
import { reason } from '../../reasons.ts';
import type { PasswordJob, PasswordOutcome } from './password-worker.ts';

/** Bytes of the longest password: bcrypt looks at no more. */
export const PASSWORD_BYTES = 72;
/** 2^10 steps for a new hash, as the reference's. */
const ROUNDS = 10;
/** Hashes of more rounds are taken for none: one of 15 takes two seconds. */
const MOST_ROUNDS = 15;
/** Passwords that may wait for the thread, which gets through some 20 a second. */
export const PASSWORD_QUEUE = 100;
/**
 * How many of them may be new passwords. The rest of the queue is reserved for logins, however many accounts register.
 */
export const NEW_PASSWORDS = 50;
/** Milliseconds that a password may wait: by then most clients have given up. */
const PATIENCE = 10_000;
/** How long the thread waits for another password, in milliseconds. */
const IDLE = 30_000;
const BUSY = 'Too many passwords are waiting to be checked';
/** The form of a hash. Other systems write `2y` for `2b`. */
const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** A hash of no password. An account without a hash is compared with it, so that the response time reveals nothing. */
export const DECOY = '$2b$10$sKxVVLh1e3rBTqeoJSGdAuYH4N7mXZ5oR2wPbKq9cFzTdLgUi0EyW';

/** Whether a text is too long for a password, counted in bytes as bcrypt does. */
export function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > PASSWORD_BYTES;
}

/**
 * The bcrypt hash of a password.
 *
 * @throws ContentError 400 for one that is too long: the rest would not count; callers that know the path say so first.
 * @throws ContentError 503 when too many wait, or the thread cannot be started.
 */
export async function hashPassword(text: string): Promise<string> {
  if (isTooLong(text))
    throw validation(
      `Password must be at most ${PASSWORD_BYTES} bytes`,
      {},
      reason('bytes', { limit: PASSWORD_BYTES }),
    );
  return (await ask(text, undefined)) as string;
}

/**
 * Whether a text is the password of a hash. False for a missing or malformed hash, after the same time as for any
 * other. A string that is too long is never a valid password, although its first bytes may be: an account whose
 * password was truncated when it was stored can log in with those bytes, or with a new password.
 *
 * @throws ContentError 503 if too many passwords wait, or if the thread cannot be started.
 */
export async function verifyPassword(text: string, hash: string | null | undefined): Promise<boolean> {
  if (isTooLong(text)) return false;
  const comparable = knownHash(hash);
  const fits = (await ask(
    text,
    comparable ?? DECOY,
    comparable === undefined ? [] : decoysBeside(comparable),
  )) as boolean;
  return comparable !== undefined && fits;
}

const roundsOf = (hash: string): number => Number(HASH.exec(hash)?.[1] ?? 0);

/** Makes the comparison with a cheaper hash take as long as one with the decoy: 2^r + 2^r + … + 2^9 is 2^10. */
export function decoysBeside(hash: string): string[] {
  const decoys: string[] = [];
  for (let rounds = roundsOf(hash); rounds < ROUNDS; rounds++) {
    decoys.push(DECOY.replace(`$${ROUNDS}$`, () => `$${String(rounds).padStart(2, '0')}$`));
  }
  return decoys;
}

/** The hash in the form that the library takes; undefined for malformed ones. */
function knownHash(hash: string | null | undefined): string | undefined {
  const rounds = roundsOf(hash ?? '');
  return hash && rounds >= 4 && rounds <= MOST_ROUNDS ? hash.replace('$2y$', '$2b$') : undefined;
}

interface Waiting {
  readonly since: number;
  readonly job: PasswordJob;
  readonly resolve: (result: string | boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** New passwords and comparisons take turns, so that neither queue blocks the other. */
const queues = { created: [] as Waiting[], compared: [] as Waiting[] };
/** The job that the thread is running. */
let running: Waiting | undefined;
let worker: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/** How many passwords are not done; without a kind, of both. */
function count(kind?: 'created'): number {
  const { created, compared } = queues;
  if (kind) return created.length + (running?.job.hash === undefined ? Number(running !== undefined) : 0);
  return created.length + compared.length + Number(running !== undefined);
}

function ask(text: string, hash: string | undefined, decoys: readonly string[] = []): Promise<string | boolean> {
  if (count() >= PASSWORD_QUEUE || (hash === undefined && count('created') >= NEW_PASSWORDS)) {
    return Promise.reject(unavailable(BUSY));
  }
  clearTimeout(idle);
  worker ??= startWorker();
  const thread = worker;
  // the thread keeps the process alive only while a caller waits for it
  thread.ref();
  const job: PasswordJob = { text, hash, decoys, rounds: ROUNDS };
  return new Promise((resolve, reject) => {
    queues[hash === undefined ? 'created' : 'compared'].push({ since: performance.now(), job, resolve, reject });
    if (running === undefined) runNext(thread);
  });
}

/** Hands the thread the next password: of the other kind than the last, if one waits. */
function runNext(thread: Worker): void {
  const { created, compared } = queues;
  const first = running?.job.hash === undefined ? compared : created;
  const late = performance.now() - PATIENCE;
  for (const queue of [created, compared]) {
    while (queue[0] && queue[0].since < late) queue.shift()!.reject(unavailable(BUSY));
  }
  running = first.shift() ?? (first === created ? compared : created).shift();
  if (running) thread.postMessage(running.job);
  else rest(thread);
}

/** Starts the thread. */
function startWorker(): Worker {
  // the thread does not inherit the flags of the process: some name its main module
  const started = new Worker(entryFile('content/validation/password-worker'), { name: 'passwords', execArgv: [] });
  started.on('message', (result: PasswordOutcome) => {
    const { resolve } = running!;
    runNext(started);
    resolve(result);
  });
  started.on('error', (error) => lose(started, error));
  started.on('exit', () => lose(started, new Error('the thread that hashes passwords has ended')));
  return started;
}

function rest(thread: Worker): void {
  thread.unref();
  idle = setTimeout(() => {
    if (worker === thread) worker = undefined;
    void thread.terminate();
  }, IDLE).unref();
}

/** The thread has ended: its jobs fail, and the next password starts another thread. */
function lose(thread: Worker, error: unknown): void {
  if (worker !== thread) return;
  worker = undefined;
  const lost = [...(running ? [running] : []), ...queues.created.splice(0), ...queues.compared.splice(0)];
  running = undefined;
  for (const { reject } of lost) reject(unavailable('Passwords cannot be checked at the moment', error));
}
