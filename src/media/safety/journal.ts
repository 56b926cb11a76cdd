/**
 * A file on disk with the changes that a request is about to make in the store. Bytes and records cannot be changed
 * together, so the unfinished work of a killed process is undone with it (`recovery.ts`).
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { storageFailure } from '../failures.ts';
import type { StoredRecord } from '../file-record.ts';
import { flush } from '../storage/local-storage.ts';
import type { KeyedFile } from '../storage/storage.ts';
import type { BackedUpFile } from '../storage/stored-bytes.ts';

/** The name of the journal in a request's folder. */
export const JOURNAL = 'journal.json';

/** New files, whose records are inserted together afterwards. */
export interface UploadEntry {
  readonly kind: 'upload';
  /** The store's name. */
  readonly store: string;
  /** `files.hash` of the records. */
  readonly hashes: readonly string[];
  readonly keys: readonly string[];
  /** Files that a store with its own addresses has stored, by key, in the form that removes them. */
  readonly placed?: Record<string, object>;
}

/** Bytes that replace others. */
export interface ReplaceEntry {
  readonly kind: 'replace';
  readonly store: string;
  /** The record before the replacement. */
  readonly record: Pick<StoredRecord, 'id' | 'updatedAt' | 'url' | 'provider'>;
  /** The written keys, and the backups of their former objects. */
  readonly files: readonly BackedUpFile[];
}

export type JournalEntry = UploadEntry | ReplaceEntry;

/** The entry of an upload. */
export function uploadEntry(store: string, hashes: readonly string[], objects: readonly KeyedFile[]): UploadEntry {
  return { kind: 'upload', store, hashes, keys: objects.map(({ key }) => key), placed: {} };
}

/**
 * Writes an entry into a request's folder so that it survives the end of the process. The entry of a replacement,
 * without which content would be lost, is on disk when this resolves. Bytes that an upload leaves behind after a power
 * failure are orphans that `galley doctor` finds, and waiting for the disk would delay other commits.
 *
 * @param database identifies the database, since a folder may be used with another one later.
 * @throws ContentError 507 if the disk is full, 503 if nothing can be written.
 */
export async function writeJournal(folder: string, database: string, entry: JournalEntry): Promise<void> {
  try {
    await write(folder, JSON.stringify({ database, entry }), entry.kind === 'replace');
  } catch (error) {
    throw storageFailure(error);
  }
}

async function write(folder: string, text: string, isDurable: boolean): Promise<void> {
  const file = path.join(folder, JOURNAL);
  const handle = await open(`${file}.part`, 'w');
  try {
    await handle.writeFile(text);
    if (isDurable) await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.part`, file);
  if (!isDurable) return;
  // the directory entries of the journal, the request's folder and the process's folder
  for (const names of [folder, path.dirname(folder), path.dirname(path.dirname(folder))]) await flush(names);
}

/** Removes the entry: its work is finished or undone. */
export async function endJournal(folder: string): Promise<void> {
  await rm(path.join(folder, JOURNAL), { force: true });
}

/** The entry in a folder; undefined if there is none. */
export async function readJournal(
  folder: string,
): Promise<{ readonly database: string; readonly entry: JournalEntry } | undefined> {
  try {
    return JSON.parse(await readFile(path.join(folder, JOURNAL), 'utf8')) as {
      database: string;
      entry: JournalEntry;
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
