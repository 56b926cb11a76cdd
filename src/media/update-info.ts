/** Changing what a record says of its file. */
import type { Transaction } from '../db/transaction.ts';
import { notFound } from '../errors.ts';
import type { FileInfo } from './file-info.ts';
import { type FileValues, lockRecord, updateRecord } from './file-record.ts';
import type { MediaContext, ViewedRecords } from './media-context.ts';

/**
 * Changes the name, texts and focal point that `info` gives; what it does not mention, or gives as null, stays.
 *
 * @throws ContentError 403 for one that the caller may not update, 404 for no such file, 503 while others change it.
 */
export async function updateInfo(
  { database, writer, leases }: MediaContext,
  id: number | undefined,
  info: FileInfo,
  records: ViewedRecords,
): Promise<string> {
  if (id === undefined) throw notFound('Entity not found');
  const update = async (tx: Transaction): Promise<string> => {
    const context = writer.context(tx);
    const record = await lockRecord(context, id);
    if (!record || !(await records.isShown(tx, id))) throw notFound('Entity not found');
    await records.requireWritten(tx, id, 'update');
    await updateRecord(context, record, givenInfo(info), records.author);
    await records.requireWritten(tx, id, 'update');
    return records.read(tx, record.id);
  };
  // a record that changes while its bytes are replaced would look like one whose replacement is done
  return leases.withFile(id, () => database.transaction(update));
}

/** What an info gives: an empty text clears, but a file always has a name. */
export function givenInfo({ name, alternativeText, caption, focalPoint }: FileInfo): Partial<FileValues> {
  return {
    ...(name ? { name } : {}),
    ...(alternativeText === undefined || alternativeText === null ? {} : { alternativeText }),
    ...(caption === undefined || caption === null ? {} : { caption }),
    ...(focalPoint === undefined || focalPoint === null ? {} : { focalPoint }),
  };
}
