/** What is stored of a file, by its record. */
import type { StoredRecord } from '../file-record.ts';
import { type Storage, storeOf } from './storage.ts';
import { dropFiles, removeKeys, type StoredFile } from './stored-bytes.ts';

/** Removes the bytes and sizes of a file whose record is gone. Failures are logged. Returns whether all were removed. */
export async function removeStored(stores: readonly Storage[], record: StoredRecord): Promise<boolean> {
  const storage = storeOf(stores, record.provider);
  if (!storage) return true;
  if (storage.drop) return dropFiles(storage, [record, ...Object.values(record.formats ?? {})]);
  return removeKeys(
    storage,
    storedFiles(storage, record).map(({ key }) => key),
  );
}

/** The keys of a record's file and sizes, as far as their addresses belong to the record's store. */
export function storedFiles(storage: Storage, record: StoredRecord): StoredFile[] {
  return [record, ...Object.values(record.formats ?? {})].flatMap(({ url, mime }) => {
    const key = typeof url === 'string' ? storage.keyOf(url) : undefined;
    return key === undefined ? [] : [{ key, mime }];
  });
}
