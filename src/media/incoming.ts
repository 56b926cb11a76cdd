/**
 * Temporary folders of uploads: one per request, in a folder of this process. The next process that serves settles and
 * removes those of a killed process.
 */
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { logFailure } from './failures.ts';
import { JOURNAL } from './safety/journal.ts';
import { processName, processState } from './safety/process-name.ts';

/** Milliseconds between updates of the process folder's time, for processes that cannot check whether this one runs. */
const HEARTBEAT = 60_000;
/** Milliseconds without such updates after which the folder of a process on another machine counts as abandoned. */
const SILENCE = 10 * HEARTBEAT;

/** Settles the unfinished work in a request's folder. Rejects if it cannot be settled yet. */
export type Settle = (folder: string, process: string) => Promise<void>;

export class Incoming {
  /** The name of this process. */
  readonly process = processName();
  readonly #root: string;
  readonly #own: string;
  readonly #isPrivate: boolean;
  #heartbeat: NodeJS.Timeout | undefined;

  /**
   * Folders are created below `root` when needed.
   *
   * @param isPrivate whether other users could create `root`: it must then belong to this user, and is readable by no
   *   other.
   */
  constructor(root: string, isPrivate = false) {
    this.#root = root;
    this.#own = path.join(root, this.process);
    this.#isPrivate = isPrivate;
  }

  /**
   * Runs `work` with a new folder and removes it afterwards. A folder that still contains a journal is kept for the
   * next start.
   */
  async lend<T>(work: (folder: string) => Promise<T>): Promise<T> {
    if (this.#isPrivate) await claim(this.#root);
    await mkdir(this.#own, { recursive: true });
    this.#heartbeat ??= setInterval(() => void touch(this.#own), HEARTBEAT).unref();
    const folder = await mkdtemp(path.join(this.#own, 'upload-'));
    try {
      return await work(folder);
    } finally {
      await removeUnlessPending(folder);
    }
  }

  /** Settles and removes the folders of dead processes. Failures are logged, and their folders stay. */
  async removeStale(settle: Settle): Promise<void> {
    const processes = await namesIn(this.#root);
    if (processes.length === 0) return;
    if (this.#isPrivate) await claim(this.#root);
    for (const name of processes) {
      const folder = path.join(this.#root, name);
      if (folder === this.#own || !(await isStale(folder, name))) continue;
      let isSettled = true;
      for (const request of await namesIn(folder)) {
        try {
          await settle(path.join(folder, request), name);
        } catch (error) {
          isSettled = false;
          logFailure('the unfinished work of a server that ended could not be cleaned up', error);
        }
      }
      if (isSettled) await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes this process's folder, except for unsettled requests. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const name of await namesIn(this.#own)) await removeUnlessPending(path.join(this.#own, name));
    // folders that are not empty or do not exist are left
    await rmdir(this.#own).catch(() => undefined);
    await rmdir(this.#root).catch(() => undefined);
  }
}

async function removeUnlessPending(folder: string): Promise<void> {
  if (!existsSync(path.join(folder, JOURNAL))) await rm(folder, { recursive: true, force: true });
}

/** Creates a folder for this user alone. @throws Error if it belongs to another user. */
async function claim(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  const user = process.getuid?.();
  if (!found.isDirectory() || (user !== undefined && found.uid !== user)) {
    throw new Error(`${folder} belongs to another user`);
  }
  if (user !== undefined && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

async function isStale(folder: string, name: string): Promise<boolean> {
  const state = processState(name);
  if (state !== 'elsewhere') return state === 'gone';
  const sign = (await stat(folder).catch(() => undefined))?.mtimeMs;
  return sign !== undefined && Date.now() - sign > SILENCE;
}

async function touch(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now).catch(() => undefined);
}

async function namesIn(folder: string): Promise<string[]> {
  // readdir is not loaded at starts without such folders
  return existsSync(folder) ? readdir(folder).catch(() => []) : [];
}
