/**
 * Where bytes wait until they are stored: a folder for each request, in a folder of this process. What a process that
 * was killed left behind is settled and removed by the next that serves.
 */
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { logFailure } from './failures.ts';
import { JOURNAL } from './safety/journal.ts';
import { processName, processState } from './safety/process-name.ts';

/** Milliseconds between signs of life in a process's folder, for those who cannot ask after the process. */
const BEAT = 60_000;
/** Folders of processes elsewhere are left alone until they have shown no sign of life for this long. */
const SILENCE = 10 * BEAT;

/** Settles what a request of a process that is gone has left in a folder. One that cannot yet be settled rejects. */
export type Settle = (folder: string, process: string) => Promise<void>;

export class Incoming {
  /** Names this process. */
  readonly process = processName();
  readonly #root: string;
  readonly #own: string;
  readonly #isPrivate: boolean;
  #beat: NodeJS.Timeout | undefined;

  /**
   * Folders are made below `root` when they are needed.
   *
   * @param isPrivate whether `root` is where others could make it: then it must be this user's, and is shown to nobody.
   */
  constructor(root: string, isPrivate = false) {
    this.#root = root;
    this.#own = path.join(root, this.process);
    this.#isPrivate = isPrivate;
  }

  /**
   * Lends a new folder to `work`, and removes it with all that is in it. One that still contains a journal then is
   * kept, for the next start to settle.
   */
  async lend<T>(work: (folder: string) => Promise<T>): Promise<T> {
    if (this.#isPrivate) await claim(this.#root);
    await mkdir(this.#own, { recursive: true });
    this.#beat ??= setInterval(() => void touch(this.#own), BEAT).unref();
    const folder = await mkdtemp(path.join(this.#own, 'upload-'));
    try {
      return await work(folder);
    } finally {
      await removeSettled(folder);
    }
  }

  /**
   * Settles and removes the folders of processes that are gone. What cannot be settled stays, and is reported on
   * stderr.
   */
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

  /** Removes this process's folder, but for what is to be settled. */
  async close(): Promise<void> {
    clearInterval(this.#beat);
    for (const name of await namesIn(this.#own)) await removeSettled(path.join(this.#own, name));
    // what others use, or that was never made, stays as it is
    await rmdir(this.#own).catch(() => undefined);
    await rmdir(this.#root).catch(() => undefined);
  }
}

async function removeSettled(folder: string): Promise<void> {
  if (!existsSync(path.join(folder, JOURNAL))) await rm(folder, { recursive: true, force: true });
}

/**
 * Makes a folder that is only this user's.
 *
 * @throws Error for one that somebody else has made.
 */
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
  // a start for which there is nothing to do does not load what would look for it
  return existsSync(folder) ? readdir(folder).catch(() => []) : [];
}
