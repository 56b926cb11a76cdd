/** Images in sizes asked for: made once, kept on disk up to a number of bytes, the longest unused going first. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ContentError } from '../../errors.ts';
import { logFailure, storageFailure } from '../failures.ts';
import type { Storage, StoredObject } from '../storage.ts';
import type { RasterKind } from './image.ts';
import type { Images, Resizing } from './images.ts';

/** Files that are kept at most, however small. */
const MOST_FILES = 100_000;

export interface SizesOptions {
  /** Where they are kept; nothing else may lie there. */
  readonly folder: string;
  /** Bytes that are kept. One file is kept even if it is larger. */
  readonly cacheSize: number;
  /** Stores whose files may be asked for, the first that has one giving it. Private ones may not be among them. */
  readonly stores: readonly Storage[];
  readonly images: Images;
}

/** An image that is ready to be sent. */
export interface SizedImage {
  /** Open at its beginning; whoever takes it closes it. */
  readonly handle: FileHandle;
  readonly size: number;
  readonly format: RasterKind;
  /** Names the bytes: another for another file in the same place, and for another size of it. */
  readonly tag: string;
}

/** A size that was made. */
interface Made {
  readonly file: string;
  readonly size: number;
}

export class Sizes {
  readonly #options: SizesOptions;
  /** By tag, the longest unused first. */
  readonly #made = new Map<string, Made>();
  readonly #making = new Map<string, Promise<Made | undefined>>();
  #bytes = 0;
  #ready: Promise<void> | undefined;

  constructor(options: SizesOptions) {
    this.#options = options;
  }

  /**
   * A stored image in another size, form or quality. However many ask for one at a time, it is made once. `missing`:
   * there is no such file; `other`: it is no raster image.
   *
   * @throws ContentError as `Images.resize`; 503 when the store cannot be read.
   */
  async open(key: string, resizing: Resizing): Promise<SizedImage | 'missing' | 'other'> {
    const { store, object } = (await this.#find(key)) ?? {};
    if (!store || !object) return 'missing';
    this.#ready ??= this.#load();
    await this.#ready;
    const { width, height, fit, format, quality } = resizing;
    const named = [store.name, key, object.size, object.modifiedAt, width, height, fit, format, quality];
    const tag = createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32);
    const kept = this.#made.get(tag);
    const opened = kept && (await this.#openMade(tag, kept));
    if (opened) return opened;
    const made = await this.#makeOnce(tag, store, key, resizing);
    if (!made) return 'other';
    const fresh = await this.#openMade(tag, made);
    if (!fresh) throw storageFailure(new Error(`${made.file} is gone from ${this.#options.folder}`));
    return fresh;
  }

  async #find(key: string): Promise<{ store: Storage; object: StoredObject } | undefined> {
    try {
      for (const store of this.#options.stores) {
        const object = await store.stat(key);
        if (object) return { store, object };
      }
    } catch (error) {
      throw unreadable(error);
    }
    return undefined;
  }

  /** Opens a size that was made, which is then the last used; undefined when something else has removed it. */
  async #openMade(tag: string, made: Made): Promise<SizedImage | undefined> {
    const { file, size } = made;
    try {
      const handle = await open(path.join(this.#options.folder, file));
      if (this.#made.delete(tag)) this.#made.set(tag, made);
      return { handle, size, format: path.extname(file).slice(1) as RasterKind, tag };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFailure(error);
      this.#forget(tag);
      return undefined;
    }
  }

  #makeOnce(tag: string, store: Storage, key: string, resizing: Resizing): Promise<Made | undefined> {
    const under = this.#making.get(tag);
    if (under) return under;
    const making = this.#make(tag, store, key, resizing).finally(() => this.#making.delete(tag));
    this.#making.set(tag, making);
    return making;
  }

  async #make(tag: string, store: Storage, key: string, resizing: Resizing): Promise<Made | undefined> {
    const { folder, images } = this.#options;
    const source = path.join(folder, `${randomUUID()}.source`);
    const output = path.join(folder, `${randomUUID()}.part`);
    try {
      await mkdir(folder, { recursive: true }).catch((error: unknown) => {
        throw storageFailure(error);
      });
      const content = await store.get(key);
      if (!content) return undefined;
      await pipeline(content, createWriteStream(source, { flags: 'wx' }));
      const image = await images.resize(source, output, resizing);
      if (!image) return undefined;
      const made = { file: `${tag}.${image.format}`, size: image.size };
      await rename(output, path.join(folder, made.file));
      this.#keep(tag, made);
      return made;
    } catch (error) {
      if (error instanceof ContentError) throw error;
      throw unreadable(error);
    } finally {
      await Promise.all([rm(source, { force: true }), rm(output, { force: true })]).catch(() => {});
    }
  }

  /** What an earlier run of the server has left. */
  async #load(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch(() => []);
    const found: { tag: string; made: Made; usedAt: number }[] = [];
    for (const file of names) {
      const { name, ext } = path.parse(file);
      if (!/^[0-9a-f]{32}$/.test(name) || ext === '') {
        await rm(path.join(folder, file), { force: true }).catch(() => {});
        continue;
      }
      const known = await stat(path.join(folder, file)).catch(() => undefined);
      if (known) found.push({ tag: name, made: { file, size: known.size }, usedAt: known.mtimeMs });
    }
    found.sort((one, other) => one.usedAt - other.usedAt);
    for (const { tag, made } of found) this.#keep(tag, made);
  }

  #keep(tag: string, made: Made): void {
    this.#forget(tag);
    this.#made.set(tag, made);
    this.#bytes += made.size;
    for (const [oldest, { file }] of this.#made) {
      const isWithin = this.#bytes <= this.#options.cacheSize && this.#made.size <= MOST_FILES;
      if (isWithin || oldest === tag) break;
      this.#forget(oldest);
      rm(path.join(this.#options.folder, file), { force: true }).catch((error: unknown) => {
        logFailure(`the size ${file} was not removed`, error);
      });
    }
  }

  #forget(tag: string): void {
    this.#bytes -= this.#made.get(tag)?.size ?? 0;
    this.#made.delete(tag);
  }
}

function unreadable(error: unknown): ContentError {
  logFailure('a stored file could not be read', error);
  return new ContentError('ServiceUnavailableError', 'Files cannot be read at the moment');
}
