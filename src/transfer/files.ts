/**
 * Files of a transfer: they are written into a side folder before the rows, and moved into the media library after the
 * commit. The transaction notes the side folder, so that a process that is killed in between is finished by the next one.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readEntry, storeEntry } from '../db/interface/core-store.ts';
import type { Database } from '../db/interface/database.ts';
import { deleteRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { UsageError } from '../errors.ts';
import { flush } from '../media/storage/local-storage.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import { isFileName } from './archive/file-names.ts';
import type { Source } from './rows.ts';

/** The folder in that of the local store, for side folders; names with a dot are not served. */
const FOLDER = '.import';
/** The core-store entry with the name of a side folder whose rows are committed. */
const ENTRY = 'galley_imported_files';

/** Files that wait for the commit of their rows. */
export interface StagedFiles {
  readonly count: number;
  readonly bytes: number;
  /** Notes the folder in the transaction of the rows. */
  note(tx: Transaction): Promise<void>;
  /** Removes the folder, if the rows were not committed. */
  remove(): Promise<void>;
}

/**
 * Writes the files of a source into a side folder.
 *
 * @param uploads the folder of the local store.
 * @param name of the side folder.
 * @throws UsageError if another process is importing into the same project.
 */
export async function stageFiles(source: Source, uploads: string, name: string): Promise<StagedFiles> {
  await removeStale(uploads);
  const folder = path.join(uploads, FOLDER, name);
  let count = 0;
  let bytes = 0;
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    for await (const file of source.files()) {
      if (!isFileName(file.name)) throw new UsageError(`a file has an unsafe name: ${JSON.stringify(file.name)}`, 1);
      if (count === 0) await mkdir(folder, { recursive: true });
      const target = path.join(folder, file.name);
      await pipeline(file.open(), createWriteStream(target));
      await flush(target);
      count += 1;
      bytes += file.size;
    }
    if (count > 0) await flush(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  const note = async (tx: Transaction): Promise<void> => {
    if (count > 0) await storeEntry(tx, ENTRY, JSON.stringify(name), 'string');
  };
  return { count, bytes, note, remove };
}

/** Names of side folders begin with the number of their process. */
export const sideFolderName = (token: string): string => `${process.pid}-${token}`;

/** Removes the side folders of processes that have ended. */
async function removeStale(uploads: string): Promise<void> {
  for (const name of await readdir(path.join(uploads, FOLDER)).catch(() => [])) {
    const owner = Number.parseInt(name, 10);
    if (owner !== process.pid && isRunning(owner))
      throw new UsageError(`another import into this project is running (process ${owner})`, 1);
    await rm(path.join(uploads, FOLDER, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Moves the files of committed rows into the media library, also those of a process that was killed before it could.
 * Returns their number.
 *
 * @param uploads the folder of the local store.
 */
export async function adoptFiles(database: Database, uploads: string): Promise<number> {
  const parent = path.join(uploads, FOLDER);
  const folders = await readdir(parent).catch(() => []);
  if (folders.length === 0) return 0;
  const entry = await readEntry(database, ENTRY);
  if (entry === undefined) return 0;
  const name: unknown = JSON.parse(entry);
  if (typeof name !== 'string' || !isFileName(name)) return 0;
  const folder = path.join(parent, name);
  const files = await readdir(folder).catch(() => []);
  for (const file of files) await rename(path.join(folder, file), path.join(uploads, file));
  await flush(uploads);
  await rm(folder, { recursive: true, force: true });
  await database.transaction((tx) => deleteRows(tx, CORE_STORE_TABLE, { key: ENTRY }));
  if ((await readdir(parent)).length === 0) await rm(parent, { recursive: true, force: true });
  return files.length;
}
