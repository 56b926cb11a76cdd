/** A cache of image sizes on disk, limited in bytes. The least recently used ones are removed first. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { logFailure, storageFailure } from '../failures.ts';
import type { RasterKind } from './image.ts';

/** The most files, however small. */
const MOST_FILES = 100_000;
/** Milliseconds after which an unfinished file is abandoned, longer than any image may take. */
const STALE = 2 * 60 * 60 * 1000;
/** Extensions of unfinished files: sizes, and copies of sources. */
const UNFINISHED = /\.(?:part|source)$/;

/** A cached size. */
export interface CachedSize {
  /** Open at its beginning; the caller closes it. */
  readonly handle: FileHandle;
  readonly size: number;
  readonly format: RasterKind;
}

interface CachedFile {
  readonly file: string;
  readonly size: number;
}

/** Several processes may share one folder; each counts the files of the others. */
export class SizeCache {
  /** Contains nothing else. */
  readonly folder: string;
  readonly #most: number;
  /** By tag, the least recently used first. */
  readonly #made = new Map<string, CachedFile>();
  #bytes = 0;
  #looking: Promise<void> | undefined;

  /** @param most bytes of the cache. One file may be larger. */
  constructor(folder: string, most: number) {
    this.folder = folder;
    this.#most = most;
  }

  /** Reads the folder, to which other processes may have added files. Concurrent calls share one read. */
  load(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** The path for writing a new size. @throws ContentError 507 or 503 if its folder cannot be created. */
  async output(): Promise<string> {
    await mkdir(this.folder, { recursive: true }).catch((error: unknown) => {
      throw storageFailure(error);
    });
    return path.join(this.folder, `${randomUUID()}.part`);
  }

  /** Opens a size and marks it as used; undefined if it is not cached or was removed. */
  async open(tag: string): Promise<CachedSize | undefined> {
    const entry = this.#made.get(tag);
    if (!entry) return undefined;
    const { file, size } = entry;
    try {
      const handle = await open(path.join(this.folder, file));
      if (this.#made.delete(tag)) this.#made.set(tag, entry);
      return { handle, size, format: path.extname(file).slice(1) as RasterKind };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFailure(error);
      this.#forget(tag);
      return undefined;
    }
  }

  /** Adds a file that was written in the folder, and removes others beyond the limit. */
  async keep(tag: string, output: string, { format, size }: { format: RasterKind; size: number }): Promise<void> {
    const file = `${tag}.${format}`;
    await rename(output, path.join(this.folder, file));
    this.#remember(tag, { file, size });
    // files of other processes count too
    await this.load();
    this.#makeRoom(tag);
  }

  async #look(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const there = new Set(names);
    for (const [tag, { file }] of [...this.#made]) {
      const isGone = !there.has(file) && !(await stat(path.join(this.folder, file)).catch(() => undefined));
      if (isGone) this.#forget(tag);
    }
    const added: { tag: string; entry: CachedFile; usedAt: number }[] = [];
    for (const file of names) {
      const { name, ext } = path.parse(file);
      const isSize = /^[0-9a-f]{32}$/.test(name) && /^\.[a-z]+$/.test(ext);
      if (isSize ? this.#made.has(name) : !UNFINISHED.test(file)) continue;
      const stats = await stat(path.join(this.folder, file)).catch(() => undefined);
      if (!stats) continue;
      if (isSize) added.push({ tag: name, entry: { file, size: stats.size }, usedAt: stats.mtimeMs });
      else if (Date.now() - stats.mtimeMs > STALE) this.#remove(file);
    }
    if (added.length === 0) return;
    added.sort((one, other) => one.usedAt - other.usedAt);
    // files of other processes were used less recently here
    const own = [...this.#made].filter(([tag]) => !added.some((other) => other.tag === tag));
    for (const { tag, entry } of added) this.#remember(tag, entry);
    for (const [tag, entry] of own) this.#remember(tag, entry);
  }

  #makeRoom(newest: string): void {
    for (const [oldest, { file }] of this.#made) {
      const isWithin = this.#bytes <= this.#most && this.#made.size <= MOST_FILES;
      if (isWithin) break;
      if (oldest === newest) continue;
      this.#forget(oldest);
      this.#remove(file);
    }
  }

  #remove(file: string): void {
    rm(path.join(this.folder, file), { force: true }).catch((error: unknown) => {
      logFailure(`the size ${file} was not removed`, error);
    });
  }

  #remember(tag: string, entry: CachedFile): void {
    this.#forget(tag);
    this.#made.set(tag, entry);
    this.#bytes += entry.size;
  }

  #forget(tag: string): void {
    this.#bytes -= this.#made.get(tag)?.size ?? 0;
    this.#made.delete(tag);
  }
}
