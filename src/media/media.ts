/** The file service: stores, changes and removes files with their records (docs/reference/files.md). */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Viewer } from '../access/view.ts';
import { type AroundRows, transactionOf } from '../content/rows/around-rows.ts';
import { FOLDER_UID } from '../schema/catalog.ts';
import { loading, storageFailure } from './failures.ts';
import { type FileDetails, fileDetails } from './file-hooks.ts';
import { oneInfo } from './file-info.ts';
import { type FileNames, type IncomingFile, readForm } from './form.ts';
import type { Images } from './images/images.ts';
import { holdApiFolder } from './library/folder-rows.ts';
import { Library } from './library/library.ts';
import type { MediaContext, ReceivedForm, ViewedRecords } from './media-context.ts';
import { removeFile } from './remove.ts';
import type { FileLeases } from './safety/file-lease.ts';
import { settleStale } from './safety/recovery.ts';
import type { StorageTest } from './storage/test-storage.ts';
import { updateInfo } from './update-info.ts';
import { imageSettings } from './upload-settings.ts';
import { viewedRecords } from './viewed-records.ts';

export class Media {
  /** The library of the administration. */
  readonly library: Library;
  readonly #context: MediaContext;

  constructor(context: MediaContext) {
    this.#context = context;
    this.library = new Library(context);
  }

  /** The same service with the project's hooks for rows of files and folders. */
  within(around: AroundRows): Media {
    return new Media({ ...this.#context, around });
  }

  /** Keys of files in answers of the file service; files populated in content lack them, as in Strapi. */
  get flags(): { readonly isUrlSigned: boolean } {
    return { isUrlSigned: this.#context.stores.some(({ sign }) => sign !== undefined) };
  }

  /**
   * Reads a form from the socket and passes it to `work`, then removes the files that were not stored.
   *
   * @param names which files are accepted: by default those of parts named `files`.
   * @throws ContentError 400 for a body that is not a form or is cut off, 413 above a limit, 507 if the disk is full,
   *   503 if nothing can be stored.
   */
  async receive<T>(
    body: Readable,
    headers: IncomingHttpHeaders,
    work: (form: ReceivedForm) => Promise<T>,
    names?: FileNames,
  ): Promise<T> {
    const { incoming, config } = this.#context;
    let outcome: { readonly result: T } | { readonly error: unknown } | undefined;
    try {
      await incoming.lend(async (folder) => {
        const form = await readForm(body, headers, folder, config, names);
        // errors of `work` are not failures of storage
        outcome = await work({ ...form, folder }).then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        );
      });
    } catch (error) {
      if (outcome === undefined) throw storageFailure(error);
    }
    if (outcome && 'result' in outcome) return outcome.result;
    throw outcome?.error;
  }

  /**
   * Stores the files of a form. Returns their records as a JSON list, in the order of the form.
   *
   * @throws ContentError 403 for a link to a document that the caller may not update, 400 for an invalid form, 507 if
   *   the disk is full, 503 if the store cannot be reached.
   */
  async upload(form: ReceivedForm, viewer: Viewer): Promise<string> {
    const { uploadFiles } = await loading(import('./upload.ts'));
    return uploadFiles(this.#context, form, viewer, this.#recordsOf(viewer));
  }

  /**
   * Changes name, texts and focal point of a file. Returns the record as JSON text.
   *
   * @param info the value of `fileInfo`: an object or its JSON text; undefined changes nothing.
   * @throws ContentError 400 for wrong values, 404 for no such file.
   */
  updateInfo(id: number | undefined, info: unknown, viewer: Viewer): Promise<string> {
    const checked = info === undefined ? {} : oneInfo(info);
    return updateInfo(this.#context, id, checked, this.#recordsOf(viewer));
  }

  /**
   * Passes details of a file to the project's hooks for files. Returns the details to write.
   *
   * @throws ContentError of the hook, and 400 for invalid details.
   */
  checkDetails(id: number, details: FileDetails, viewer: Viewer): Promise<FileDetails> {
    return fileDetails(this.#context, id, details, this.#recordsOf(viewer));
  }

  /**
   * Replaces a file; it keeps its id, address and links. Returns the record as JSON text. After a failure the old file
   * is unchanged.
   *
   * @throws ContentError as `upload`; 404 for no such file. Error within a transaction of other code.
   */
  async replace(id: number | undefined, form: ReceivedForm, viewer: Viewer): Promise<string> {
    if (this.#context.database.current) {
      throw new Error('a file cannot be replaced within a transaction, since its bytes could not be rolled back');
    }
    const { replaceFile } = await loading(import('./replace.ts'));
    return replaceFile(this.#context, id, form, this.#recordsOf(viewer));
  }

  /**
   * Removes a file: its record, all links to it, its bytes and sizes. Returns the record as it was.
   *
   * @throws ContentError 404 for no such file, 503 while it is being changed.
   */
  remove(id: number, viewer: Viewer): Promise<string> {
    return removeFile(this.#context, id, this.#recordsOf(viewer));
  }

  /** What restoring files and folders from the trash needs. */
  get context(): MediaContext {
    return this.#context;
  }

  /** The leases of files. */
  get leases(): FileLeases {
    return this.#context.leases;
  }

  /** The image processing. */
  get images(): Images {
    return this.#context.images;
  }

  /** The project's settings for images. */
  imageSettings(): ReturnType<typeof imageSettings> {
    return imageSettings(this.#context.writer.reading(this.#context.database));
  }

  /** Writes, reads and deletes a small object in the store of new files. */
  async testStorage(): Promise<StorageTest> {
    const { storage, incoming, config } = this.#context;
    const { testStorage } = await loading(import('./storage/test-storage.ts'));
    return testStorage(storage, incoming, config.storage);
  }

  /** The row id of the folder of files uploaded through the content API, which is created if necessary. */
  async apiFolder(): Promise<number | null> {
    const { writer, around } = this.#context;
    return transactionOf(this.#context, [FOLDER_UID], async (tx) => {
      return (await holdApiFolder(writer.context(tx), around)).id;
    });
  }

  /** Runs `work` with copies of files in a temporary folder. Storing a file moves its copy, and the original stays. */
  copied<T>(
    files: readonly IncomingFile[],
    work: (copies: readonly IncomingFile[], folder: string) => Promise<T>,
  ): Promise<T> {
    return this.#context.incoming.lend(async (folder) => {
      const copies = await Promise.all(
        files.map(async (file, index) => {
          const copy = path.join(folder, `given-${index}`);
          await copyFile(file.path, copy, constants.COPYFILE_FICLONE);
          return { ...file, path: copy };
        }),
      );
      return work(copies, folder);
    });
  }

  /** Settles the unfinished work of killed processes, before this one serves. */
  settle(): Promise<void> {
    return settleStale(this.#context);
  }

  #recordsOf(viewer: Viewer): ViewedRecords {
    return viewedRecords(this.#context, viewer, {}, this.flags);
  }
}
