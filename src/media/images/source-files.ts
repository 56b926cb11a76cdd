/** Local files to derive sizes from: stored files, or copies of those in other stores. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Storage } from '../storage/storage.ts';
import { PREFIX_BYTES, rasterKind } from './signature.ts';

/** Concurrent copies on the disk. */
const COPIES = 4;

export interface SourcesOptions {
  /** The folder of copies. */
  readonly folder: string;
  /** The local folder of a store's files; undefined for other stores. */
  readonly folderOf: (store: Storage) => string | undefined;
  /** Bytes of the largest copy. */
  readonly most: number;
}

interface Copy {
  readonly file: Promise<string | undefined>;
  users: number;
}

export class SourceFiles {
  readonly #options: SourcesOptions;
  readonly #copies = new Map<string, Copy>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /**
   * Calls `work` with the path of a stored file. Concurrent users of an object share one copy, which is removed after
   * the last. `work` gets undefined for a file that is gone, too large, or does not begin like a raster image, of which
   * only the beginning is read.
   */
  async use<T>(
    store: Storage,
    object: { readonly key: string; readonly tag: string },
    work: (file: string | undefined) => Promise<T>,
  ): Promise<T> {
    const folder = this.#options.folderOf(store);
    if (folder !== undefined) return work(path.join(folder, object.key));
    const existing = this.#copies.get(object.tag);
    const copy = existing ?? this.#begin(store, object);
    copy.users += 1;
    try {
      return await work(await copy.file);
    } finally {
      copy.users -= 1;
      if (copy.users === 0) await this.#end(object.tag, copy);
    }
  }

  #begin(store: Storage, { key, tag }: { readonly key: string; readonly tag: string }): Copy {
    const copy = { file: this.#place().then(() => this.#fetch(store, key)), users: 0 };
    this.#copies.set(tag, copy);
    return copy;
  }

  async #end(tag: string, copy: Copy): Promise<void> {
    this.#copies.delete(tag);
    const file = await copy.file.catch(() => undefined);
    if (file !== undefined) await rm(file, { force: true }).catch(() => undefined);
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }

  #place(): Promise<void> {
    if (this.#taken < COPIES) {
      this.#taken += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #fetch(store: Storage, key: string): Promise<string | undefined> {
    const content = await store.get(key);
    if (!content) return undefined;
    const target = path.join(this.#options.folder, `${randomUUID()}.source`);
    const { most } = this.#options;
    try {
      await pipeline(content, (bytes) => rasterOnly(bytes, most), createWriteStream(target, { flags: 'wx' }));
      return target;
    } catch (error) {
      await rm(target, { force: true }).catch(() => undefined);
      if (error instanceof NoSource) return undefined;
      throw error;
    }
  }
}

/** The file is not a source of sizes. */
class NoSource extends Error {}

async function* rasterOnly(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let prefix: Buffer | undefined = Buffer.alloc(0);
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > most) throw new NoSource();
    if (prefix) {
      prefix = Buffer.concat([prefix, chunk]);
      if (prefix.length < PREFIX_BYTES) continue;
      yield raster(prefix);
      prefix = undefined;
    } else yield chunk;
  }
  if (prefix) yield raster(prefix);
}

function raster(prefix: Buffer): Buffer {
  if (rasterKind(prefix) === undefined) throw new NoSource();
  return prefix;
}
