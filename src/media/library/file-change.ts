/** Changing what is told of a file, and the folder that it lies in. */
import { notFound } from '../../errors.ts';
import { type FileValues, lockRecord, updateRecord } from '../file-record.ts';
import type { MediaContext, ViewedRecords } from '../media-context.ts';
import type { FileChange } from './bodies.ts';
import { destination, foldersLock, putIntoFolder, takeFromFolders } from './folder-rows.ts';

/**
 * Changes a file, and gives it as JSON text. What the change does not mention stays.
 *
 * @throws ContentError 400 for a folder that is not there, 404 for no such file, 503 while others change it.
 */
export function changeFile(
  { database, writer, leases }: MediaContext,
  id: number,
  { folder, ...info }: FileChange,
  records: ViewedRecords,
): Promise<string> {
  // a record that changes while its bytes are replaced would look like one whose replacement is done
  return leases.withFile(id, () =>
    database.transaction(async (tx) => {
      const write = writer.context(tx);
      if (folder !== undefined) await tx.lock(() => [foldersLock(true)]);
      const record = await lockRecord(write, id);
      if (!record || !(await records.isShown(tx, id))) throw notFound();
      const values: Partial<FileValues> = valuesOf(info);
      if (folder === undefined) await updateRecord(write, record, values, records.author);
      else {
        const place = await destination(write, folder, 'folder');
        await updateRecord(write, record, { ...values, folderPath: place.path }, records.author);
        await takeFromFolders(write, [id]);
        if (place.id !== null) await putIntoFolder(write, [id], place.id);
      }
      return records.read(tx, id);
    }),
  );
}

/** A file always has a name; the rest may be taken away. */
function valuesOf({ name, alternativeText, caption, focalPoint }: Omit<FileChange, 'folder'>): Partial<FileValues> {
  return {
    ...(name ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(caption === undefined ? {} : { caption }),
    ...(focalPoint === undefined ? {} : { focalPoint }),
  };
}
