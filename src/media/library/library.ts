/**
 * The library of files as administrators work with it: lists, what is told of a file, folders, and where files are used.
 * What may be seen and changed is what the viewer's View shows; whether it permits the operation at all is asked before.
 */
import type { Viewer } from '../../access/view.ts';
import { type JsonBody, listEnvelope } from '../../content/reading/answers.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import { loading } from '../failures.ts';
import { fileType } from '../file-record.ts';
import type { MediaContext, ReceivedForm } from '../media-context.ts';
import { changeFile } from '../update-info.ts';
import { viewedRecords } from '../viewed-records.ts';
import { destination } from './folder-rows.ts';
import { changeFolder, createFolder, listFolders, move, putFile, type ToldFolder } from './folders.ts';
import { libraryShape, listParams, PATHLESS } from './list-params.ts';
import { mayRemove, type Removed, remove } from './removal.ts';
import { type Chosen, type FileChange, type FileList, type FolderChange, folderField } from './requests.ts';
import { type Uses, usesOf } from './uses.ts';

export class Library {
  readonly #context: MediaContext;

  constructor(context: MediaContext) {
    this.#context = context;
  }

  /**
   * A page of files with its envelope, as JSON text.
   *
   * @throws ContentError 400 for a folder that is not there.
   */
  async list(asked: FileList, viewer: Viewer): Promise<JsonBody> {
    const { page, pageSize } = asked;
    const offset = (page - 1) * pageSize;
    const given = { mode: 'page', offset, limit: pageSize, withCount: true } as const;
    const type = fileType(this.#context);
    return listEnvelope(
      await this.#context.reader.list(type, viewer, await this.#listParams(asked, viewer), { page: given }),
    );
  }

  /**
   * The ids of the files of a part of a list, in its order, those left out that may not be changed.
   *
   * @throws ContentError as `list`.
   */
  async ids(asked: FileList, start: number, limit: number, read: Viewer, changing: Viewer): Promise<readonly number[]> {
    const { database, reader } = this.#context;
    const { populate: _, ...params } = await this.#listParams(asked, read);
    const page = { mode: 'offset', offset: start, limit, withCount: false } as const;
    const { data } = await reader.list(fileType(this.#context), read, { ...params, fields: ['id'] }, { page });
    const ids = (JSON.parse(data) as readonly { readonly id: number }[]).map(({ id }) => id);
    const hidden = await this.#hidden(database, ids, changing);
    return ids.filter((id) => !hidden.has(id));
  }

  async #listParams(asked: FileList, viewer: Viewer): Promise<RawObject> {
    const { database, writer } = this.#context;
    const { folder } = asked;
    const within = folder === undefined ? undefined : await destination(writer.reading(database), folder, 'folder');
    const withPathless = within?.id === null && (await this.#hasPathless(viewer));
    return listParams(fileType(this.#context), asked, within, withPathless);
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
    const found = await this.#context.reader.one(type, viewer, libraryShape(type), { kind: 'row', id });
    if (!found) throw notFound();
    return found.data;
  }

  /**
   * Stores the files of a form in the folder that it names, and gives them as a JSON list.
   *
   * @throws ContentError as `Media.upload`; 400 for a folder that is not there.
   */
  async upload(form: ReceivedForm, viewer: Viewer): Promise<string> {
    const { uploadFiles, libraryFolder } = await loading(import('../upload.ts'));
    const folder = libraryFolder(folderField(form.fields.get('folder')));
    return uploadFiles(this.#context, infoOnly(form), viewer, this.#records(viewer), folder);
  }

  /**
   * Puts a file into a folder, or into none, and gives the path that its record has to have. The file is leased.
   *
   * @throws ContentError 400 for a folder that is not there.
   */
  put(tx: Transaction, file: number, folder: number | null): Promise<string> {
    return putFile(this.#context.writer.context(tx), file, folder);
  }

  /**
   * Puts another file in the place of one, and gives it as JSON text.
   *
   * @throws ContentError as `Media.replace`.
   */
  async replace(id: number, form: ReceivedForm, viewer: Viewer): Promise<string> {
    const { replaceFile } = await loading(import('../replace.ts'));
    return replaceFile(this.#context, id, infoOnly(form), this.#records(viewer));
  }

  /**
   * Changes what is told of a file, and where it lies, and gives it as JSON text.
   *
   * @throws ContentError 400 for a folder that is not there, 404 for no such file, 503 while others change it.
   */
  change(id: number, change: FileChange, viewer: Viewer): Promise<string> {
    return changeFile(this.#context, id, change, this.#records(viewer));
  }

  /**
   * Moves files and folders into a folder; null is none.
   *
   * @throws ContentError 400 for a folder that is not there, that would be in itself, or whose name is taken there; 403
   * for files that the viewer may not change; 404 where something is not there.
   */
  move(chosen: Chosen & { readonly to: number | null }, viewer: Viewer): Promise<void> {
    return move(this.#context, chosen, viewer);
  }

  /**
   * Deletes files, and folders with everything in them: as many files as one request may take, then the folders.
   *
   * @throws ContentError 403 where the viewer may not change all of the files, 503 while others change one.
   */
  remove(chosen: Chosen, viewer: Viewer): Promise<Removed> {
    return remove(this.#context, chosen, viewer, this.#records(viewer));
  }

  /**
   * The documents that show some of the files.
   *
   * @param reads the administrator as a reader of documents: what that does not show is only counted.
   * @param ofFiles the administrator as a reader of files, who is shown those that are named.
   * @param withTexts whether texts are searched, which takes a moment.
   */
  uses(chosen: Chosen, reads: Viewer, ofFiles: Viewer, withTexts: boolean): Promise<Uses> {
    return usesOf(this.#context, chosen, reads, ofFiles, withTexts);
  }

  /** Whether somebody may delete all of it that they are shown. */
  mayRemove(chosen: Chosen, reading: Viewer, changing: Viewer): Promise<boolean> {
    return mayRemove(this.#context, chosen, reading, changing);
  }

  folders(viewer: Viewer): Promise<ToldFolder[]> {
    return listFolders(this.#context, viewer);
  }

  /** @throws ContentError 400 for a name that is taken there, and for a folder to put it into that is not there. */
  createFolder(folder: FolderChange, viewer: Viewer): Promise<ToldFolder> {
    return createFolder(this.#context, folder, viewer);
  }

  /** @throws ContentError 400 as for a new one, and for a folder that would be in itself; 404 for no such folder. */
  changeFolder(id: number, change: FolderChange, viewer: Viewer): Promise<ToldFolder> {
    return changeFolder(this.#context, id, change, viewer);
  }

  /**
   * Refuses an operation on files that are there for a reader and not for whoever would change them.
   *
   * @throws ContentError 404 for what is not shown, 403 for what may not be changed.
   */
  async requireShown(files: readonly number[], read: Viewer, changing: Viewer): Promise<void> {
    const { database } = this.#context;
    if ((await this.#hidden(database, files, read)).size > 0) throw notFound();
    if ((await this.#hidden(database, files, changing)).size > 0) throw forbidden();
  }

  #hidden(db: Queryable, files: readonly number[], viewer: Viewer): Promise<ReadonlySet<number>> {
    const rows = files.map((id) => ({ id, published: true }));
    return this.#context.reader.shown(db, viewer).hidden(fileType(this.#context), rows);
  }

  #records(viewer: Viewer) {
    return viewedRecords(this.#context, viewer, libraryShape(fileType(this.#context)));
  }
}

/** Links and paths are the content API's: here a form has files, and what is told of them. */
function infoOnly(form: ReceivedForm): ReceivedForm {
  const infos = form.fields.get('fileInfo');
  return { ...form, fields: new Map(infos === undefined ? [] : [['fileInfo', infos]]) };
}
