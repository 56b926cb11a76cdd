/** Image sizes on request: each is created once and cached. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { ContentError, unavailable, validation } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { compileRecordsOf } from '../../sql/files.ts';
import { formatsOf } from '../file-record.ts';
import { type Storage, type StoredObject, storeOf } from '../storage/storage.ts';
import type { Images, Resizing } from './images.ts';
import { claimsRaster } from './signature.ts';
import { type CachedSize, SizeCache } from './size-cache.ts';
import { SourceFiles } from './source-files.ts';

/** Bytes of the largest image that can be resized. */
const LARGEST = 100_000_000;
/** Sizes being created or waiting; a further one is refused. */
const MOST_MAKING = 100;
/** Sizes that could not be created, and the milliseconds for which that is remembered. */
const REFUSALS = 10_000;
const REFUSED_FOR = 60_000;

export interface SizesOptions {
  readonly cache: SizeCache;
  /** The images that may be requested; not those of private stores. */
  readonly named: NamedImages;
  /** The local folder of a store's files; undefined for other stores. */
  readonly folderOf: (store: Storage) => string | undefined;
  readonly images: Images;
}

/** An image ready to be sent. */
export interface SizedImage extends CachedSize {
  /** Identifies the bytes: it changes with the file and the size. */
  readonly tag: string;
}

/** Why there is no size: the file does not exist, or is not a raster image. */
export type NoSize = 'missing' | 'other';

type Refusal = 'other' | ContentError;

export class Sizes {
  readonly #options: SizesOptions;
  readonly #sources: SourceFiles;
  readonly #making = new Map<string, Promise<'made' | NoSize>>();
  readonly #refused = new LruCache<string, { readonly refusal: Refusal; readonly until: number }>(REFUSALS);
  #ready: Promise<void> | undefined;

  constructor(options: SizesOptions) {
    this.#options = options;
    const { folderOf } = options;
    this.#sources = new SourceFiles({ folder: options.cache.folder, folderOf, most: LARGEST });
  }

  /**
   * Returns a stored image in another size, format or quality. Concurrent requests share one creation. `missing`: no
   * record has such a file; `other`: it is not a raster image.
   *
   * @throws ContentError as `Images.resize`; 400 for a file that is too large; 503 if the store cannot be read or too
   *   many sizes are being created.
   */
  async open(key: string, resizing: Resizing): Promise<SizedImage | NoSize> {
    const store = await this.#options.named.find(key);
    if (store === undefined) return 'missing';
    if (store === 'other') return 'other';
    const object = await reading(store.stat(key));
    if (!object) return 'missing';
    if (object.size > LARGEST) throw validation(`Only images of at most ${LARGEST} bytes can be resized`);
    this.#ready ??= this.#options.cache.load();
    await this.#ready;
    const source = tagOf([store.name, key, object.size, object.modifiedAt]);
    const { width, height, fit, format, quality } = resizing;
    const tag = tagOf([source, width, height, fit, format, quality]);
    const opened = await this.#options.cache.open(tag);
    if (opened) return { ...opened, tag };
    const refused = this.#refused.get(tag);
    if (refused && refused.until > Date.now()) return outcomeOf(refused.refusal);
    const resized = await this.#makeOnce(tag, source, store, object, resizing);
    if (resized !== 'made') return resized;
    const fresh = await this.#options.cache.open(tag);
    // it was removed from the cache already
    if (!fresh) throw tooMany();
    return { ...fresh, tag };
  }

  #makeOnce(tag: string, ...of: [string, Storage, StoredObject, Resizing]): Promise<'made' | NoSize> {
    const under = this.#making.get(tag);
    if (under) return under;
    if (this.#making.size >= MOST_MAKING) throw tooMany();
    const making = this.#make(tag, ...of).finally(() => this.#making.delete(tag));
    this.#making.set(tag, making);
    return making;
  }

  async #make(
    tag: string,
    source: string,
    store: Storage,
    { key }: StoredObject,
    resizing: Resizing,
  ): Promise<'made' | NoSize> {
    const { cache, images } = this.#options;
    const output = await cache.output();
    try {
      const image = await reading(
        this.#sources.use(store, { key, tag: source }, async (file) => file && images.resize(file, output, resizing)),
      );
      if (!image) return this.#refuse(tag, 'other');
      await reading(cache.keep(tag, output, image));
      return 'made';
    } catch (error) {
      if (error instanceof ContentError && error.status === 400) this.#refuse(tag, error);
      throw error;
    } finally {
      await rm(output, { force: true }).catch(() => {});
    }
  }

  /** Remembers that a size cannot be created, so that further requests cost nothing. */
  #refuse<R extends Refusal>(tag: string, refusal: R): R {
    this.#refused.set(tag, { refusal, until: Date.now() + REFUSED_FOR });
    return refusal;
  }
}

const tagOf = (named: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32);

function outcomeOf(refusal: Refusal): 'other' {
  if (refusal instanceof ContentError) throw refusal;
  return refusal;
}

const tooMany = (): ContentError => unavailable('Too many images are being processed: try again later');

/** Reports to the client that stored files cannot be read, and to the log why. */
async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ContentError) throw error;
    throw unavailable('Files cannot be read at the moment', error);
  }
}

export interface SizesContext {
  readonly db: Queryable;
  readonly layout: Layout;
  readonly stores: readonly Storage[];
  readonly images: Images;
}

/**
 * Opens the sizes of a project; undefined if none are configured. Files of private stores have none, since requests
 * need no token.
 */
export function openSizes(
  { publicDir, upload }: Pick<Config, 'publicDir' | 'upload'>,
  { db, layout, stores, images }: SizesContext,
): Sizes | undefined {
  if (!upload.sizes) return undefined;
  const uploads = path.join(publicDir, 'uploads');
  // names with a dot are neither served nor listed
  const cache = new SizeCache(path.join(uploads, '.sizes'), upload.sizes.cacheSize);
  const open = stores.filter(({ sign }) => sign === undefined);
  const named = new NamedImages(db, layout, open);
  return new Sizes({ cache, named, images, folderOf: ({ name }) => (name === 'local' ? uploads : undefined) });
}

/** Addresses whose lookup is cached, and the milliseconds for which it is: pages request many sizes of one image. */
const CACHED = 10_000;
const CACHED_FOR = 5_000;
/** Characters and underscores of an address that is looked up. */
const LONGEST = 1024;
const MOST_PARTS = 32;

/** The store of an image; `other`: the file is not a raster image. */
export type NamedImage = Storage | 'other' | undefined;

class NamedImages {
  readonly #db: Queryable;
  readonly #table: string;
  readonly #stores: readonly Storage[];
  readonly #remembered = new LruCache<string, { readonly found: NamedImage; readonly until: number }>(CACHED);

  constructor(db: Queryable, layout: Layout, stores: readonly Storage[]) {
    this.#db = db;
    this.#table = layoutOf(layout, FILE_UID).table;
    this.#stores = stores;
  }

  /** The store of a key according to the records; undefined if none has it. */
  async find(key: string): Promise<NamedImage> {
    if (key.length > LONGEST || key.includes('\0') || !key.isWellFormed()) return undefined;
    const known = this.#remembered.get(key);
    if (known && known.until > Date.now()) return known.found;
    const found = await this.#read(key);
    this.#remembered.set(key, { found, until: Date.now() + CACHED_FOR });
    return found;
  }

  async #read(key: string): Promise<NamedImage> {
    const hashes = hashesOf(key);
    const addresses = this.#stores.map((store) => store.urlOf(key));
    const select = compileRecordsOf(this.#table, hashes.length, addresses.length);
    for (const [provider, url, ext, mime, formats] of await query(this.#db, select, [...hashes, ...addresses])) {
      const store = storeOf(this.#stores, String(provider));
      if (!store) continue;
      const own = { url, ext, mime };
      // another program may have stored anything in `formats`
      for (const file of [own, ...Object.values(formatsOf(formats) ?? {})]) {
        if (typeof file?.url !== 'string' || store.keyOf(file.url) !== key) continue;
        return claimsRaster({ ext: String(file.ext ?? ext ?? ''), mime: String(file.mime ?? mime ?? '') })
          ? store
          : 'other';
      }
    }
    return undefined;
  }
}

/** The possible hashes of the record of a stored file: its name, or what follows the name of a format. */
function hashesOf(key: string): string[] {
  const name = key.slice(key.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const parts = name.split('_');
  return parts.slice(0, MOST_PARTS).map((_, index) => parts.slice(index).join('_'));
}
