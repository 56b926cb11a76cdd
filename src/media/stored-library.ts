/** Everything that is stored of a media library: files, their formats and previews, and what the trash has of them. */
import type { Queryable } from '../db/interface/queryable.ts';
import { namedFiles } from './doctor.ts';
import { type Storage, storeOf } from './storage/storage.ts';
import { storedFiles } from './storage/stored-files.ts';
import { trashedRecords } from './trashed.ts';

/** An object that a record names. */
export interface LibraryObject {
  /** The `provider` of the record. */
  readonly provider: string;
  readonly key: string;
  /** Whether it is in the trash, hidden from the web. */
  readonly isHidden: boolean;
}

/**
 * The objects of all records whose store is configured, those in the trash last. Addresses elsewhere are left out.
 *
 * @param hasTrash whether the database has a trash.
 */
export async function* storedLibrary(
  db: Queryable,
  stores: readonly Storage[],
  hasTrash: boolean,
): AsyncGenerator<LibraryObject> {
  for await (const { provider, url } of namedFiles(db)) {
    const key = storeOf(stores, provider)?.keyOf(url);
    if (key !== undefined) yield { provider, key, isHidden: false };
  }
  if (!hasTrash) return;
  for await (const record of trashedRecords(db)) {
    const storage = storeOf(stores, record.provider);
    const isHidden = storage?.hide !== undefined;
    for (const { key } of storage ? storedFiles(storage, record) : [])
      yield { provider: record.provider, key, isHidden };
  }
}
