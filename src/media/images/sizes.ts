/** Images in sizes asked for: made once, and kept. */
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
import { type KeptSize, KeptSizes } from './size-cache.ts';
import { SourceFiles } from './source-files.ts';

/** Bytes of a stored image that sizes are made of. */
const LARGEST = 100_000_000;
/** Sizes that are made or wait for that at once; one more is refused. */
const MOST_MAKING = 100;
/** Sizes that could not be made, and for how many milliseconds that is remembered. */
const REFUSALS = 10_000;
const REFUSED_FOR = 60_000;

export interface SizesOptions {
  readonly kept: KeptSizes;
  /** What may be asked for. Files of private stores may not. */
  readonly named: NamedImages;
  /** Where a store's files lie on the local disk; undefined for one whose files do not. */
  readonly folderOf: (store: Storage) => string | undefined;
  readonly images: Images;
}

/** An image that is ready to be sent. */
export interface SizedImage extends KeptSize {
  /** Names the bytes: another for another file in the same place, and for another size of it. */
  readonly tag: string;
}

/** Why there is no size of a file: it does not exist, or is not a raster image. */
export type Unsized = 'missing' | 'other';

type Refusal = 'other' | ContentError;

export class Sizes {
  readonly #options: SizesOptions;
  readonly #sources: SourceFiles;
  readonly #making = new Map<string, Promise<'made' | Unsized>>();
  readonly #refused = new LruCache<string, { readonly refusal: Refusal; readonly until: number }>(REFUSALS);
  #ready: Promise<void> | undefined;

  constructor(options: SizesOptions) {
    this.#options = options;
    const { folderOf } = options;
    this.#sources = new SourceFiles({ folder: options.kept.folder, folderOf, most: LARGEST });
  }

  /**
   * A stored image in another size, form or quality. However many ask for one at a time, it is made once. `missing`: no
   * record names such a file; `other`: it is not a raster image.
   *
   * @throws ContentError as `Images.resize`; 400 for a file that is too large; 503 when the store cannot be read, or
   * too many sizes are made.
   */
  async open(key: string, resizing: Resizing): Promise<SizedImage | Unsized> {
    const store = await this.#options.named.find(key);
    if (store === undefined) return 'missing';
    if (store === 'other') return 'other';
    const object = await reading(store.stat(key));
    if (!object) return 'missing';
    if (object.size > LARGEST) throw validation(`Only images of at most ${LARGEST} bytes can be resized`);
    this.#ready ??= this.#options.kept.load();
    await this.#ready;
    const source = tagOf([store.name, key, object.size, object.modifiedAt]);
    const { width, height, fit, format, quality } = resizing;
    const tag = tagOf([source, width, height, fit, format, quality]);
    const opened = await this.#options.kept.open(tag);
    if (opened) return { ...opened, tag };
    const refused = this.#refused.get(tag);
    if (refused && refused.until > Date.now()) return outcomeOf(refused.refusal);
    const made = await this.#makeOnce(tag, source, store, object, resizing);
    if (made !== 'made') return made;
    const fresh = await this.#options.kept.open(tag);
    // it has made room for others by now
    if (!fresh) throw tooMany();
    return { ...fresh, tag };
  }

  #makeOnce(tag: string, ...of: [string, Storage, StoredObject, Resizing]): Promise<'made' | Unsized> {
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
  ): Promise<'made' | Unsized> {
    const { kept, images } = this.#options;
    const output = await kept.output();
    try {
      const image = await reading(
        this.#sources.use(store, { key, tag: source }, async (file) => file && images.resize(file, output, resizing)),
      );
      if (!image) return this.#refuse(tag, 'other');
      await reading(kept.keep(tag, output, image));
      return 'made';
    } catch (error) {
      if (error instanceof ContentError && error.status === 400) this.#refuse(tag, error);
      throw error;
    } finally {
      await rm(output, { force: true }).catch(() => {});
    }
  }

  /** Remembers that a size cannot be made, so that asking again costs nothing. */
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

/** Tells the client that stored files cannot be read, and the log why. */
async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ContentError) throw error;
    throw unavailable('Files cannot be read at the moment', error);
  }
}

export interface SizesRooms {
  readonly db: Queryable;
  readonly layout: Layout;
  readonly stores: readonly Storage[];
  readonly images: Images;
}

/** Undefined: the configuration allows none. Files of private stores have none: requests need not carry a token. */
export function openSizes(
  { publicDir, upload }: Pick<Config, 'publicDir' | 'upload'>,
  { db, layout, stores, images }: SizesRooms,
): Sizes | undefined {
  if (!upload.sizes) return undefined;
  const uploads = path.join(publicDir, 'uploads');
  // a name with a dot is neither served nor listed
  const kept = new KeptSizes(path.join(uploads, '.sizes'), upload.sizes.cacheSize);
  const open = stores.filter(({ sign }) => sign === undefined);
  const named = new NamedImages(db, layout, open);
  return new Sizes({ kept, named, images, folderOf: ({ name }) => (name === 'local' ? uploads : undefined) });
}

/** Addresses whose records are remembered, and for how many milliseconds: pages ask for many sizes of one image. */
const REMEMBERED = 10_000;
const REMEMBERED_FOR = 5_000;
/** Characters of an address that is looked up, and underlines in it. */
const LONGEST = 1024;
const MOST_PARTS = 32;

/** The store that holds an image; `other`: what the records name is not a raster image. */
export type NamedImage = Storage | 'other' | undefined;

export class NamedImages {
  readonly #db: Queryable;
  readonly #table: string;
  readonly #stores: readonly Storage[];
  readonly #remembered = new LruCache<string, { readonly found: NamedImage; readonly until: number }>(REMEMBERED);

  constructor(db: Queryable, layout: Layout, stores: readonly Storage[]) {
    this.#db = db;
    this.#table = layoutOf(layout, FILE_UID).table;
    this.#stores = stores;
  }

  /** The store of a key, according to the records; undefined when none names it. */
  async find(key: string): Promise<NamedImage> {
    if (key.length > LONGEST || key.includes('\0') || !key.isWellFormed()) return undefined;
    const known = this.#remembered.get(key);
    if (known && known.until > Date.now()) return known.found;
    const found = await this.#read(key);
    this.#remembered.set(key, { found, until: Date.now() + REMEMBERED_FOR });
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
      // another program may have stored anything below `formats`
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

/** The hashes that a stored file's record may have: its name, or what follows the name of a format. */
function hashesOf(key: string): string[] {
  const name = key.slice(key.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const parts = name.split('_');
  return parts.slice(0, MOST_PARTS).map((_, index) => parts.slice(index).join('_'));
}
