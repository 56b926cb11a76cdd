/**
 * Compares what is stored with what the records name, and removes what a delete that failed halfway has left behind.
 * Records are never removed: only a person can know whether their bytes can be recovered.
 */

import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { compileFileRecords } from '../sql/files.ts';
import { formatsOf } from './file-record.ts';
import { type Storage, type StoredObject, storeOf } from './storage/storage.ts';

/**
 * Milliseconds that an object has to be old before it counts as left behind: an upload stores first and records then.
 */
const SETTLED = 60 * 60 * 1000;

/**
 * How uploads are named, by the reference too: a slug, ten hexadecimal digits, an extension. Ten digits without a
 * letter are more often a time than a hash.
 */
const UPLOAD_NAME = /_(?=\d*[a-f])[0-9a-f]{10}(?:\.[^./]*)?$/;

export interface Subject {
  readonly db: Queryable;
  readonly layout: Layout;
  /** Every store that is configured. */
  readonly stores: readonly Storage[];
}

/** An object that no record names. */
export interface Orphan {
  readonly storage: Storage;
  readonly object: StoredObject;
  /**
   * `left`: an upload whose record is gone; it can be removed. `recent`: it may belong to an upload in progress.
   * `elsewhere`: a record names a file of this name in another place, a store that is left or an address of old.
   * `unclaimed`: no record at all names this store, so the database may be another's. `foreign`: nothing that an
   * upload would be called.
   */
  readonly kind: 'left' | 'recent' | 'elsewhere' | 'unclaimed' | 'foreign';
}

export interface FileFindings {
  readonly orphans: readonly Orphan[];
  /** What records name and no store has. */
  readonly missing: readonly NamedFile[];
}

/**
 * Looks through all stores and all records. Records of stores that are not configured, and addresses outside of their
 * store, cannot be checked and are passed over.
 *
 * @throws whatever a store throws that cannot be reached.
 */
export async function examineFiles(subject: Subject, now = Date.now()): Promise<FileFindings> {
  const objects = new Map<Storage, Map<string, StoredObject>>();
  for (const storage of subject.stores) {
    const found = new Map<string, StoredObject>();
    for await (const object of storage.list()) if (!isHidden(object.key)) found.set(object.key, object);
    objects.set(storage, found);
  }
  // records are read after the objects: what is uploaded meanwhile has a record by then, or is recent
  const missing: NamedFile[] = [];
  const claimed = new Set<Storage>();
  const names = new Names(subject.stores);
  for await (const file of namedFiles(subject.db, subject.layout)) {
    names.add(file);
    const storage = storeOf(subject.stores, file.provider);
    const key = storage?.keyOf(file.url);
    if (!storage || key === undefined) continue;
    claimed.add(storage);
    if (!objects.get(storage)!.has(key) && !(await storage.stat(key))) missing.push(file);
  }
  const kindOf = ({ key, modifiedAt }: StoredObject, storage: Storage): Orphan['kind'] => {
    if (!UPLOAD_NAME.test(key)) return 'foreign';
    if (!claimed.has(storage)) return 'unclaimed';
    if (names.hasName(key)) return 'elsewhere';
    return now - modifiedAt < SETTLED ? 'recent' : 'left';
  };
  const orphans = [...objects].flatMap(([storage, found]) =>
    [...found.values()]
      .filter(({ key }) => !names.hasKey(storage, key))
      .map((object): Orphan => ({ storage, object, kind: kindOf(object, storage) })),
  );
  return { orphans, missing: await stillNamed(subject, missing) };
}

/**
 * What records name, in any form: whichever store they say, and however an earlier configuration wrote the address. The
 * last part of an address is a name that no other upload has.
 */
class Names {
  readonly #keys: ReadonlyMap<Storage, Set<string>>;
  readonly #names = new Set<string>();

  constructor(stores: readonly Storage[]) {
    this.#keys = new Map(stores.map((storage) => [storage, new Set()]));
  }

  add({ url }: NamedFile): void {
    for (const [storage, keys] of this.#keys) {
      const key = storage.keyOf(url);
      if (key === undefined) continue;
      keys.add(key);
      this.#names.add(nameOf(key));
    }
    const path = url.replace(/[?#].*$/s, '');
    this.#names
      .add(nameOf(url))
      .add(nameOf(path))
      .add(nameOf(decoded(path)));
  }

  /** Whether a record names this very object. */
  hasKey(storage: Storage, key: string): boolean {
    return this.#keys.get(storage)!.has(key);
  }

  /** Whether a record names any object of this name, in any place. */
  hasName(key: string): boolean {
    return this.#names.has(nameOf(key));
  }
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** What was deleted while the stores were listed is not a problem. */
async function stillNamed({ db, layout }: Subject, missing: readonly NamedFile[]): Promise<NamedFile[]> {
  if (missing.length === 0) return [];
  const now = new Set<string>();
  for await (const { recordId, provider, url } of namedFiles(db, layout)) now.add(`${recordId} ${provider} ${url}`);
  return missing.filter(({ recordId, provider, url }) => now.has(`${recordId} ${provider} ${url}`));
}

const isHidden = (key: string): boolean => key.split('/').some((part) => part.startsWith('.'));

/**
 * Removes the orphans that are left behind, unless they have been stored again or are named by now. Gives those that
 * were removed.
 */
export async function removeOrphans(subject: Subject, orphans: readonly Orphan[]): Promise<Orphan[]> {
  const left = orphans.filter(({ kind }) => kind === 'left');
  if (left.length === 0) return [];
  const names = new Names(subject.stores);
  for await (const file of namedFiles(subject.db, subject.layout)) names.add(file);
  const removed: Orphan[] = [];
  for (const orphan of left) {
    const { storage, object } = orphan;
    if (names.hasName(object.key)) continue;
    if ((await storage.stat(object.key))?.modifiedAt !== object.modifiedAt) continue;
    await storage.remove(object.key);
    removed.push(orphan);
  }
  return removed;
}

/** Records read at a time. */
const BATCH = 500;

/** One address of a record. */
export interface NamedFile {
  readonly recordId: number;
  readonly name: string;
  readonly provider: string;
  readonly url: string;
  /** Bytes, as the record says. */
  readonly size: number;
}

/** Every address that the records name, in the order of their ids. */
export async function* namedFiles(db: Queryable, layout: Layout): AsyncGenerator<NamedFile> {
  const select = compileFileRecords(layoutOf(layout, FILE_UID).table);
  for (let last = 0; ; ) {
    const rows = await query(db, select, [last, BATCH]);
    for (const [recordId, name, provider, url, kilobytes, formats, previewUrl] of rows) {
      const record = { recordId: Number(recordId), name: String(name), provider: String(provider) };
      const bytes = Math.round(Number(kilobytes ?? 0) * 1000);
      yield { ...record, url: String(url), size: bytes };
      // another program may have stored anything below `formats`
      for (const [key, format] of Object.entries(formatsOf(formats) ?? {})) {
        if (typeof format?.url !== 'string') continue;
        const size = Number(format.sizeInBytes ?? Number(format.size ?? 0) * 1000) || 0;
        yield { ...record, name: `${key} of ${record.name}`, url: format.url, size: Math.round(size) };
      }
      if (typeof previewUrl === 'string' && previewUrl !== '') {
        yield { ...record, name: `preview of ${record.name}`, url: previewUrl, size: 0 };
      }
    }
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)![0]);
  }
}
