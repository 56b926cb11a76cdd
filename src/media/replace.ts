/** Putting another file in the place of a stored one. */
import { notFound, validation } from '../errors.ts';
import { uploadInfos } from './file-info.ts';
import { folderKey } from './file-name.ts';
import { holdRecord, readRecord, updateRecord } from './file-record.ts';
import type { MediaContext, ReadRecord, ReceivedForm } from './media-context.ts';
import { acceptFile, prepareFile } from './prepared-file.ts';
import { storedFiles } from './remove.ts';
import { backUp, putFile, removeKeys } from './stored-bytes.ts';
import { requireFiles } from './upload.ts';
import { imageSettings } from './upload-settings.ts';

/**
 * Replaces a file's bytes and sizes. Its address stays, so the new bytes take the old ones' keys; until the record is
 * changed the old ones are at hand, and a failure puts them back.
 *
 * @throws ContentError 400 for several files, an empty one, and what upload refuses; 404 for no such file; 507 without
 * room, 503 when the store cannot be reached.
 */
export async function replaceFile(
  context: MediaContext,
  id: number | undefined,
  form: ReceivedForm,
  read: ReadRecord,
): Promise<string> {
  const { database, writer, storage, stores, config } = context;
  if (form.files.length > 1) throw validation('Cannot replace a file with multiple ones');
  requireFiles(form);
  const accepted = await acceptFile(form.files[0]!, config);
  const info = uploadInfos(form.fields.get('fileInfo'), 1)[0]!;
  const old = id === undefined ? undefined : await readRecord(writer.context(database), id);
  if (!old) throw notFound('Entity not found');
  const store = stores.find(({ name }) => name === old.provider);
  const own = store === undefined ? [] : storedFiles(store, old);
  const { hash, ext } = old;
  // where the file is in another store, its key here is made anew
  const key = store === storage ? storage.keyOf(old.url) : undefined;
  const folders =
    key === undefined ? folderKey(form.fields.get('path')?.at(-1)) : key.split('/').slice(0, -1).join('/');
  const target = { folder: form.folder, ...(await imageSettings(writer.context(database))) };
  const { values, objects } = await prepareFile(context, accepted, info, { hash, ext, key, folders }, target);
  const overwritten = objects.map(({ key, file: { mime } }) => {
    return (store === storage && own.find((file) => file.key === key)) || { key, mime };
  });
  const backup = await backUp(storage, overwritten, form.folder);
  let answer: string;
  try {
    for (const object of objects) await putFile(storage, object);
    answer = await database.transaction(async (tx) => {
      const write = writer.context(tx);
      const record = await holdRecord(write, old.id);
      if (!record) throw notFound('Entity not found');
      const { alternativeText, caption, focalPoint } = info;
      await updateRecord(write, record, {
        ...values,
        formats: values.formats ?? {},
        ...(alternativeText === undefined ? {} : { alternativeText }),
        ...(caption === undefined ? {} : { caption }),
        ...(focalPoint === undefined ? {} : { focalPoint }),
      });
      return read(tx, record.id);
    });
  } catch (error) {
    await backup.restore();
    throw error;
  }
  if (store === undefined) return answer;
  const kept = new Set(store === storage ? objects.map((object) => object.key) : []);
  await removeKeys(
    store,
    own.map((file) => file.key).filter((file) => !kept.has(file)),
  );
  return answer;
}
