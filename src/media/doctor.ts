/**
 * Compares the stored objects with the addresses in records, and removes objects that a failed delete has left behind.
 * Records are never removed, since only a person can know whether their bytes can be recovered.
 */
import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { FILES_TABLE } from '../schema/layout/layout.ts';
import { compileFileRecords } from '../sql/files.ts';
import { formatsOf } from './file-record.ts';
import { type Storage, type StoredObject, storeOf } from './storage/storage.ts';
import { trashedRecords } from './trashed.ts';

/**
 * Milliseconds after which an object without a record counts as left behind. An upload stores its bytes before its
 * record.
 */
const SETTLED = 60 * 60 * 1000;

/**
 * Names of uploads, also in the reference: a slug, ten hexadecimal digits, an extension. Ten digits without a letter
 * are more often a time than a hash.
 */
const UPLOAD_NAME = /_(?=\d*[a-f])[0-9a-f]{10}(?:\.[^./]*)?$/;

export interface Subject {
  readonly db: Queryable;
  /** All configured stores. */
  readonly stores: readonly Storage[];
}

/** An object without a record. */
export interface Orphan {
  readonly storage: Storage;
  readonly object: StoredObject;
  /**
   * `left`: an upload whose record is gone, which can be removed. `recent`: it may belong to an upload in progress.
   * `elsewhere`: a record has a file of this name in another store or under another address. `unclaimed`: no record
   * belongs to this store, so the database may be another one. `foreign`: its name is not that of an upload.
   */
  readonly kind: 'left' | 'recent' | 'elsewhere' | 'unclaimed' | 'foreign';
}

export interface FileFindings {
  readonly orphans: readonly Orphan[];
  /** Addresses in records without an object. */
  readonly missing: readonly NamedFile[];
}

/**
 * Examines all stores and records. Records of stores that are not configured, and addresses outside of their store,
 * cannot be checked.
 *
 * @throws Error of a store that cannot be reached.
 */
export async function examineFiles(subject: Subject, now = Date.now()): Promise<FileFindings> {
  const objects = new Map<Storage, Map<string, StoredObject>>();
  for (const storage of subject.stores) {
    const stored = new Map<string, StoredObject>();
    for await (const object of storage.list()) if (!isHidden(object.key)) stored.set(object.key, object);
    objects.set(storage, stored);
  }
  // records are read after the objects, so an object without a record is either recent or left behind
  const missing: NamedFile[] = [];
  const claimed = new Set<Storage>();
  const names = await Names.ofTrash(subject);
  for await (const file of namedFiles(subject.db)) {
    names.add(file);
    const storage = storeOf(subject.stores, file.provider);
    const key = storage?.keyOf(file.url);
    if (!storage || key === undefined) continue;
    claimed.add(storage);
    if (!objects.get(storage)!.has(key) && !(await storage.stat(key))) missing.push(file);
  }
  await names.addTrash(subject.db);
  const kindOf = ({ key, modifiedAt }: StoredObject, storage: Storage): Orphan['kind'] => {
    if (!UPLOAD_NAME.test(key)) return 'foreign';
    if (!claimed.has(storage)) return 'unclaimed';
    if (names.hasName(key)) return 'elsewhere';
    return now - modifiedAt < SETTLED ? 'recent' : 'left';
  };
  const orphans = [...objects].flatMap(([storage, stored]) =>
    [...stored.values()]
      .filter(({ key }) => !names.hasKey(storage, key))
      .map((object): Orphan => ({ storage, object, kind: kindOf(object, storage) })),
  );
  return { orphans, missing: await stillNamed(subject, missing) };
}

/**
 * All addresses in records in any form, those in the trash included, whatever their provider or an earlier configuration. The last part of an
 * address is a name that no other upload has.
 */
class Names {
  readonly #keys: ReadonlyMap<Storage, Set<string>>;
  readonly #names = new Set<string>();

  constructor(stores: readonly Storage[]) {
    this.#keys = new Map(stores.map((storage) => [storage, new Set()]));
  }

  /** The addresses in the trash. A file may be restored meanwhile, so they are read before those of records. */
  static async ofTrash({ db, stores }: Subject): Promise<Names> {
    const names = new Names(stores);
    await names.addTrash(db);
    return names;
  }

  /** Adds the addresses in the trash. A file may be deleted meanwhile, so they are also read after those of records. */
  async addTrash(db: Queryable): Promise<void> {
    for await (const { url, formats, previewUrl } of trashedRecords(db)) {
      const sizes = Object.values(formats ?? {}).map((format) => format?.url);
      for (const one of [url, previewUrl, ...sizes]) if (typeof one === 'string') this.add({ url: one });
    }
  }

  add({ url }: Pick<NamedFile, 'url'>): void {
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

  /** Whether a record has this object. */
  hasKey(storage: Storage, key: string): boolean {
    return this.#keys.get(storage)!.has(key);
  }

  /** Whether a record has an object of this name in any store. */
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

/** Leaves out files whose records were deleted while the stores were listed. */
async function stillNamed({ db }: Pick<Subject, 'db'>, missing: readonly NamedFile[]): Promise<NamedFile[]> {
  if (missing.length === 0) return [];
  const now = new Set<string>();
  for await (const { recordId, provider, url } of namedFiles(db)) now.add(`${recordId} ${provider} ${url}`);
  return missing.filter(({ recordId, provider, url }) => now.has(`${recordId} ${provider} ${url}`));
}

const isHidden = (key: string): boolean => key.split('/').some((part) => part.startsWith('.'));

/**
 * Removes orphans of kind `left` unless they were stored again or have a record now. Returns those that were removed.
 */
export async function removeOrphans(subject: Subject, orphans: readonly Orphan[]): Promise<Orphan[]> {
  const abandoned = orphans.filter(({ kind }) => kind === 'left');
  if (abandoned.length === 0) return [];
  const names = await Names.ofTrash(subject);
  for await (const file of namedFiles(subject.db)) names.add(file);
  await names.addTrash(subject.db);
  const removed: Orphan[] = [];
  for (const orphan of abandoned) {
    const { storage, object } = orphan;
    if (names.hasName(object.key)) continue;
    if ((await storage.stat(object.key))?.modifiedAt !== object.modifiedAt) continue;
    await storage.remove(object.key);
    removed.push(orphan);
  }
  return removed;
}

/** Records read at once. */
const BATCH = 500;

/** An address of a record. */
export interface NamedFile {
  readonly recordId: number;
  readonly name: string;
  readonly provider: string;
  readonly url: string;
  /** Bytes according to the record. */
  readonly size: number;
}

/** All addresses of records, including formats and previews made by Strapi's panel, in the order of ids. */
export async function* namedFiles(db: Queryable): AsyncGenerator<NamedFile> {
  const select = compileFileRecords(FILES_TABLE);
  for (let last = 0; ; ) {
    const rows = await query(db, select, [last, BATCH]);
    for (const [recordId, name, provider, url, kilobytes, formats, previewUrl] of rows) {
      const record = { recordId: Number(recordId), name: String(name), provider: String(provider) };
      const bytes = Math.round(Number(kilobytes ?? 0) * 1000);
      yield { ...record, url: String(url), size: bytes };
      // another program may have stored anything in `formats`
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
