/** Reads backups, and checks all of them: every entry, its checksum, the rows of the database and the end. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { DatabaseCopies, TableRows } from '../db/interface/database-copies.ts';
import { UsageError } from '../errors.ts';
import { readTar } from '../transfer/archive/tar.ts';
import {
  CHECKSUMS_ENTRY,
  checksumLine,
  DATABASE_ENTRY,
  FILES_FOLDER,
  LARGEST_MANIFEST,
  MANIFEST_ENTRY,
  type Manifest,
  parseManifest,
} from './manifest.ts';
import { isSealed, unsealWith } from './sealing.ts';

/** A file of a backup. */
export interface StoredFile {
  /** The name of its store. */
  readonly store: string;
  readonly key: string;
  /** Whether it was in the trash, hidden from the web. */
  readonly isHidden: boolean;
  readonly content: AsyncIterable<Buffer>;
}

export interface ReadRequest {
  readonly key: string | undefined;
  /** The copies of the form that a backup has; undefined for an unknown one. */
  readonly copiesOf: (form: string) => DatabaseCopies | undefined;
  /** Where the copy of the database is put. */
  readonly database: string;
  /** Takes each file. Left out: they are only checked. */
  readonly onFile?: (file: StoredFile) => Promise<void>;
}

/** A backup that was read to its end, and is as it was written. */
export interface ReadBackup {
  readonly manifest: Manifest;
  readonly rows: TableRows;
}

/**
 * Reads a whole backup.
 *
 * @throws UsageError in one line if the key is wrong or missing, and if the backup is damaged or cut off.
 */
export async function readBackup(stream: Readable, request: ReadRequest): Promise<ReadBackup> {
  try {
    return await read(stream, request);
  } catch (error) {
    throw refusalOf(error);
  } finally {
    stream.destroy();
  }
}

async function read(stream: Readable, request: ReadRequest): Promise<ReadBackup> {
  const all = createHash('sha256');
  let checksums: string | undefined;
  let manifest: Manifest | undefined;
  const files = { count: 0, bytes: 0 };
  let hasDatabase = false;
  for await (const { name, size, isFile, chunks } of readTar(await plainBytes(stream, request.key))) {
    if (!isFile) throw damaged(`${name} is no file`);
    if (manifest) throw damaged(`it goes on after ${MANIFEST_ENTRY}`);
    if (name === MANIFEST_ENTRY) {
      if (size > LARGEST_MANIFEST) throw damaged(`${name} is too long`);
      manifest = parseManifest((await buffer(chunks())).toString());
      continue;
    }
    const hash = createHash('sha256');
    const bytes = passing(chunks(), (chunk) => hash.update(chunk));
    if (name === DATABASE_ENTRY) {
      hasDatabase = true;
      await pipeline(bytes, createWriteStream(request.database, { flags: 'wx', mode: 0o600 }));
    } else if (name.startsWith(FILES_FOLDER)) {
      await request.onFile?.({ ...fileOf(name), content: bytes });
      files.count++;
      files.bytes += size;
    }
    for await (const _chunk of bytes);
    const sum = hash.digest('hex');
    if (name === CHECKSUMS_ENTRY) checksums = sum;
    else all.update(checksumLine(sum, name));
  }
  if (!manifest) throw damaged('it is cut off');
  if (checksums !== manifest.checksums || all.digest('hex') !== checksums) throw damaged('a checksum is wrong');
  if (!hasDatabase) throw damaged('it has no database');
  if (files.count !== manifest.files.count || files.bytes !== manifest.files.bytes) throw damaged('files are missing');
  const copies = request.copiesOf(manifest.database.form);
  if (!copies)
    throw new UsageError(
      `the database of the backup has the form ${manifest.database.form}, which cannot be read here`,
      1,
    );
  const rows = await copies.check(request.database);
  if (!isSame(rows, manifest.database.rows)) throw damaged('rows are missing');
  return { manifest, rows };
}

/** Errors of the decompression mean that the backup is damaged. */
function refusalOf(error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code.startsWith('Z_') ? damaged(message) : error;
}

const damaged = (reason: string): UsageError => new UsageError(`the backup is damaged: ${reason}`, 1);

/** Whether two tables of numbers are equal. */
const isSame = (one: TableRows, other: TableRows): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, count]) => other[name] === count);

/** `files/local/a.png`, `files/.trash/local/a.png`. */
function fileOf(name: string): Omit<StoredFile, 'content'> {
  const [first, ...rest] = name.slice(FILES_FOLDER.length).split('/');
  const isHidden = first === '.trash';
  const [store = '', ...key] = isHidden ? rest : [first, ...rest];
  return { store, key: key.join('/'), isHidden };
}

/** The bytes of the archive without encryption and compression, which its beginning tells. */
async function plainBytes(stream: Readable, key: string | undefined): Promise<AsyncIterable<Buffer>> {
  const whole = await sniffed(stream);
  if (!isSealed(whole.start)) return decompressed(whole);
  if (key === undefined) throw new UsageError('the backup is encrypted: set GALLEY_BACKUP_KEY, or use --key', 1);
  return decompressed(await sniffed(joined([whole.bytes, unsealWith(key)])));
}

interface Sniffed {
  readonly start: Buffer;
  readonly bytes: Readable;
}

/** A stream with its first bytes. */
async function sniffed(stream: Readable): Promise<Sniffed> {
  const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let start = Buffer.alloc(0);
  while (start.length < 32) {
    const { value, done } = await iterator.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { start, bytes: Readable.from(all(), { objectMode: false }) };
}

const decompressed = ({ start, bytes }: Sniffed): Readable =>
  start[0] === 0x1f && start[1] === 0x8b ? joined([bytes, createGunzip()]) : bytes;

/** The last of some streams, which fails if any of them does. */
function joined([first, ...rest]: readonly [Readable, ...NodeJS.ReadWriteStream[]]): Readable {
  const end = new PassThrough();
  pipeline([first, ...rest, end]).catch((error: Error) => void end.destroy(error));
  return end;
}

async function* passing(content: AsyncIterable<Buffer>, see: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    see(chunk);
    yield chunk;
  }
}
