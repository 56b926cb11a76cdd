/** Creates backups, and opens each again before it counts as one. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { linesOf } from '../byte-lines.ts';
import type { DatabaseCopies } from '../db/interface/database-copies.ts';
import { UsageError } from '../errors.ts';
import { type Storage, storeOf } from '../media/storage/storage.ts';
import { type LibraryObject, storedLibrary } from '../media/stored-library.ts';
import { packageVersion } from '../own-files.ts';
import { FILES_TABLE } from '../schema/layout/layout.ts';
import { TRASH_TABLE } from '../sql/history.ts';
import { type ArchiveWriter, createArchive } from '../transfer/archive/write.ts';
import {
  CHECKSUMS_ENTRY,
  checksumLine,
  DATABASE_ENTRY,
  FILES_FOLDER,
  MANIFEST_ENTRY,
  type Manifest,
  manifestText,
} from './manifest.ts';
import { readBackup } from './reading.ts';
import { sealWith } from './sealing.ts';

/** What is backed up. */
export interface BackedUp {
  readonly copies: DatabaseCopies;
  /** The stores of files; empty to leave files out. */
  readonly stores: readonly Storage[];
}

export interface BackupRequest {
  readonly backedUp: BackedUp;
  /** Where backups are. */
  readonly place: Storage;
  /** The name of the new one: `x.tar` or `x.tar.gz`, with `.enc` for an encrypted one. */
  readonly name: string;
  /** A folder for files that are removed at the end, on the disk of the backup if that is local. */
  readonly scratch: string;
  /** Encrypts the backup. */
  readonly key?: string | undefined;
  readonly onStep?: ((step: BackupStep) => void) | undefined;
}

/** What is being done. */
export type BackupStep = 'database' | 'files' | 'check';

export interface Backup {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly manifest: Manifest;
}

/**
 * Backs up a project while it is in use: its database as it is at one moment, and the files that the database names
 * then. The backup is read again, and its rows and files are counted, before this resolves; a backup that is not as it
 * was written is removed.
 *
 * @throws UsageError in one line if the backup cannot be created, or is damaged.
 */
export async function createBackup(request: BackupRequest): Promise<Backup> {
  const { place, name, scratch, onStep } = request;
  const folder = await mkdtemp(path.join(scratch, '.galley-backup-'));
  try {
    const file = path.join(folder, name);
    const manifest = await write(request, folder, file);
    const { size } = await stat(file);
    await place.put(name, { path: file, size, mime: 'application/octet-stream' });
    onStep?.('check');
    try {
      await check(request, path.join(folder, 'checked'), manifest);
    } catch (error) {
      await place.remove(name);
      throw error;
    }
    return { name, size, manifest };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws UsageError if a stored backup is not as it was written. */
async function check(
  { backedUp, place, name, key }: BackupRequest,
  database: string,
  written: Manifest,
): Promise<void> {
  const copiesOf = () => backedUp.copies;
  const { manifest } = await readBackup(await openIn(place, name), { key, copiesOf, database });
  if (manifest.checksums !== written.checksums) throw new UsageError(`the backup ${name} is not as it was written`, 1);
}

/** The bytes of a backup. @throws UsageError if it does not exist. */
export async function openIn(place: Storage, name: string): Promise<Readable> {
  const stream = await place.get(name);
  if (!stream) throw new UsageError(`there is no backup ${name}`, 1);
  return stream;
}

async function write({ backedUp, key, onStep }: BackupRequest, folder: string, file: string): Promise<Manifest> {
  const { copies, stores } = backedUp;
  onStep?.('database');
  const createdAt = new Date().toISOString();
  const database = path.join(folder, 'database');
  // the files that the database names are listed by its copy, and read afterwards
  const list = path.join(folder, 'files.jsonl');
  const rows = await copies.create(database, async (snapshot, { [FILES_TABLE]: files, [TRASH_TABLE]: trash }) => {
    const objects = files === undefined ? [] : storedLibrary(snapshot, stores, trash !== undefined);
    await pipeline(lines(objects), createWriteStream(list));
  });
  const archive = new CheckedArchive(
    await createArchive(file, key === undefined ? undefined : await sealWith(key)),
    folder,
  );
  try {
    await archive.add(DATABASE_ENTRY, (await stat(database)).size, createReadStream(database));
    await rm(database);
    onStep?.('files');
    const files = await addFiles(archive, stores, list);
    const checksums = await archive.addChecksums();
    const manifest = { createdAt, galley: packageVersion(), database: { form: copies.form, rows }, files, checksums };
    const text = manifestText(manifest);
    await archive.finish(text);
    return JSON.parse(text.toString()) as Manifest;
  } catch (error) {
    await archive.discard();
    throw error;
  }
}

async function* lines(objects: AsyncIterable<LibraryObject> | Iterable<LibraryObject>): AsyncGenerator<string> {
  for await (const object of objects) yield `${JSON.stringify(object)}\n`;
}

/** Adds the files of a list. Those that are gone are counted. */
async function addFiles(archive: CheckedArchive, stores: readonly Storage[], list: string): Promise<Manifest['files']> {
  const files = { count: 0, bytes: 0, missing: 0 };
  for await (const line of linesOf(createReadStream(list))) {
    const { provider, key, isHidden } = JSON.parse(line) as LibraryObject;
    const storage = storeOf(stores, provider)!;
    const name = `${FILES_FOLDER}${isHidden ? '.trash/' : ''}${storage.name}/${key}`;
    // a line of the checksums has one name
    const found = /[\n\r]/.test(key) ? undefined : await openObject(storage, key, isHidden);
    if (!found) files.missing++;
    else {
      await archive.add(name, found.size, found.content);
      files.count++;
      files.bytes += found.size;
    }
  }
  return files;
}

/** An object, which may have been hidden or shown since it was listed. */
async function openObject(storage: Storage, key: string, isHidden: boolean) {
  const shown = [storage, storage.hidden] as const;
  for (const reader of isHidden ? shown.toReversed() : shown) {
    const size = (await reader?.stat(key))?.size;
    const content = size === undefined ? undefined : await reader!.get(key);
    if (size !== undefined && content) return { size, content };
  }
  return undefined;
}

/** An archive that gathers the checksums of its entries. */
class CheckedArchive {
  readonly #archive: ArchiveWriter;
  readonly #file: string;
  readonly #list;
  readonly #all = createHash('sha256');

  constructor(archive: ArchiveWriter, folder: string) {
    this.#archive = archive;
    this.#file = path.join(folder, CHECKSUMS_ENTRY);
    this.#list = createWriteStream(this.#file);
  }

  async add(name: string, size: number, content: Readable): Promise<void> {
    const hash = createHash('sha256');
    await this.#archive.add(name, size, hashed(content, hash));
    const line = checksumLine(hash.digest('hex'), name);
    this.#all.update(line);
    this.#list.write(line);
  }

  /** Adds the checksums of all entries so far. Returns theirs. */
  async addChecksums(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#list.on('error', reject);
      this.#list.end(resolve);
    });
    await this.#archive.add(CHECKSUMS_ENTRY, (await stat(this.#file)).size, createReadStream(this.#file));
    return this.#all.digest('hex');
  }

  async finish(manifest: Buffer): Promise<void> {
    await this.#archive.add(MANIFEST_ENTRY, manifest.length, manifest);
    await this.#archive.finish();
  }

  async discard(): Promise<void> {
    this.#list.destroy();
    await this.#archive.discard();
  }
}

async function* hashed(content: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}
