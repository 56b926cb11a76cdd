/** Replaces the bytes of a stored file. */
import { beginRow, transactionOf } from '../content/rows/around-rows.ts';
import { notFound, validation } from '../errors.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { logFailure } from './failures.ts';
import { type FileDetails, fileDetails, uploadedFile } from './file-hooks.ts';
import { uploadInfos } from './file-info.ts';
import { folderKey } from './file-name.ts';
import { lockRecord, readRecord, type StoredRecord, updateRecord } from './file-record.ts';
import type { MediaContext, ReceivedForm, ViewedRecords } from './media-context.ts';
import {
  type AcceptedFile,
  acceptFile,
  newPlace,
  type PreparedFile,
  placedValues,
  prepareFile,
} from './prepared-file.ts';
import type { Lease } from './safety/file-lease.ts';
import { endJournal, type ReplaceEntry, uploadEntry, writeJournal } from './safety/journal.ts';
import { journaled, undoReplace } from './safety/recovery.ts';
import { storeOf } from './storage/storage.ts';
import { backUp, type PlacedObjects, putFile, removeKeys } from './storage/stored-bytes.ts';
import { removeStored, storedFiles } from './storage/stored-files.ts';
import { placedInfo } from './update-info.ts';
import { requireFiles, storeNew } from './upload.ts';
import { imageSettings } from './upload-settings.ts';

/**
 * Replaces a file's bytes and sizes. Its address stays, so the new bytes are written under the old keys; the old bytes
 * are kept until the record is changed, and a failure restores them.
 *
 * @throws ContentError 400 for several files, an empty one, and one that cannot be uploaded; 403 for a file that the
 *   caller may not update; 404 for no such file; 507 if the disk is full; 503 if the store cannot be reached or the
 *   file is being changed.
 */
export async function replaceFile(
  context: MediaContext,
  id: number | undefined,
  form: ReceivedForm,
  records: ViewedRecords,
): Promise<string> {
  if (form.files.length > 1) throw validation('Cannot replace a file with multiple ones');
  requireFiles(form);
  const accepted = await acceptFile(form.files[0]!, context.config);
  const info = uploadInfos(form.fields.get('fileInfo'), 1)[0]!;
  if (id === undefined) throw notFound('Entity not found');
  const named = { ...info, name: info.name || accepted.name };
  const file = uploadedFile(accepted.incoming, accepted.mime);
  const details = await fileDetails(context, id, { info: named, folder: undefined }, records, file);
  return context.leases.withFile(id, (lease) =>
    replaceLeased({ context, lease, form, accepted, details, records }, id),
  );
}

interface Replacement {
  readonly context: MediaContext;
  readonly lease: Lease;
  readonly form: ReceivedForm;
  readonly accepted: AcceptedFile;
  readonly details: FileDetails;
  readonly records: ViewedRecords;
}

async function replaceLeased(replacement: Replacement, id: number): Promise<string> {
  const { context, lease, form, records } = replacement;
  const { storage, stores } = context;
  const old = await readRecord(context.writer.reading(context.database), id);
  if (!old || !(await records.isShown(context.database, id))) throw notFound('Entity not found');
  await records.requireWritten(context.database, id, 'update');
  if (storage.place) return replacePlaced(replacement, old);
  const store = storeOf(stores, old.provider);
  const own = store === undefined ? [] : storedFiles(store, old);
  const prepared = await prepareNew(replacement, old, store === storage);
  const { objects } = prepared;
  const overwritten = objects.map(({ key, file: { mime } }) => {
    return (store === storage && own.find((file) => file.key === key)) || { key, mime };
  });
  const files = await backUp(storage, overwritten, form.folder);
  const entry: ReplaceEntry = { kind: 'replace', store: storage.name, record: stateOf(old), files };
  await writeJournal(form.folder, context.databaseName, entry);
  let answer: string;
  try {
    for (const object of objects) {
      lease.require();
      await putFile(storage, object);
    }
    answer = await record(replacement, old, prepared.values);
  } catch (error) {
    await undo(replacement, entry);
    throw error;
  }
  if (store !== undefined) {
    const backedUp = new Set(store === storage ? objects.map((object) => object.key) : []);
    await removeKeys(
      store,
      own.map((file) => file.key).filter((file) => !backedUp.has(file)),
    );
  }
  await endJournal(form.folder);
  return answer;
}

/**
 * Replaces a file in a store that chooses addresses. Its objects cannot be restored, so the new bytes are stored beside
 * the old ones, which are removed at the end.
 */
async function replacePlaced(replacement: Replacement, old: StoredRecord): Promise<string> {
  const { context, form, accepted } = replacement;
  const { info } = replacement.details;
  const { storage, stores } = context;
  const place = newPlace(accepted, info, folderKey(form.fields.get('path')?.at(-1)));
  const target = { folder: form.folder, ...(await imageSettings(context.writer.reading(context.database))) };
  const prepared = await prepareFile(context, accepted, info, place, target);
  const entry = uploadEntry(storage.name, [place.hash], prepared.objects);
  const places: PlacedObjects = new Map();
  const answer = await journaled(context, {
    entry,
    folder: form.folder,
    store: () => storeNew(storage, prepared.objects, places, entry),
    record: () => record(replacement, old, placedValues(prepared, places)),
  });
  await removeStored(stores, old);
  return answer;
}

/** Prepares the new file. It keeps the key of the old file if that is in the same store. */
async function prepareNew(
  { context, form, accepted, details: { info } }: Replacement,
  { hash, ext, url }: StoredRecord,
  isHere: boolean,
): Promise<PreparedFile> {
  const key = isHere ? context.storage.keyOf(url) : undefined;
  const folders =
    key === undefined ? folderKey(form.fields.get('path')?.at(-1)) : key.split('/').slice(0, -1).join('/');
  const target = { folder: form.folder, ...(await imageSettings(context.writer.reading(context.database))) };
  return prepareFile(context, accepted, info, { hash, ext, key, folders }, target);
}

function record({ context, lease, details, records }: Replacement, old: StoredRecord, values: PreparedFile['values']) {
  const { writer, around } = context;
  return transactionOf(context, [FILE_UID], async (tx) => {
    await lease.confirm(tx);
    const write = writer.context(tx);
    const record = await lockRecord(write, old.id);
    if (!record || !(await records.isShown(tx, old.id))) throw notFound('Entity not found');
    await records.requireWritten(tx, old.id, 'update');
    const { name: _, ...info } = await placedInfo(write, old.id, details);
    const data = { ...values, formats: values.formats ?? {}, ...info };
    const begun = await beginRow(around, FILE_UID, 'update', () => ({ where: { id: old.id }, data }));
    await updateRecord(write, record, data, records.author);
    const effect = await begun.end(record.id);
    await records.requireWritten(tx, old.id, 'update');
    return effect(await records.read(tx, record.id));
  });
}

/** Without the lease another request may have written to these keys; the next start restores the file. */
async function undo({ context, lease, form }: Replacement, entry: ReplaceEntry): Promise<void> {
  try {
    lease.require();
    await undoReplace(context, entry, form.folder);
    await endJournal(form.folder);
  } catch (error) {
    logFailure(
      `file ${entry.record.id} may or may not have been replaced; the next start restores it if necessary`,
      error,
    );
  }
}

const stateOf = ({ id, updatedAt, url, provider }: StoredRecord): ReplaceEntry['record'] => ({
  id,
  updatedAt,
  url,
  provider,
});
