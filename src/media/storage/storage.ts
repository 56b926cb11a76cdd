/**
 * Where the bytes of files live. Every provider is one implementation of `Storage`; nothing else in the server knows
 * which of them is at work.
 */
import type { Readable } from 'node:stream';

/** A complete file of the local disk that is to be stored. */
export interface LocalFile {
  /** Absolute path. The provider takes it over: it moves the file where it can, and changes its times. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Media type that it is served with. */
  readonly mime: string;
}

/** Bytes and the key that they are to be stored under. */
export interface KeyedFile {
  readonly key: string;
  readonly file: LocalFile;
  readonly about: Described;
}

/** What providers that are code are told of a file, or of one of its sizes. */
export interface Described {
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

/** Where a store that chooses addresses by itself has put a file, and what it wants to be told to remove it. */
export interface Placed {
  readonly url: string;
  readonly metadata: unknown;
  readonly previewUrl?: string;
}

/** The store of the files whose records have this `provider`; undefined when there is none. */
export function storeOf(stores: readonly Storage[], provider: string): Storage | undefined {
  return stores.find(({ names }) => names.has(provider));
}

export interface Storage {
  /** The `files.provider` of its files: `local`, or the name in the configuration. */
  readonly name: string;
  /** Every `provider` by which a record may name this store: earlier configurations may have used another. */
  readonly names: ReadonlySet<string>;
  /** Whether keys are names without folders: the `path` of an upload is then ignored. */
  readonly flat?: boolean;
  /** Stores a file, whole or not at all, in place of what the key held. */
  put(key: string, file: LocalFile): Promise<void>;
  /** The bytes of an object; undefined when there is none. */
  get(key: string): Promise<Readable | undefined>;
  /** Keeps the bytes of an object at a path, where that takes no copying; gives whether there is such an object. */
  readonly keep?: (key: string, file: string) => Promise<boolean>;
  /** Removes an object, if there is one. */
  remove(key: string): Promise<void>;
  /** An object's size and time; undefined when there is none. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** Everything that is stored, in no order. */
  list(): AsyncIterable<StoredObject>;
  /** What `files.url` says of an object: `/uploads/<key>`, or an address of the store without signature. */
  urlOf(key: string): string;
  /** The key of such an address; undefined for one that is not of this store. */
  keyOf(url: string): string | undefined;
  /**
   * Of private stores: signs such an address for `signedUrlExpires` seconds. Local computation, without any I/O.
   * Undefined: the addresses work as they are.
   */
  readonly sign?: (url: string) => string;
  /** Of stores that choose addresses by themselves: stores a file, in the place of `put`. */
  readonly place?: (file: KeyedFile) => Promise<Placed>;
  /** Of the same stores: removes a file that a record describes. */
  readonly drop?: (file: object) => Promise<void>;
  /** Of stores that are code of the project: starts it, before anything is asked of it. */
  readonly begin?: () => Promise<void>;
  /** Ends connections. */
  close(): Promise<void>;
}
