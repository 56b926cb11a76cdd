/**
 * Removes files: the record and all links to it in one transaction, then the bytes, unless the file is in the trash
 * (`history/recorder.ts`). Its bytes stay stored, but are not served.
 */
import { removeRows } from '../content/documents/removal.ts';
import { beginRow, transactionOf } from '../content/rows/around-rows.ts';
import { notFound } from '../errors.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { logFailure } from './failures.ts';
import { fileType, lockRecord, readRecord, type StoredRecord } from './file-record.ts';
import type { MediaContext, ViewedRecords } from './media-context.ts';
import type { Lease } from './safety/file-lease.ts';
import { removeStored } from './storage/stored-files.ts';
import { hideStored } from './trashed.ts';

/**
 * Removes a file and returns its record as it was. Within a transaction of other code, its bytes are removed after the
 * commit.
 *
 * @param folder the document id of the folder with which it is removed.
 * @throws ContentError 403 for a file that the caller may not remove, 404 for no such file, 503 while it is being
 *   changed.
 */
export function removeFile(
  context: MediaContext,
  id: number,
  records: ViewedRecords,
  folder?: string,
): Promise<string> {
  const remove = (lease: Lease): Promise<string> => removeLeased(context, lease, id, records, folder);
  return context.leases.withFile(id, remove, context.database.current?.tx);
}

async function removeLeased(
  media: MediaContext,
  lease: Lease,
  id: number,
  records: ViewedRecords,
  folder: string | undefined,
): Promise<string> {
  const { writer, around } = media;
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
      { name: record.name, folder },
    );
    await begun.end(id);
    return { record, answer };
  });
  const { current } = media.database;
  // removed bytes cannot be restored
  if (!current) await removeBytes(media, record);
  else current.onEnd((isCommitted) => isCommitted && afterCommit(media, record));
  return answer;
}

/** The lease of the removal ended with its transaction: a file in the trash may have been restored since. */
function afterCommit(media: MediaContext, record: StoredRecord): Promise<void> {
  const { leases, writer, database, hasTrash } = media;
  if (!hasTrash) return removeBytes(media, record);
  return leases.withFile(record.id, async () => {
    if (!(await readRecord(writer.reading(database), record.id))) await removeBytes(media, record);
  });
}

async function removeBytes({ stores, hasTrash }: MediaContext, record: StoredRecord): Promise<void> {
  if (!hasTrash) await removeStored(stores, record);
  else {
    await hideStored(stores, record, true).catch((error: unknown) =>
      logFailure(`the stored file ${record.url} in the trash is still served`, error),
    );
  }
}
