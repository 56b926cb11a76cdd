/** Removes files: the record and all links to it in one transaction, then the bytes. */
import { removeRows } from '../content/documents/removal.ts';
import { beginRow, transactionOf } from '../content/rows/around-rows.ts';
import { notFound } from '../errors.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { fileType, lockRecord, type StoredRecord } from './file-record.ts';
import type { MediaContext, ViewedRecords } from './media-context.ts';
import type { Lease } from './safety/file-lease.ts';
import { type Storage, storeOf } from './storage/storage.ts';
import { dropFiles, removeKeys, type StoredFile } from './storage/stored-bytes.ts';

/**
 * Removes a file and returns its record as it was. Within a transaction of other code, its bytes are removed after the
 * commit.
 *
 * @throws ContentError 403 for a file that the caller may not remove, 404 for no such file, 503 while it is being
 *   changed.
 */
export function removeFile(context: MediaContext, id: number, records: ViewedRecords): Promise<string> {
  const remove = (lease: Lease): Promise<string> => removeLeased(context, lease, id, records);
  return context.leases.withFile(id, remove, context.database.current?.tx);
}

async function removeLeased(media: MediaContext, lease: Lease, id: number, records: ViewedRecords): Promise<string> {
  const { writer, stores, around } = media;
  const { record, answer } = await transactionOf(media, [FILE_UID], async (tx) => {
    await lease.confirm(tx);
    const write = writer.context(tx);
    const record = await lockRecord(write, id);
    if (!record || !(await records.isShown(tx, id))) throw notFound('file.notFound');
    await records.requireWritten(tx, id, 'delete');
    const answer = await records.read(tx, id);
    const begun = await beginRow(around, FILE_UID, 'delete', () => ({ where: { id } }));
    await removeRows(
      write,
      fileType(write),
      record.documentId,
      [{ id, locale: null, published: true, createdAt: 0, updatedAt: record.updatedAt }],
      { name: record.name },
    );
    await begun.end(id);
    return { record, answer };
  });
  const { current } = media.database;
  // removed bytes cannot be restored
  if (current) current.onEnd((isCommitted) => isCommitted && removeStored(stores, record));
  else await removeStored(stores, record);
  return answer;
}

/** Removes the bytes and sizes of a file whose record is gone. */
export async function removeStored(stores: readonly Storage[], record: StoredRecord): Promise<void> {
  const storage = storeOf(stores, record.provider);
  if (!storage) return;
  if (storage.drop) return dropFiles(storage, [record, ...Object.values(record.formats ?? {})]);
  await removeKeys(
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
