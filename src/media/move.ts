/**
 * Moving a library from one store to another while it is in use: the bytes of a file first, then its record in one
 * statement, so that every address leads to bytes at any time. A record that is switched is done: a second run goes on
 * where the first ended.
 */

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Writer } from '../content/documents/writer.ts';
import { encode, layoutOfModel, type ReadContext } from '../content/rows/write-context.ts';
import type { Database } from '../db/interface/database.ts';
import { inParallel } from '../semaphore.ts';
import type { SqlValue } from '../sql/fragment.ts';
import { type FileFormats, fileType, lockRecord, readRecord, type StoredRecord } from './file-record.ts';
import type { FileLeases, Lease } from './safety/file-lease.ts';
import type { Storage } from './storage/storage.ts';
import { removeKeys } from './storage/stored-bytes.ts';

/** Files that are copied at once. */
const AT_ONCE = 4;
/** How often a file is copied again whose record another program changes meanwhile. */
const ATTEMPTS = 5;
/** Files that fail one after another before the store counts as out of reach. */
const FAILURES_IN_A_ROW = 20;

export interface MoveRequest {
  readonly database: Database;
  readonly writer: Writer;
  readonly leases: FileLeases;
  readonly from: Storage;
  readonly to: Storage;
  /** Called after each file. */
  readonly onProgress: (progress: MoveProgress) => void;
}

export interface MoveProgress {
  readonly files: number;
  readonly done: number;
  /** Bytes that were copied. */
  readonly bytes: number;
}

/** A file that stays where it is. */
export interface LeftFile {
  readonly id: number;
  readonly name: string;
  readonly reason: string;
}

export interface Moved {
  /** Files whose records were switched. */
  readonly files: number;
  /** Bytes that were copied; what was there already is not counted. */
  readonly bytes: number;
  readonly left: readonly LeftFile[];
}

/**
 * Copies every file whose record names the one store to the other and switches its record. A file that cannot be moved
 * stays as it is and is reported at the end.
 *
 * @throws whatever a store throws that seems to be out of reach; what was switched until then stays switched.
 */
export async function moveLibrary(request: MoveRequest): Promise<Moved> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'galley-move-'));
  const seen = new Set<number>();
  const left: LeftFile[] = [];
  let files = 0;
  let done = 0;
  let bytes = 0;
  let failures = 0;
  const move = async (id: number): Promise<void> => {
    try {
      const outcome = await request.leases.withFile(id, (lease) => moveFile(request, lease, id, scratch));
      if (outcome.left) left.push(outcome.left);
      else if (outcome.moved) files++;
      bytes += outcome.bytes;
      failures = 0;
    } catch (error) {
      if (++failures === FAILURES_IN_A_ROW) throw error;
      left.push({ id, name: await nameOf(request, id), reason: failureText(error) });
    }
    request.onProgress({ files: seen.size, done: ++done, bytes });
  };
  try {
    // what is uploaded to the old store meanwhile is found by another look
    for (let ids = await idsOf(request); ids.length > 0; ids = (await idsOf(request)).filter((id) => !seen.has(id))) {
      for (const id of ids) seen.add(id);
      await inParallel(AT_ONCE, ids, move);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return { files, bytes, left: left.sort((a, b) => a.id - b.id) };
}

/** What went wrong, without addresses and keys that a message might quote. */
export function failureText(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  return [name, code, message].filter(Boolean).slice(0, 2).join(' ');
}

async function nameOf({ database, writer }: MoveRequest, id: number): Promise<string> {
  return (await readRecord(writer.reading(database), id))?.name ?? String(id);
}

/** Row ids of the files whose record names the store to move from. */
async function idsOf({ database, writer, from }: Pick<MoveRequest, 'database' | 'writer' | 'from'>): Promise<number[]> {
  const context = writer.reading(database);
  const { table } = layoutOfModel(context, fileType(context));
  return (await context.tables.select(table, ['id'], { provider: [...from.names] }, ['id'])).map(([id]) => Number(id));
}

/** A file's record with the address that Strapi's panel may have of a still of it. */
interface MovedRecord extends StoredRecord {
  readonly previewUrl: string | null;
}

interface MoveOutcome {
  readonly left?: LeftFile;
  /** Whether its record was switched: it may be gone, or elsewhere by now. */
  readonly moved: boolean;
  readonly bytes: number;
}

async function moveFile(request: MoveRequest, lease: Lease, id: number, folder: string): Promise<MoveOutcome> {
  const { database, writer, from, to } = request;
  let bytes = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const record = await readMoved(writer.reading(database), id);
    if (!record || !from.names.has(record.provider)) return { moved: false, bytes };
    const leave = (reason: string) => ({ left: { id, name: record.name, reason }, moved: false, bytes });
    if (from.keyOf(record.url) === undefined) return leave(`${record.url} is not an address of ${from.name}`);
    const moved = new Map<string, string>();
    const copies = new Set<string>();
    for (const { url, mime } of addressesOf(record)) {
      const key = from.keyOf(url);
      if (key === undefined || moved.has(url)) continue;
      const targetKey = to.flat ? path.posix.basename(key) : key;
      const scratch = await mkdtemp(path.join(folder, 'file-'));
      lease.require();
      const copied = await copyVerified({ from, to, sourceKey: key, targetKey, mime, scratch });
      await rm(scratch, { recursive: true, force: true });
      if (copied.outcome !== 'copied' && copied.outcome !== 'present') return leave(REASONS[copied.outcome](key));
      if (copied.outcome === 'copied') bytes += copied.bytes;
      moved.set(url, to.urlOf(targetKey));
      copies.add(targetKey);
    }
    const outcome = await switchRecord(request, lease, record, moved);
    if (outcome === 'switched') return { moved: true, bytes };
    // nothing names the copies
    if (outcome === 'gone') await removeKeys(to, copies);
    if (outcome === 'gone') return { moved: false, bytes };
  }
  const reason = 'it kept changing while it was being moved';
  return { left: { id, name: await nameOf(request, id), reason }, moved: false, bytes };
}

const REASONS = {
  missing: (key: string) => `${key} is missing`,
  damaged: (key: string) => `${key} was not copied correctly`,
  taken: (key: string) => `another file is named ${key}`,
} as const;

function addressesOf(record: MovedRecord): { readonly url: string; readonly mime: string }[] {
  const preview = record.previewUrl === null ? [] : [{ url: record.previewUrl, mime: record.mime }];
  // another program may have stored anything below `formats`
  const formats = Object.values(record.formats ?? {}).filter((format) => typeof format?.url === 'string');
  return [record, ...formats, ...preview];
}

/** Puts the new addresses into a record, if it is as it was read. */
async function switchRecord(
  { database, writer, to }: MoveRequest,
  lease: Lease,
  record: MovedRecord,
  moved: ReadonlyMap<string, string>,
): Promise<'switched' | 'changed' | 'gone'> {
  return database.transaction(async (tx) => {
    await lease.confirm(tx);
    const context = writer.context(tx);
    const now = await lockRecord(context, record.id);
    if (!now) return 'gone';
    if (now.updatedAt !== record.updatedAt || now.url !== record.url || now.provider !== record.provider) {
      return 'changed';
    }
    const columns = new Map<string, SqlValue>([
      ['url', moved.get(record.url)!],
      ['provider', to.name],
      ['formats', encode(context, 'json', JSON.stringify(switched(record.formats, moved)))],
    ]);
    if (record.formats === null) columns.delete('formats');
    if (record.previewUrl !== null) columns.set('preview_url', moved.get(record.previewUrl) ?? record.previewUrl);
    await context.tables.update(layoutOfModel(context, fileType(context)).table, columns, { id: record.id });
    return 'switched';
  });
}

function switched(formats: FileFormats | null, moved: ReadonlyMap<string, string>): unknown {
  const entries = Object.entries(formats ?? {});
  const renewed = entries.map(([key, format]) => {
    const url = moved.get(format?.url);
    return [key, url === undefined ? format : { ...format, url }];
  });
  return Object.fromEntries(renewed);
}

async function readMoved(context: ReadContext, id: number): Promise<MovedRecord | undefined> {
  const record = await readRecord(context, id);
  if (!record) return undefined;
  const { table } = layoutOfModel(context, fileType(context));
  const [row] = await context.tables.select(table, ['preview_url'], { id });
  const previewUrl = row?.[0];
  return { ...record, previewUrl: typeof previewUrl === 'string' && previewUrl !== '' ? previewUrl : null };
}

/**
 * Removes the bytes of switched files from the store that they were in. What no record in the other store answers for
 * stays, and so does what is not there. Gives the number of objects removed.
 */
export async function removeMoved({
  database,
  writer,
  from,
  to,
}: Omit<MoveRequest, 'leases' | 'onProgress'>): Promise<number> {
  const inNewStore = new Set<string>();
  const inOldStore = new Set<string>();
  const context = writer.reading(database);
  for (const store of [from, to]) {
    for (const id of await idsOf({ database, writer, from: store })) {
      const record = await readMoved(context, id);
      for (const { url } of record ? addressesOf(record) : []) {
        const key = store.keyOf(url);
        if (key !== undefined) (store === to ? inNewStore : inOldStore).add(key);
      }
    }
  }
  let removed = 0;
  for await (const { key } of from.list()) {
    const newKey = to.flat ? path.posix.basename(key) : key;
    if (inOldStore.has(key) || !inNewStore.has(newKey) || (await to.stat(newKey)) === undefined) continue;
    await from.remove(key);
    removed++;
  }
  return removed;
}

/**
 * What became of an object: it is there now, it was there already, its bytes are missing, it arrived wrong, or another
 * object has the key that it would get.
 */
export type CopyOutcome = 'copied' | 'present' | 'missing' | 'damaged' | 'taken';

export interface ObjectCopy {
  readonly from: Storage;
  readonly to: Storage;
  readonly sourceKey: string;
  readonly targetKey: string;
  /** Media type that it is served with. */
  readonly mime: string;
  /** A file of this name may be made, and is left for the caller to remove. */
  readonly scratch: string;
}

/**
 * Copies an object and reads it back. One that is there already with the same SHA-256 is left; other bytes under the
 * same key are replaced, since an earlier copy may have been cut off, unless the key is another than the source's.
 */
export async function copyVerified(copy: ObjectCopy): Promise<{ outcome: CopyOutcome; bytes: number }> {
  const { from, to, sourceKey, targetKey, mime, scratch } = copy;
  const present = await to.stat(targetKey);
  if (present) {
    const source = await digest(from, sourceKey);
    if (source === undefined) return { outcome: 'missing', bytes: 0 };
    const same = present.size === source.bytes && (await digest(to, targetKey))?.sha256 === source.sha256;
    if (same) return { outcome: 'present', bytes: source.bytes };
    if (targetKey !== sourceKey) return { outcome: 'taken', bytes: 0 };
  }
  const content = await from.get(sourceKey);
  if (content === undefined) return { outcome: 'missing', bytes: 0 };
  const file = path.join(scratch, path.posix.basename(targetKey));
  const source = await hashed(content, createWriteStream(file));
  await to.put(targetKey, { path: file, size: source.bytes, mime });
  const stored = await digest(to, targetKey);
  if (stored?.sha256 === source.sha256) return { outcome: 'copied', bytes: source.bytes };
  await to.remove(targetKey);
  return { outcome: 'damaged', bytes: 0 };
}

interface Digest {
  readonly sha256: string;
  readonly bytes: number;
}

async function digest(storage: Storage, key: string): Promise<Digest | undefined> {
  const content = await storage.get(key);
  return content && hashed(content);
}

/** Reads a stream to its end, passing it on where a target is given. */
async function hashed(content: Readable, target?: NodeJS.WritableStream): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      if (target) yield chunk;
    }
  };
  if (target) await pipeline(content, count, target);
  else for await (const _ of count(content));
  return { sha256: hash.digest('hex'), bytes };
}
