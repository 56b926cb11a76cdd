/** Which stored images may be asked for: what a record, or a format of one, names. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { LruCache } from '../../lru-cache.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { compileRecordsOf } from '../../sql/files.ts';
import { formatsOf } from '../file-record.ts';
import { type Storage, storeOf } from '../storage/storage.ts';
import { claimsRaster } from './signature.ts';

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
