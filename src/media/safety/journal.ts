/**
 * What a request is about to do to the store, on the disk before it does it: bytes and records cannot be changed
 * together, so that the unfinished work of a killed server can be undone from what it recorded here (`recovery.ts`).
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { storageFailure } from '../failures.ts';
import type { StoredRecord } from '../file-record.ts';
import { flush } from '../storage/local-storage.ts';
import type { KeyedFile } from '../storage/storage.ts';
import type { KeptFile } from '../storage/stored-bytes.ts';

/** The name of a journal in a request's folder. */
export const JOURNAL = 'journal.json';

/** New files whose records are to come, all of them or none. */
export interface UploadEntry {
  readonly kind: 'upload';
  /** Name of the store. */
  readonly store: string;
  /** `files.hash` of the records. */
  readonly hashes: readonly string[];
  readonly keys: readonly string[];
  /** Files that a store which chooses addresses by itself has put somewhere by now, by key, as it removes them. */
  readonly placed?: Record<string, object>;
}

/** Bytes that take the place of others. */
export interface ReplaceEntry {
  readonly kind: 'replace';
  readonly store: string;
  /** The record as it is until the replacement is done. */
  readonly record: Pick<StoredRecord, 'id' | 'updatedAt' | 'url' | 'provider'>;
  /** What is written, and where what was there before is kept. */
  readonly files: readonly KeptFile[];
}

export type JournalEntry = UploadEntry | ReplaceEntry;

/** The entry of an upload. */
export function uploadEntry(store: string, hashes: readonly string[], objects: readonly KeyedFile[]): UploadEntry {
  return { kind: 'upload', store, hashes, keys: objects.map(({ key }) => key), placed: {} };
}

/**
 * Writes an entry into a request's folder, where the end of the process does not take it away. That of a replacement,
 * by which content would be lost, is on the disk when this resolves; bytes that an upload leaves behind when the
 * machine loses its power are orphans that `galley doctor` finds, and waiting for the disk would delay the commits of
 * others.
 *
 * @param database names the database, as a folder may be used with another one later.
 * @throws ContentError 507 without room, 503 when nothing can be written.
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
  // the names: of the journal, of the request's folder, of the process's
  for (const names of [folder, path.dirname(folder), path.dirname(path.dirname(folder))]) await flush(names);
}

/** Takes back what was written: it is done, or undone. */
export async function endJournal(folder: string): Promise<void> {
  await rm(path.join(folder, JOURNAL), { force: true });
}

/** The entry in a folder; undefined when there is none. */
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
