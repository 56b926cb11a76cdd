/**
 * The library of files in the administration: lists, details, folders and uses of files. The viewer's View decides what
 * is visible and changeable; callers check the right to the operation itself.
 */
import type { Viewer } from '../../access/view.ts';
import { type JsonBody, listEnvelope } from '../../content/reading/answers.ts';
import { idsIn, readRows } from '../../content/rows/around-rows.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { loading } from '../failures.ts';
import { fileType } from '../file-record.ts';
import type { MediaContext, ReceivedForm } from '../media-context.ts';
import { changeFile } from '../update-info.ts';
import { viewedRecords } from '../viewed-records.ts';
import { destination } from './folder-rows.ts';
import { changeFolder, createFolder, type FolderAnswer, listFolders, move, putFile } from './folders.ts';
import { announcedList, libraryShape, listParams, PATHLESS } from './list-params.ts';
import { mayRemove, type RemoveResult, remove } from './removal.ts';
import { type FileChange, type FileList, type FolderChange, folderField, type Selection } from './requests.ts';
import { type Uses, usesOf } from './uses.ts';

export class Library {
  readonly #context: MediaContext;

  constructor(context: MediaContext) {
    this.#context = context;
  }

  /** A page of files with its envelope, as JSON text. @throws ContentError 400 for a folder that does not exist. */
  async list(request: FileList, viewer: Viewer): Promise<JsonBody> {
    const { page, pageSize } = request;
    const offset = (page - 1) * pageSize;
    const range = { mode: 'page', offset, limit: pageSize, withCount: true } as const;
    const type = fileType(this.#context);
    const { reader, around } = this.#context;
    const params = announcedList(request);
    const list = await readRows(
      around,
      FILE_UID,
      'findMany',
      () => ({ params, found: ({ data }) => idsIn(String(data)) }),
      async () => reader.list(type, viewer, await this.#listParams(request, viewer), { page: range }),
    );
    const total = await readRows(
      around,
      FILE_UID,
      'count',
      () => ({ params, found: Number }),
      async () => list.total,
    );
    return listEnvelope({ ...list, total });
  }

  /** The ids of changeable files in a part of a list, in its order. @throws ContentError as `list`. */
  async ids(
    request: FileList,
    start: number,
    limit: number,
    read: Viewer,
    changing: Viewer,
  ): Promise<readonly number[]> {
    const { around, database, reader } = this.#context;
    const { populate: _, ...params } = await this.#listParams(request, read);
    const page = { mode: 'offset', offset: start, limit, withCount: false } as const;
    const ids = await readRows(
      around,
      FILE_UID,
      'findMany',
      () => ({ params: { ...announcedList(request), offset: start, limit }, found: (found) => found }),
      async () =>
        idsIn((await reader.list(fileType(this.#context), read, { ...params, fields: ['id'] }, { page })).data),
    );
    const hidden = await this.#hidden(database, ids, changing);
    return ids.filter((id) => !hidden.has(id));
  }

  async #listParams(request: FileList, viewer: Viewer): Promise<RawObject> {
    const { database, writer } = this.#context;
    const { folder } = request;
    const within = folder === undefined ? undefined : await destination(writer.reading(database), folder, 'folder');
    const withPathless = within?.id === null && (await this.#hasPathless(viewer));
    return listParams(fileType(this.#context), request, within, withPathless);
  }

  async #hasPathless(viewer: Viewer): Promise<boolean> {
    const page = { mode: 'offset', offset: 0, limit: 1, withCount: false } as const;
    const params = { fields: ['id'], filters: PATHLESS };
    const { data } = await this.#context.reader.list(fileType(this.#context), viewer, params, { page });
    return data !== '[]';
  }

  /** One file as JSON text. @throws ContentError 404 for no such file. */
  async one(id: number, viewer: Viewer): Promise<string> {
    const type = fileType(this.#context);
    const { reader } = this.#context;
    const file = await this.#oneRead(id, () => reader.one(type, viewer, libraryShape(type), { kind: 'row', id }));
    if (!file) throw notFound();
    return file.data;
  }

  /**
   * Stores the files of a form in the folder that it names. Returns them as a JSON list.
   *
   * @throws ContentError as `Media.upload`; 400 for a folder that does not exist.
   */
  async upload(form: ReceivedForm, viewer: Viewer): Promise<string> {
    const { uploadFiles, libraryFolder } = await loading(import('../upload.ts'));
    const folder = libraryFolder(folderField(form.fields.get('folder')));
    return uploadFiles(this.#context, infoOnly(form), viewer, this.#records(viewer), folder);
  }

  /**
   * Moves a leased file into a folder, or out of its folder. Returns the path for its record.
   *
   * @throws ContentError 400 for a folder that does not exist.
   */
  put(tx: Transaction, file: number, folder: number | null): Promise<string> {
    return putFile(this.#context.writer.context(tx), file, folder);
  }

  /** Replaces a file. Returns it as JSON text. @throws ContentError as `Media.replace`. */
  async replace(id: number, form: ReceivedForm, viewer: Viewer): Promise<string> {
    const { replaceFile } = await loading(import('../replace.ts'));
    return replaceFile(this.#context, id, infoOnly(form), this.#records(viewer));
  }

  /**
   * Changes details and folder of a file. Returns it as JSON text.
   *
   * @throws ContentError 400 for a folder that does not exist, 404 for no such file, 503 while it is being changed.
   */
  change(id: number, change: FileChange, viewer: Viewer): Promise<string> {
    return changeFile(this.#context, id, change, this.#records(viewer));
  }

  /**
   * Moves files and folders into a folder; null for none.
   *
   * @throws ContentError 400 for a folder that does not exist, would be inside itself, or whose name exists there; 403
   *   for files that the viewer may not change; 404 for files or folders that do not exist.
   */
  move(selection: Selection & { readonly to: number | null }, viewer: Viewer): Promise<void> {
    return move(this.#context, selection, viewer);
  }

  /**
   * Deletes files, and folders with their contents: as many files as one request may delete, then the folders.
   *
   * @throws ContentError 403 if the viewer may not change all files, 503 while one is being changed.
   */
  remove(selection: Selection, viewer: Viewer): Promise<RemoveResult> {
    return remove(this.#context, selection, viewer, this.#records(viewer));
  }

  /**
   * The documents that use some of the files.
   *
   * @param reads the administrator as a reader of documents; hidden documents are only counted.
   * @param ofFiles the administrator as a reader of files.
   * @param withTexts whether texts are searched, which takes a moment.
   */
  uses(selection: Selection, reads: Viewer, ofFiles: Viewer, withTexts: boolean): Promise<Uses> {
    return usesOf(this.#context, selection, reads, ofFiles, withTexts);
  }

  /** Whether the viewer may delete all selected files that it sees. */
  mayRemove(selection: Selection, reading: Viewer, changing: Viewer): Promise<boolean> {
    return mayRemove(this.#context, selection, reading, changing);
  }

  folders(viewer: Viewer): Promise<FolderAnswer[]> {
    return listFolders(this.#context, viewer);
  }

  /** @throws ContentError 400 for a name that exists, and for a parent that does not. */
  createFolder(folder: FolderChange, viewer: Viewer): Promise<FolderAnswer> {
    return createFolder(this.#context, folder, viewer);
  }

  /** @throws ContentError 400 as for a new folder, and for a folder inside itself; 404 for no such folder. */
  changeFolder(id: number, change: FolderChange, viewer: Viewer): Promise<FolderAnswer> {
    return changeFolder(this.#context, id, change, viewer);
  }

  /**
   * Refuses an operation on files that the viewer does not see or may not change.
   *
   * @throws ContentError 404 for hidden files, 403 for files that may not be changed.
   */
  async requireShown(files: readonly number[], read: Viewer, changing: Viewer): Promise<void> {
    for (const id of files) await this.#oneRead(id, async () => id);
    const { database } = this.#context;
    if ((await this.#hidden(database, files, read)).size > 0) throw notFound();
    if ((await this.#hidden(database, files, changing)).size > 0) throw forbidden();
  }

  /** A read of one file with project code around it. @param read undefined for a missing or hidden file. */
  #oneRead<T>(id: number, read: () => Promise<T>): Promise<T> {
    const announced = () => ({ params: { where: { id } }, found: (one: T) => (one === undefined ? [] : [id]) });
    return readRows(this.#context.around, FILE_UID, 'findOne', announced, read);
  }

  #hidden(db: Queryable, files: readonly number[], viewer: Viewer): Promise<ReadonlySet<number>> {
    const rows = files.map((id) => ({ id, published: true }));
    return this.#context.reader.shown(db, viewer).hidden(fileType(this.#context), rows);
  }

  #records(viewer: Viewer) {
    return viewedRecords(this.#context, viewer, libraryShape(fileType(this.#context)));
  }
}

/** Links and paths belong to the content API; here a form has files and their details. */
function infoOnly(form: ReceivedForm): ReceivedForm {
  const infos = form.fields.get('fileInfo');
  return { ...form, fields: new Map(infos === undefined ? [] : [['fileInfo', infos]]) };
}
