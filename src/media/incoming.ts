/**
 * Where bytes wait until they are stored: a folder for each request, in a folder of this process. What a process that
 * was killed left behind is removed by the next that starts.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

/** Folders of processes of other machines, which cannot be asked, are left alone until nothing changed for a day. */
const FOREIGN_AGE = 24 * 60 * 60 * 1000;

/** `<host>~<process id>~<when it started>~<random>` */
const NAME = /^(.+)~(\d+)~(\d+)~[0-9a-f]+$/;

export class Incoming {
  readonly #root: string;
  readonly #own: string;

  /** Folders are made below `root` when they are needed. */
  constructor(root: string) {
    this.#root = root;
    const name = [hostname(), process.pid, startOf(process.pid), randomBytes(4).toString('hex')].join('~');
    this.#own = path.join(root, name);
  }

  /** Lends a new folder to `work`, and removes it with all that is in it. */
  async lend<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await mkdir(this.#own, { recursive: true });
    const folder = await mkdtemp(path.join(this.#own, 'upload-'));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes the folders of processes that are gone. */
  async removeStale(): Promise<void> {
    for (const name of await namesIn(this.#root)) {
      const folder = path.join(this.#root, name);
      if (folder !== this.#own && (await isStale(folder, name))) await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes this process's folder. */
  async close(): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
    // a root that others use, or that was never made, stays as it is
    await rmdir(this.#root).catch(() => undefined);
  }
}

async function isStale(folder: string, name: string): Promise<boolean> {
  const [, host, pid, start] = NAME.exec(name) ?? [];
  if (host === hostname()) return !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
  const newest = Math.max(await changedAt(folder), ...(await changesBelow(folder)));
  return Date.now() - newest > FOREIGN_AGE;
}

async function changesBelow(folder: string): Promise<number[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [] as string[]);
  return Promise.all(names.map((name) => changedAt(path.join(folder, name))));
}

async function changedAt(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // somebody else's process
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * When a process started, in ticks since the machine did: ids are given again, in containers at every start. Where
 * the system does not tell (`proc(5)`, `/proc/<pid>/stat`, field 22), 0.
 */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the second field is a name in parentheses and may hold anything
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}
