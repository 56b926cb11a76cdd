/** Sizes that were made, kept on disk up to a number of bytes, the longest unused going first. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { logFailure, storageFailure } from '../failures.ts';
import type { RasterKind } from './image.ts';

/** Files that are kept at most, however small. */
const MOST_FILES = 100_000;
/** Milliseconds after which an unfinished file counts as abandoned: no image may take that long. */
const STALE = 2 * 60 * 60 * 1000;
/** Prefixes of unfinished files: of a size, and of a copy that sizes are made from. */
const UNFINISHED = /\.(?:part|source)$/;

/** A size that was made. */
export interface KeptSize {
  /** Open at its beginning; the caller closes it. */
  readonly handle: FileHandle;
  readonly size: number;
  readonly format: RasterKind;
}

interface Made {
  readonly file: string;
  readonly size: number;
}

/** Several processes may keep their sizes in one folder: each counts what the others have made. */
export class KeptSizes {
  /** Nothing else may lie there. */
  readonly folder: string;
  readonly #most: number;
  /** By tag, the longest unused first. */
  readonly #made = new Map<string, Made>();
  #bytes = 0;
  #looking: Promise<void> | undefined;

  /** @param most bytes that are kept. One file is kept even if it is larger. */
  constructor(folder: string, most: number) {
    this.folder = folder;
    this.#most = most;
  }

  /** Finds what is in the folder, where other processes may have made some. Those who ask together share a look. */
  load(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /**
   * The path of a file that a size is made as.
   *
   * @throws ContentError 507 or 503 when its folder cannot be made.
   */
  async output(): Promise<string> {
    await mkdir(this.folder, { recursive: true }).catch((error: unknown) => {
      throw storageFailure(error);
    });
    return path.join(this.folder, `${randomUUID()}.part`);
  }

  /** Opens a size, which is then the last used; undefined when it is not kept, or something else has removed it. */
  async open(tag: string): Promise<KeptSize | undefined> {
    const made = this.#made.get(tag);
    if (!made) return undefined;
    const { file, size } = made;
    try {
      const handle = await open(path.join(this.folder, file));
      if (this.#made.delete(tag)) this.#made.set(tag, made);
      return { handle, size, format: path.extname(file).slice(1) as RasterKind };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFailure(error);
      this.#forget(tag);
      return undefined;
    }
  }

  /** Takes in a file that was made in the folder; the longest unused make room for it. */
  async keep(tag: string, output: string, { format, size }: { format: RasterKind; size: number }): Promise<void> {
    const file = `${tag}.${format}`;
    await rename(output, path.join(this.folder, file));
    this.#remember(tag, { file, size });
    // what other processes have made counts as well
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
    const found: { tag: string; made: Made; usedAt: number }[] = [];
    for (const file of names) {
      const { name, ext } = path.parse(file);
      const isSize = /^[0-9a-f]{32}$/.test(name) && /^\.[a-z]+$/.test(ext);
      if (isSize ? this.#made.has(name) : !UNFINISHED.test(file)) continue;
      const known = await stat(path.join(this.folder, file)).catch(() => undefined);
      if (!known) continue;
      if (isSize) found.push({ tag: name, made: { file, size: known.size }, usedAt: known.mtimeMs });
      else if (Date.now() - known.mtimeMs > STALE) this.#remove(file);
    }
    if (found.length === 0) return;
    found.sort((one, other) => one.usedAt - other.usedAt);
    // what others have made is not used here
    const own = [...this.#made].filter(([tag]) => !found.some((other) => other.tag === tag));
    for (const { tag, made } of found) this.#remember(tag, made);
    for (const [tag, made] of own) this.#remember(tag, made);
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

  #remember(tag: string, made: Made): void {
    this.#forget(tag);
    this.#made.set(tag, made);
    this.#bytes += made.size;
  }

  #forget(tag: string): void {
    this.#bytes -= this.#made.get(tag)?.size ?? 0;
    this.#made.delete(tag);
  }
}
