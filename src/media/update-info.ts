/** Changes the details of files: name, texts, focal point and folder. */
import { beginRow, transactionOf } from '../content/rows/around-rows.ts';
import type { WriteContext } from '../content/rows/write-context.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound } from '../errors.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { type FileDetails, fileDetails } from './file-hooks.ts';
import type { FileInfo } from './file-info.ts';
import { type FileValues, lockRecord, updateRecord } from './file-record.ts';
import { destination, foldersLock, putIntoFolder, takeFromFolders } from './library/folder-rows.ts';
import { putFile } from './library/folders.ts';
import type { FileChange } from './library/requests.ts';
import type { MediaContext, ViewedRecords } from './media-context.ts';

/**
 * Changes name, texts and focal point, for the content API. Values that are missing or null stay.
 *
 * @throws ContentError 403 for a file that the caller may not update, 404 for no such file, 503 while it is being
 *   changed, and errors of the project's hooks.
 */
export async function updateInfo(
  media: MediaContext,
  id: number | undefined,
  info: FileInfo,
  records: ViewedRecords,
): Promise<string> {
  if (id === undefined) throw notFound('Entity not found');
  const { writer, leases, around } = media;
  const details = await fileDetails(media, id, { info: changedInfo(info), folder: undefined }, records);
  const update = async (tx: Transaction): Promise<string> => {
    const context = writer.context(tx);
    const record = await lockRecord(context, id);
    if (!record || !(await records.isShown(tx, id))) throw notFound('Entity not found');
    await records.requireWritten(tx, id, 'update');
    const values = await placedInfo(context, id, details);
    const begun = await beginRow(around, FILE_UID, 'update', () => ({
      where: { id },
      data: values,
      kept: DETAIL_COLUMNS,
    }));
    await updateRecord(context, record, values, records.author);
    const effect = await begun.end(id);
    await records.requireWritten(tx, id, 'update');
    return effect(await records.read(tx, record.id));
  };
  // if the record changed while its bytes are replaced, the replacement would seem to be finished
  return leases.withFile(id, () => transactionOf(media, [FILE_UID], update), media.database.current?.tx);
}

/** The columns that hooks see of a file whose details change. */
const DETAIL_COLUMNS: readonly string[] = ['name', 'alternativeText', 'caption', 'focalPoint', 'folderPath'];

/** The changed values of an info: an empty text clears a value, but not the name. */
function changedInfo({ name, ...info }: FileInfo): FileInfo {
  const values = Object.entries(info).filter(([, value]) => value !== undefined && value !== null);
  return { ...(name ? { name } : {}), ...Object.fromEntries(values) };
}

/** The record's values for an info. The name cannot be removed. */
function infoValues({ name, alternativeText, caption, focalPoint }: FileInfo): Partial<FileValues> {
  return {
    ...(name ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(caption === undefined ? {} : { caption }),
    ...(focalPoint === undefined ? {} : { focalPoint }),
  };
}

/**
 * The record's values for details, after moving the file to their folder.
 *
 * @throws ContentError 400 for a folder that does not exist.
 */
export async function placedInfo(
  write: WriteContext,
  file: number,
  { info, folder }: FileDetails,
): Promise<Partial<FileValues>> {
  const values = infoValues(info);
  return folder === undefined ? values : { ...values, folderPath: await putFile(write, file, folder) };
}

/**
 * Changes a file, for the administration. Returns it as JSON text; missing values stay.
 *
 * @throws ContentError 400 for a folder that does not exist, 404 for no such file, 503 while it is being changed.
 */
export async function changeFile(
  media: MediaContext,
  id: number,
  { folder: folderId, ...given }: FileChange,
  records: ViewedRecords,
): Promise<string> {
  const { writer, leases, around } = media;
  const { info, folder } = await fileDetails(media, id, { info: given, folder: folderId }, records);
  // if the record changed while its bytes are replaced, the replacement would seem to be finished
  return leases.withFile(id, () =>
    transactionOf(media, [FILE_UID], async (tx) => {
      const write = writer.context(tx);
      if (folder !== undefined) await tx.lock(() => [foldersLock(true)]);
      const record = await lockRecord(write, id);
      if (!record || !(await records.isShown(tx, id))) throw notFound();
      const values = infoValues(info);
      const place = folder === undefined ? undefined : await destination(write, folder, 'folder');
      const data = { ...values, ...(place ? { folderPath: place.path } : {}) };
      const begun = await beginRow(around, FILE_UID, 'update', () => ({
        where: { id },
        data: { ...data, ...(place ? { folder: place.id } : {}) },
        kept: DETAIL_COLUMNS,
      }));
      await updateRecord(write, record, data, records.author);
      if (place) {
        await takeFromFolders(write, [id]);
        if (place.id !== null) await putIntoFolder(write, [id], place.id);
      }
      const effect = await begun.end(id);
      return effect(await records.read(tx, id));
    }),
  );
}
