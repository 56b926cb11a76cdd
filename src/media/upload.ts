/** Stores new files: first the bytes, then records and links in one transaction. */
import type { Viewer } from '../access/view.ts';
import { type AroundRows, beginRow, type StartedWrite, transactionOf } from '../content/rows/around-rows.ts';
import type { WriteContext } from '../content/rows/write-context.ts';
import { type ContentError, validation } from '../errors.ts';
import { reason } from '../reasons.ts';
import { FILE_UID, FOLDER_UID } from '../schema/catalog.ts';
import { type FileDetails, newFileDetails, uploadedFile } from './file-hooks.ts';
import { type FileInfo, uploadInfos } from './file-info.ts';
import { findLinkRow, type LinkRequest, linkFiles, linkRequest, lockLinkRow } from './file-linking.ts';
import { folderKey } from './file-name.ts';
import { insertRecord } from './file-record.ts';
import { destination, type FilePlace, foldersLock, holdApiFolder, putIntoFolder } from './library/folder-rows.ts';
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
import { type PlacedObjects, placedFile, putNew } from './storage/stored-bytes.ts';
import { imageSettings } from './upload-settings.ts';

/** The folder of new files. */
interface Destination {
  /** Null for none; undefined for the folder returned by `hold`, which may not exist yet. */
  readonly id: number | null | undefined;
  /** Returns the folder and locks it until the transaction ends. */
  hold(context: WriteContext, around: AroundRows | undefined): Promise<FilePlace>;
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
 * Stores the files of a form with a record each, in order, and links them if requested. An invalid file refuses all of
 * them.
 *
 * @param folder the folder unless the project's code chooses another; default: that of the API.
 * @throws ContentError 403 for a link to a document that the caller may not update; 400 for a form without files, an
 *   empty file, a wrong `fileInfo`, name, type or image, and a reference to nothing; 507 if the disk is full; 503 if
 *   the store cannot be reached.
 */
export async function uploadFiles(
  context: MediaContext,
  form: ReceivedForm,
  viewer: Viewer,
  records: ViewedRecords,
  folder: Destination = API_FOLDER,
): Promise<string> {
  const { database, reader, writer, locales, storage } = context;
  const link = linkRequest(writer.reading(database), viewer, form.fields);
  requireFiles(form);
  const infos = uploadInfos(form.fields.get('fileInfo'), form.files.length);
  const defaultLocale = await locales.default();
  if (link) await findLinkRow(writer.reading(database), link, (one) => reader.shown(database, one), defaultLocale);
  const files = await accepted(context, form, { infos, folder: folder.id, records });
  const prepared = await prepareAll(context, form, files);
  const objects = prepared.flatMap((file) => file.objects);
  const hashes = prepared.map(({ values }) => values.hash);
  const entry = uploadEntry(storage.name, hashes, objects);
  const places: PlacedObjects = new Map();
  const record = () =>
    transactionOf(context, [FILE_UID, FOLDER_UID], async (tx) => {
      const write = writer.context(tx);
      const folders = await foldersOf(write, files, folder, context.around);
      await lockUpload(tx, hashes);
      const row = link && (await lockLinkRow(write, link, (one) => reader.shown(tx, one), defaultLocale));
      const created: { readonly id: number; readonly begun: StartedWrite }[] = [];
      for (const [index, file] of prepared.entries()) {
        const { alternativeText = null, caption = null, focalPoint = null } = files[index]!.details.info;
        const texts = { alternativeText, caption, focalPoint };
        const folder = folders[index]!;
        const data = { ...placedValues(file, places), ...texts, folderPath: folder.path };
        const sizeInBytes = file.objects[0]!.file.size;
        const begun = await beginRow(context.around, FILE_UID, 'create', () => ({
          data: { ...present(data), focalPoint, sizeInBytes, folder: folder.id, ...relatedOf(link) },
        }));
        const id = await insertRecord(write, data, records.author);
        if (folder.id !== null) await putIntoFolder(write, [id], folder.id);
        created.push({ id, begun });
      }
      const ids = created.map(({ id }) => id);
      if (link && row !== undefined) await linkFiles(write, link, row, ids);
      const answers: string[] = [];
      for (const { id, begun } of created) {
        const effect = await begun.end(id);
        await records.requireWritten(tx, id, 'create');
        answers.push(effect(await records.read(tx, id)));
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

/** Stores new files. The entry learns the addresses that a store has chosen, so that they can be removed. */
export async function storeNew(
  storage: Storage,
  objects: readonly KeyedFile[],
  places: PlacedObjects,
  { placed }: UploadEntry,
): Promise<void> {
  await putNew(storage, objects, places);
  for (const object of objects) {
    const place = places.get(object.key);
    if (place && placed) placed[object.key] = placedFile(object, place);
  }
}

/** The values that are not null; hooks do not see others. */
const present = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** The link of a form, as hooks see it. */
function relatedOf(link: LinkRequest | undefined): { readonly related?: object } {
  if (!link) return {};
  const { model, refId, attribute } = link;
  return { related: [{ id: refId, __type: model.uid, __pivot: { field: attribute.name } }] };
}

/** The refusal of a form without files. */
export const noFiles = (): ContentError => validation('Files are empty', {}, reason('emptyFile'));

/** Refuses a form without files, and empty files. @throws ContentError 400. */
export function requireFiles({ files }: ReceivedForm): void {
  if (files.length === 0 || files.some(({ size }) => size === 0)) throw noFiles();
}

/** A permitted file and its details. */
interface DetailedFile {
  readonly file: AcceptedFile;
  readonly details: FileDetails;
}

/** Checks the names and types of all files before any image is processed. */
async function accepted(
  context: MediaContext,
  { files }: ReceivedForm,
  { infos, folder, records }: { infos: readonly FileInfo[]; folder: Destination['id']; records: ViewedRecords },
): Promise<DetailedFile[]> {
  const all: AcceptedFile[] = [];
  for (const file of files) all.push(await acceptFile(file, context.config));
  const details: DetailedFile[] = [];
  for (const [index, file] of all.entries()) {
    const info = { ...infos[index], name: infos[index]!.name || file.name };
    details.push({
      file,
      details: await newFileDetails(context, { info, folder }, uploadedFile(file.incoming, file.mime), records),
    });
  }
  return details;
}

/** The folder of each file. @throws ContentError 400 for one that does not exist. */
async function foldersOf(
  write: WriteContext,
  files: readonly DetailedFile[],
  usual: Destination,
  around: AroundRows | undefined,
): Promise<FilePlace[]> {
  const held = new Map<number | null | undefined, FilePlace>();
  const places: FilePlace[] = [];
  for (const { details } of files) {
    const id = details.folder === undefined ? usual.id : details.folder;
    const place = held.get(id) ?? (await (id === usual.id ? usual : libraryFolder(id!)).hold(write, around));
    held.set(id, place);
    places.push(place);
  }
  return places;
}

async function prepareAll(
  context: MediaContext,
  { fields, folder }: ReceivedForm,
  files: readonly DetailedFile[],
): Promise<PreparedFile[]> {
  const folders = folderKey(fields.get('path')?.at(-1));
  const target = { folder, ...(await imageSettings(context.writer.reading(context.database))) };
  const prepared: PreparedFile[] = [];
  // one after another, so that one request does not occupy the image queue
  for (const { file, details } of files) {
    prepared.push(await prepareFile(context, file, details.info, newPlace(file, details.info, folders), target));
  }
  return prepared;
}
