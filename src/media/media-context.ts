/** What all parts of the file service need. */
import type { CallerValues } from '../access/view.ts';
import type { UploadConfig } from '../config/config.ts';
import type { Writer } from '../content/documents/writer.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import type { Reader } from '../content/reading/reader.ts';
import type { AroundRows } from '../content/rows/around-rows.ts';
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { Catalog } from '../schema/catalog.ts';
import type { Form } from './form.ts';
import type { Images } from './images/images.ts';
import type { Incoming } from './incoming.ts';
import type { FileLeases } from './safety/file-lease.ts';
import type { Storage } from './storage/storage.ts';

export interface MediaContext {
  readonly config: UploadConfig;
  readonly catalog: Catalog;
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly locales: LocaleStore;
  /** The store of new files. */
  readonly storage: Storage;
  /** All stores that may have files. */
  readonly stores: readonly Storage[];
  readonly incoming: Incoming;
  readonly leases: FileLeases;
  /** Identifies the database among those that a folder may have been used with. */
  readonly databaseName: string;
  readonly images: Images;
  /** Whether deleted files can be restored. */
  readonly hasTrash: boolean;
  /** The project's hooks for rows of files and folders; undefined without code. */
  readonly around?: AroundRows | undefined;
  /** The project's code that checks file details before anything is stored; undefined without such code. */
  readonly before?: BeforeFiles | undefined;
}

/** Checks the details of files before they are written. */
export interface BeforeFiles {
  /** Returns the details to write. @throws ContentError to refuse them. */
  changed(write: {
    readonly action: 'create' | 'update';
    /** Undefined for a new file. */
    readonly documentId: string | undefined;
    readonly data: Readonly<Record<string, unknown>>;
    /** Undefined if the bytes do not change. */
    readonly file: UploadedFile | undefined;
    readonly by: CallerValues;
  }): Promise<Readonly<Record<string, unknown>>>;
}

/** A form and the folder with its files. */
export interface ReceivedForm extends Form {
  readonly folder: string;
}

/** The records that a caller sees. */
export interface ViewedRecords {
  /** The caller. */
  readonly by: CallerValues;
  /** The caller's administrator id; undefined for others. */
  readonly author: number | undefined;
  /**
   * Returns a record as JSON text, as seen by the transaction that wrote it.
   *
   * @throws ContentError 403 for a record that the caller may not see.
   */
  read(tx: Transaction, id: number): Promise<string>;
  /** Whether the caller may see a record. */
  isShown(db: Queryable, id: number): Promise<boolean>;
  /**
   * Checks the project's access rules, before and after a record is written.
   *
   * @throws ContentError 403 for a record that the caller may not write.
   */
  requireWritten(db: Queryable, id: number, action: 'create' | 'update' | 'delete'): Promise<void>;
}

/** An uploaded file as the project's code sees it. */
export interface UploadedFile {
  /** Its path until it is stored. */
  readonly filepath: string;
  readonly originalFilename: string | null;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
}
