/** Changing what a record says of its file. */
import { notFound } from '../errors.ts';
import type { FileInfo } from './file-info.ts';
import { type FileValues, holdRecord, updateRecord } from './file-record.ts';
import type { MediaContext, ReadRecord } from './media-context.ts';

/**
 * Changes the name, texts and focal point that `info` gives; what it does not mention, or gives as null, stays.
 *
 * @throws ContentError 404 for no such file.
 */
export async function updateInfo(
  { database, writer }: MediaContext,
  id: number | undefined,
  info: FileInfo,
  read: ReadRecord,
): Promise<string> {
  return database.transaction(async (tx) => {
    const context = writer.context(tx);
    const record = id === undefined ? undefined : await holdRecord(context, id);
    if (!record) throw notFound('Entity not found');
    await updateRecord(context, record, givenInfo(info));
    return read(tx, record.id);
  });
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
