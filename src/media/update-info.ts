/** Changing what a record says of its file. */

import { beginRow, transactionOf } from '../content/rows/around-rows.ts';
import type { WriteContext } from '../content/rows/write-context.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound } from '../errors.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { type ToldFile, toldOf } from './file-hooks.ts';
import type { FileInfo } from './file-info.ts';
import { type FileValues, lockRecord, updateRecord } from './file-record.ts';
import { destination, foldersLock, putIntoFolder, takeFromFolders } from './library/folder-rows.ts';
import { putFile } from './library/folders.ts';
import type { FileChange } from './library/requests.ts';
import type { MediaContext, ViewedRecords } from './media-context.ts';

/**
 * Changes the name, texts and focal point that `info` gives; what it does not mention, or gives as null, stays.
 *
 * @throws ContentError 403 for one that the caller may not update, 404 for no such file, 503 while others change it, and
 * whatever code refuses it with.
 */
export async function updateInfo(
  media: MediaContext,
  id: number | undefined,
  info: FileInfo,
  records: ViewedRecords,
): Promise<string> {
  if (id === undefined) throw notFound('Entity not found');
  const { writer, leases, around } = media;
  const told = await toldOf(media, id, { info: givenInfo(info), folder: undefined }, records);
  const update = async (tx: Transaction): Promise<string> => {
    const context = writer.context(tx);
    const record = await lockRecord(context, id);
    if (!record || !(await records.isShown(tx, id))) throw notFound('Entity not found');
    await records.requireWritten(tx, id, 'update');
    const values = await placedInfo(context, id, told);
    const begun = await beginRow(around, FILE_UID, 'update', () => ({ where: { id }, data: values, kept: TOLD }));
    await updateRecord(context, record, values, records.author);
    const left = await begun.end(id);
    await records.requireWritten(tx, id, 'update');
    return left(await records.read(tx, record.id));
  };
  // a record that changes while its bytes are replaced would look like one whose replacement is done
  return leases.withFile(id, () => transactionOf(media, [FILE_UID], update), media.database.current?.tx);
}

/** What is told of a file whose info changes, whether that does or not. */
export const TOLD: readonly string[] = ['name', 'alternativeText', 'caption', 'focalPoint', 'folderPath'];

/** What an info gives: an empty text clears, but a file always has a name. */
function givenInfo({ name, ...info }: FileInfo): FileInfo {
  const given = Object.entries(info).filter(([, value]) => value !== undefined && value !== null);
  return { ...(name ? { name } : {}), ...Object.fromEntries(given) };
}

/** What is told of a file, as its record has it: a file always has a name, the rest may be taken away. */
export function infoValues({ name, alternativeText, caption, focalPoint }: FileInfo): Partial<FileValues> {
  return {
    ...(name ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(caption === undefined ? {} : { caption }),
    ...(focalPoint === undefined ? {} : { focalPoint }),
  };
}

/** The same of a file that is put into a folder where that is told. @throws ContentError 400 for one that is not there. */
export async function placedInfo(
  write: WriteContext,
  file: number,
  { info, folder }: ToldFile,
): Promise<Partial<FileValues>> {
  const values = infoValues(info);
  return folder === undefined ? values : { ...values, folderPath: await putFile(write, file, folder) };
}

/**
 * Changes a file, and gives it as JSON text. What the change does not mention stays.
 *
 * @throws ContentError 400 for a folder that is not there, 404 for no such file, 503 while others change it.
 */
export async function changeFile(
  media: MediaContext,
  id: number,
  { folder: asked, ...given }: FileChange,
  records: ViewedRecords,
): Promise<string> {
  const { writer, leases, around } = media;
  const { info, folder } = await toldOf(media, id, { info: given, folder: asked }, records);
  // a record that changes while its bytes are replaced would look like one whose replacement is done
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
        kept: TOLD,
      }));
      await updateRecord(write, record, data, records.author);
      if (place) {
        await takeFromFolders(write, [id]);
        if (place.id !== null) await putIntoFolder(write, [id], place.id);
      }
      const left = await begun.end(id);
      return left(await records.read(tx, id));
    }),
  );
}
