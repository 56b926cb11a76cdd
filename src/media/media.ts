/** The file service: storing, changing and removing files with their records (docs/reference/files.md). */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Viewer } from '../access/view.ts';
import { type AroundRows, transactionOf } from '../content/rows/around-rows.ts';
import { FOLDER_UID } from '../schema/catalog.ts';
import { loading, storageFailure } from './failures.ts';
import { type ToldFile, toldOf } from './file-hooks.ts';
import { oneInfo } from './file-info.ts';
import { type FileNames, type IncomingFile, readForm } from './form.ts';
import type { Images } from './images/images.ts';
import { holdApiFolder } from './library/folder-rows.ts';
import { Library } from './library/library.ts';
import type { MediaContext, ReceivedForm, ViewedRecords } from './media-context.ts';
import { removeFile } from './remove.ts';
import type { FileLeases } from './safety/file-lease.ts';
import { settleStale } from './safety/recovery.ts';
import { updateInfo } from './update-info.ts';
import { imageSettings } from './upload-settings.ts';
import { viewedRecords } from './viewed-records.ts';

export class Media {
  /** Files as administrators work with them. */
  readonly library: Library;
  readonly #context: MediaContext;

  constructor(context: MediaContext) {
    this.#context = context;
    this.library = new Library(context);
  }

  /** The same service with code of the project around the rows of files and folders. */
  within(around: AroundRows): Media {
    return new Media({ ...this.#context, around });
  }

  /** Files of the file service carry these keys; files populated inside content do not, as in Strapi. */
  get flags(): { readonly isUrlSigned: boolean } {
    return { isUrlSigned: this.#context.stores.some(({ sign }) => sign !== undefined) };
  }

  /**
   * Reads a form from the socket and hands it to `work`; its files are gone from the disk when that is done, unless it
   * has stored them.
   *
   * @param names which files are wanted, those named `files` if it is not said.
   * @throws ContentError 400 for a body that is not a form or is cut off, 413 beyond a limit, 507 without room, 503
   * when nothing can be stored.
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
        // its errors are its own, not the folder's
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
   * Stores the files of a form and gives their records as a JSON list, in the order of the form.
   *
   * @throws ContentError 403 for a link to what the caller may not update, 400 for what is wrong with the form, 507
   * without room, 503 when the store cannot be reached.
   */
  async upload(form: ReceivedForm, viewer: Viewer): Promise<string> {
    const { uploadFiles } = await loading(import('./upload.ts'));
    return uploadFiles(this.#context, form, viewer, this.#recordsOf(viewer));
  }

  /**
   * Changes what a record says of its file (name, texts, focal point) and gives the record as JSON text.
   *
   * @param info the value of `fileInfo`: an object or its JSON text; undefined changes nothing.
   * @throws ContentError 400 for values that are wrong, 404 for no such file.
   */
  updateInfo(id: number | undefined, info: unknown, viewer: Viewer): Promise<string> {
    const checked = info === undefined ? {} : oneInfo(info);
    return updateInfo(this.#context, id, checked, this.#recordsOf(viewer));
  }

  /**
   * What code that looks at writes of files makes of what code tells of one.
   *
   * @throws ContentError whatever it refuses it with, and 400 for what no file can be told.
   */
  told(id: number, told: ToldFile, viewer: Viewer): Promise<ToldFile> {
    return toldOf(this.#context, id, told, this.#recordsOf(viewer));
  }

  /**
   * Puts another file in the place of a stored one, which keeps its id, address and links, and gives the record as JSON
   * text. A failure leaves the old file as it was.
   *
   * @throws ContentError as `upload`; 404 for no such file. Error within a transaction that somebody else ends.
   */
  async replace(id: number | undefined, form: ReceivedForm, viewer: Viewer): Promise<string> {
    if (this.#context.database.current) {
      throw new Error('a file is not replaced within a transaction: its bytes could not be rolled back');
    }
    const { replaceFile } = await loading(import('./replace.ts'));
    return replaceFile(this.#context, id, form, this.#recordsOf(viewer));
  }

  /**
   * Removes a file: its record, every link to it, its bytes and those of its sizes. Gives the record as it was.
   *
   * @throws ContentError 404 for no such file, 503 while others change it.
   */
  remove(id: number, viewer: Viewer): Promise<string> {
    return removeFile(this.#context, id, this.#recordsOf(viewer));
  }

  /** Who may change a file. */
  get leases(): FileLeases {
    return this.#context.leases;
  }

  /** What images are measured and made with. */
  get images(): Images {
    return this.#context.images;
  }

  /** What the project has set about images. */
  imageSettings(): ReturnType<typeof imageSettings> {
    return imageSettings(this.#context.writer.reading(this.#context.database));
  }

  /** The row id of the folder that files of the content API go to; it is made where there is none. */
  async apiFolder(): Promise<number | null> {
    const { writer, around } = this.#context;
    return transactionOf(this.#context, [FOLDER_UID], async (tx) => {
      return (await holdApiFolder(writer.context(tx), around)).id;
    });
  }

  /**
   * Has work done with copies of files that are somebody else's, in a folder that is gone afterwards: what is stored is
   * taken from there.
   */
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

  /** Settles the unfinished work of killed servers, before another one serves. */
  settle(): Promise<void> {
    return settleStale(this.#context);
  }

  #recordsOf(viewer: Viewer): ViewedRecords {
    return viewedRecords(this.#context, viewer, {}, this.flags);
  }
}
