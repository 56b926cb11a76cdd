/** Changing what is told of a file, and the folder that it lies in. */
import { beginRow, transactionOf } from '../../content/rows/around-rows.ts';
import { notFound } from '../../errors.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { lockRecord, updateRecord } from '../file-record.ts';
import { toldOf } from '../hooks/before-write.ts';
import type { MediaContext, ViewedRecords } from '../media-context.ts';
import { infoValues, TOLD } from '../update-info.ts';
import type { FileChange } from './bodies.ts';
import { destination, foldersLock, putIntoFolder, takeFromFolders } from './folder-rows.ts';

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
