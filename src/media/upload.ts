/** Storing new files: bytes first, then records and links in one transaction. */

import type { Viewer } from '../access/view.ts';
import { type AroundRows, type BegunWrite, beginRow, transactionOf } from '../content/rows/around-rows.ts';
import type { WriteContext } from '../content/rows/write-context.ts';
import { validation } from '../errors.ts';
import { FILE_UID, FOLDER_UID } from '../schema/catalog.ts';
import { type ToldFile, toldOfNew, uploadedFile } from './file-hooks.ts';
import { type FileInfo, uploadInfos } from './file-info.ts';
import { findLinkRow, type LinkWish, linkFiles, linkWish, lockLinkRow } from './file-linking.ts';
import { folderKey } from './file-name.ts';
import { insertRecord } from './file-record.ts';
import { destination, type FolderPlace, foldersLock, holdApiFolder, putIntoFolder } from './library/folder-rows.ts';
import type { MediaContext, ReceivedForm, ViewedRecords } from './media-context.ts';
import {
  type AcceptedFile,
  acceptFile,
  newPlace,
  type PreparedFile,
  placedValues,
  prepareFile,
} from './prepared-file.ts';
import { type UploadEntry, uploadEntry } from './safety/journal.ts';
import { journaled, lockUpload } from './safety/recovery.ts';
import type { KeyedFile, Storage } from './storage/storage.ts';
import { type Places, placedFile, putNew } from './storage/stored-bytes.ts';
import { imageSettings } from './upload-settings.ts';

/** The folder that new files go to. */
interface Destination {
  /** Null: none; undefined: the one that `hold` gives, which may not be there yet. */
  readonly id: number | null | undefined;
  /** Gives it, and keeps it where it is until the transaction ends. */
  hold(context: WriteContext, around: AroundRows | undefined): Promise<FolderPlace>;
}

const API_FOLDER: Destination = { id: undefined, hold: holdApiFolder };

/** A folder of the library. */
export const libraryFolder = (id: number | null): Destination => ({
  id,
  async hold(context) {
    await context.tx.lock(() => [foldersLock(true)]);
    return destination(context, id, 'folder');
  },
});

/**
 * Stores the files of a form with a record each, in its order, and links them where it asks for that. One that is
 * refused refuses all.
 *
 * @param folder that they go to, where code does not say otherwise; the folder of the API when left out.
 * @throws ContentError 403 for a link to what the caller may not update; 400 for a form without files, an empty file, a
 * `fileInfo`, name, type or image that is wrong, and a reference to nothing; 507 without room, 503 when the store
 * cannot be reached.
 */
export async function uploadFiles(
  context: MediaContext,
  form: ReceivedForm,
  viewer: Viewer,
  records: ViewedRecords,
  folder: Destination = API_FOLDER,
): Promise<string> {
  const { database, reader, writer, locales, storage } = context;
  const wish = linkWish(writer.reading(database), viewer, form.fields);
  requireFiles(form);
  const given = uploadInfos(form.fields.get('fileInfo'), form.files.length);
  const defaultLocale = await locales.default();
  if (wish) await findLinkRow(writer.reading(database), wish, (one) => reader.shown(database, one), defaultLocale);
  const files = await accepted(context, form, { given, folder: folder.id, records });
  const prepared = await prepareAll(context, form, files);
  const objects = prepared.flatMap((file) => file.objects);
  const hashes = prepared.map(({ values }) => values.hash);
  const entry = uploadEntry(storage.name, hashes, objects);
  const places: Places = new Map();
  const record = () =>
    transactionOf(context, [FILE_UID, FOLDER_UID], async (tx) => {
      const write = writer.context(tx);
      const folders = await foldersOf(write, files, folder, context.around);
      await lockUpload(tx, hashes);
      const row = wish && (await lockLinkRow(write, wish, (one) => reader.shown(tx, one), defaultLocale));
      const made: { readonly id: number; readonly begun: BegunWrite }[] = [];
      for (const [index, file] of prepared.entries()) {
        const { alternativeText = null, caption = null, focalPoint = null } = files[index]!.told.info;
        const texts = { alternativeText, caption, focalPoint };
        const folder = folders[index]!;
        const data = { ...placedValues(file, places), ...texts, folderPath: folder.path };
        const sizeInBytes = file.objects[0]!.file.size;
        const begun = await beginRow(context.around, FILE_UID, 'create', () => ({
          data: { ...present(data), focalPoint, sizeInBytes, folder: folder.id, ...relatedOf(wish) },
        }));
        const id = await insertRecord(write, data, records.author);
        if (folder.id !== null) await putIntoFolder(write, [id], folder.id);
        made.push({ id, begun });
      }
      const ids = made.map(({ id }) => id);
      if (wish && row !== undefined) await linkFiles(write, wish, row, ids);
      const answers: string[] = [];
      for (const { id, begun } of made) {
        const left = await begun.end(id);
        await records.requireWritten(tx, id, 'create');
        answers.push(left(await records.read(tx, id)));
      }
      return `[${answers.join()}]`;
    });
  return journaled(context, {
    entry,
    folder: form.folder,
    store: () => storeNew(storage, objects, places, entry),
    record,
  });
}

/** Stores new files; what undoes that learns where a store has put them that chooses that by itself. */
export async function storeNew(
  storage: Storage,
  objects: readonly KeyedFile[],
  places: Places,
  { placed }: UploadEntry,
): Promise<void> {
  await putNew(storage, objects, places);
  for (const object of objects) {
    const place = places.get(object.key);
    if (place && placed) placed[object.key] = placedFile(object, place);
  }
}

/** Values that are there: code is told of no others. */
const present = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** What the files of a form are linked to, as code is told of it. */
function relatedOf(wish: LinkWish | undefined): { readonly related?: object } {
  if (!wish) return {};
  const { model, refId, attribute } = wish;
  return { related: [{ id: refId, __type: model.uid, __pivot: { field: attribute.name } }] };
}

/**
 * Refuses a form without files, and files without bytes.
 *
 * @throws ContentError 400.
 */
export function requireFiles({ files }: ReceivedForm): void {
  if (files.length === 0 || files.some(({ size }) => size === 0)) throw validation('Files are empty');
}

/** A file that may be stored, and what is told of it. */
interface Told {
  readonly file: AcceptedFile;
  readonly told: ToldFile;
}

/** The files of a form as far as they can be stored: all names and types before any image is worked on. */
async function accepted(
  context: MediaContext,
  { files }: ReceivedForm,
  { given, folder, records }: { given: readonly FileInfo[]; folder: Destination['id']; records: ViewedRecords },
): Promise<Told[]> {
  const all: AcceptedFile[] = [];
  for (const file of files) all.push(await acceptFile(file, context.config));
  const told: Told[] = [];
  for (const [index, file] of all.entries()) {
    const info = { ...given[index], name: given[index]!.name || file.name };
    told.push({
      file,
      told: await toldOfNew(context, { info, folder }, uploadedFile(file.incoming, file.mime), records),
    });
  }
  return told;
}

/** The folder of each file. @throws ContentError 400 for one that is not there. */
async function foldersOf(
  write: WriteContext,
  files: readonly Told[],
  usual: Destination,
  around: AroundRows | undefined,
): Promise<FolderPlace[]> {
  const held = new Map<number | null | undefined, FolderPlace>();
  const places: FolderPlace[] = [];
  for (const { told } of files) {
    const id = told.folder === undefined ? usual.id : told.folder;
    const place = held.get(id) ?? (await (id === usual.id ? usual : libraryFolder(id!)).hold(write, around));
    held.set(id, place);
    places.push(place);
  }
  return places;
}

async function prepareAll(
  context: MediaContext,
  { fields, folder }: ReceivedForm,
  files: readonly Told[],
): Promise<PreparedFile[]> {
  const folders = folderKey(fields.get('path')?.at(-1));
  const target = { folder, ...(await imageSettings(context.writer.reading(context.database))) };
  const prepared: PreparedFile[] = [];
  // one after another: requests share the places at the images' workbench, not the files of one
  for (const { file, told } of files) {
    prepared.push(await prepareFile(context, file, told.info, newPlace(file, told.info, folders), target));
  }
  return prepared;
}
