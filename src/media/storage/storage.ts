/**
 * The interface of stores for the bytes of files. Each provider is one implementation, and no other part of the server
 * knows which one is used.
 */
import type { Readable } from 'node:stream';

/** A complete local file to store. */
export interface LocalFile {
  /** Absolute path. The provider may move the file and change its times. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The media type to serve it with. */
  readonly mime: string;
}

/** A file and its key. */
export interface KeyedFile {
  readonly key: string;
  readonly file: LocalFile;
  readonly about: FileDescription;
}

/** The description of a file or size for providers that are code. */
export interface FileDescription {
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  readonly path: string | null;
  /** Kilobytes of 1,000 bytes. */
  readonly size: number;
  readonly sizeInBytes: number;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
}

/** One stored object. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

/** The address that a store has chosen for a file, and the metadata that it needs to remove it. */
export interface PlacedObject {
  readonly url: string;
  readonly metadata: unknown;
  readonly previewUrl?: string;
}

/** The store of files with this `provider`; undefined if there is none. */
export function storeOf(stores: readonly Storage[], provider: string): Storage | undefined {
  return stores.find(({ names }) => names.has(provider));
}

export interface Storage {
  /** The `files.provider` of its files: `local`, or the name in the configuration. */
  readonly name: string;
  /** All values of `provider` in records of this store, including earlier ones. */
  readonly names: ReadonlySet<string>;
  /** Whether keys have no folders, so that the `path` of an upload is ignored. */
  readonly flat?: boolean;
  /** Stores a file completely or not at all, replacing an object with the same key. */
  put(key: string, file: LocalFile): Promise<void>;
  /** The bytes of an object; undefined if it does not exist. */
  get(key: string): Promise<Readable | undefined>;
  /** Links an object to a path without copying, if possible. Returns whether the object exists. */
  readonly keep?: (key: string, file: string) => Promise<boolean>;
  /** Removes an object, if it exists, hidden or not. */
  remove(key: string): Promise<void>;
  /** Hides an object from the web, or shows it again, if it exists. Only stores that the server serves have it. */
  readonly hide?: (key: string, isHidden: boolean) => Promise<void>;
  /** Reads hidden objects. Stores without `hide` have none. */
  readonly hidden?: Pick<Storage, 'get' | 'stat'>;
  /** An object's size and time; undefined if it does not exist. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** All objects, in any order. */
  list(): AsyncIterable<StoredObject>;
  /** The `files.url` of an object: `/uploads/<key>`, or an address of the store without signature. */
  urlOf(key: string): string;
  /** The key of such an address; undefined for an address of another store. */
  keyOf(url: string): string | undefined;
  /** Signs such an address for `signedUrlExpires` seconds, without I/O. Only private stores have it. */
  readonly sign?: (url: string) => string;
  /** Stores a file, instead of `put`, in stores that choose addresses. */
  readonly place?: (file: KeyedFile) => Promise<PlacedObject>;
  /** Removes a file by its record, in the same stores. */
  readonly drop?: (file: object) => Promise<void>;
  /** Starts a store that is code of the project, before its first use. */
  readonly begin?: () => Promise<void>;
  /** Closes connections. */
  close(): Promise<void>;
}
