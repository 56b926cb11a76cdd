/** What the parts of the file service work with. */
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
  /** Where new files go. */
  readonly storage: Storage;
  /** Every store that files may lie in. */
  readonly stores: readonly Storage[];
  readonly incoming: Incoming;
  readonly leases: FileLeases;
  /** Tells the database from others that a folder may have been used with. */
  readonly databaseName: string;
  readonly images: Images;
  /** Code of the project around the rows of files and folders; undefined where there is none. */
  readonly around?: AroundRows | undefined;
  /** Code that looks at what is told of files before anything is stored; undefined where none does. */
  readonly before?: BeforeFiles | undefined;
}

/** Looks at what is told of files. */
export interface BeforeFiles {
  /** What is told instead. Throws ContentError to refuse it. */
  changed(write: {
    readonly action: 'create' | 'update';
    /** Undefined for a new file. */
    readonly documentId: string | undefined;
    readonly data: Readonly<Record<string, unknown>>;
    /** Undefined where the bytes stay. */
    readonly file: UploadedFile | undefined;
    readonly by: CallerValues;
  }): Promise<Readonly<Record<string, unknown>>>;
}

/** A form with the folder that its files lie in. */
export interface ReceivedForm extends Form {
  readonly folder: string;
}

/** The records that there are for one caller. */
export interface ViewedRecords {
  /** Who the caller is. */
  readonly by: CallerValues;
  /** The administrator that the caller is; undefined for others. */
  readonly author: number | undefined;
  /**
   * Gives a record as JSON text, as the transaction that wrote it sees it.
   *
   * @throws ContentError 403 for one that the caller has written and may not see.
   */
  read(tx: Transaction, id: number): Promise<string>;
  /** Whether the caller may see a record. */
  isShown(db: Queryable, id: number): Promise<boolean>;
  /**
   * Asks the project's rules of access, before and after a record is written.
   *
   * @throws ContentError 403 for one that the caller may not write.
   */
  requireWritten(db: Queryable, id: number, action: 'create' | 'update' | 'delete'): Promise<void>;
}

/** The bytes of a file, as code has them in forms. */
export interface UploadedFile {
  /** Where it lies until it is stored. */
  readonly filepath: string;
  readonly originalFilename: string | null;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
}
