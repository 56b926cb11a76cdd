/** Restores backups: the whole is read and checked first, then the database is replaced, and then the files. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lookup } from 'mime-types';
import { linesOf } from '../byte-lines.ts';
import type { DatabaseCopies } from '../db/interface/database-copies.ts';
import { UsageError } from '../errors.ts';
import type { Storage } from '../media/storage/storage.ts';
import { type ReadBackup, readBackup, type StoredFile } from './reading.ts';

export interface RestoreRequest {
  readonly stream: Readable;
  readonly key: string | undefined;
  readonly copiesOf: (form: string) => DatabaseCopies | undefined;
  /** The stores into which files are put; empty to leave files out. */
  readonly stores: readonly Storage[];
  /** An empty folder for what is read, on the disk of the files if they are local. */
  readonly folder: string;
  /** Called when the backup is checked, before anything is changed. */
  readonly confirm: (backup: ReadBackup) => Promise<void>;
}

/** A file that waits for its store. */
interface Waiting {
  readonly store: string;
  readonly key: string;
  readonly isHidden: boolean;
  readonly size: number;
}

/**
 * Replaces the database and the files of a project by those of a backup.
 *
 * @throws UsageError in one line if the backup is damaged, or does not fit the project; nothing is changed then.
 */
export async function restoreBackup(request: RestoreRequest): Promise<ReadBackup> {
  const { folder, stores, copiesOf } = request;
  const database = path.join(folder, 'database');
  const waiting = new WaitingFiles(folder, stores);
  const onFile = stores.length === 0 ? undefined : (file: StoredFile) => waiting.add(file);
  const { stream, key } = request;
  await waiting.open();
  const reading = readBackup(stream, { key, copiesOf, database, ...(onFile && { onFile }) });
  const backup = await reading.finally(() => waiting.complete());
  await request.confirm(backup);
  await copiesOf(backup.manifest.database.form)!.restore(database);
  await waiting.store();
  return backup;
}

class WaitingFiles {
  readonly #folder: string;
  readonly #stores: readonly Storage[];
  readonly #list: string;
  #handle: Awaited<ReturnType<typeof open>> | undefined;
  #count = 0;

  constructor(folder: string, stores: readonly Storage[]) {
    this.#folder = path.join(folder, 'files');
    this.#list = path.join(folder, 'files.jsonl');
    this.#stores = stores;
  }

  async open(): Promise<void> {
    await mkdir(this.#folder);
    this.#handle = await open(this.#list, 'wx');
  }

  /** @throws UsageError if the project has no store for the file. */
  async add({ store, key, isHidden, content }: StoredFile): Promise<void> {
    const storage = this.#storeOf(store);
    if (storage.keyOf(storage.urlOf(key)) !== key)
      throw new UsageError(`the backup has a file that its store cannot have: ${key}`, 1);
    const file = createWriteStream(this.#pathOf(this.#count++), { flags: 'wx' });
    await pipeline(content, file);
    const waiting: Waiting = { store, key, isHidden, size: file.bytesWritten };
    await this.#handle!.write(`${JSON.stringify(waiting)}\n`);
  }

  async complete(): Promise<void> {
    await this.#handle!.close();
  }

  /** Puts all files into their stores. */
  async store(): Promise<void> {
    let number = 0;
    for await (const line of linesOf(createReadStream(this.#list))) {
      const { store, key, isHidden, size } = JSON.parse(line) as Waiting;
      const storage = this.#storeOf(store);
      const mime = lookup(key) || 'application/octet-stream';
      await storage.put(key, { path: this.#pathOf(number++), size, mime });
      if (isHidden) await storage.hide?.(key, true);
    }
  }

  #pathOf = (number: number): string => path.join(this.#folder, String(number));

  #storeOf(name: string): Storage {
    const storage = this.#stores.find((one) => one.name === name);
    if (storage) return storage;
    throw new UsageError(
      `the backup has files of the store ${name}, which is not configured here: configure it, or use --without-files`,
      1,
    );
  }
}
