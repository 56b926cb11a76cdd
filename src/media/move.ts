/**
 * Moves a library from one store to another while it is in use: first a file's bytes, then its record in one statement,
 * so every address leads to bytes at any time. A second run continues where the first ended.
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

/** Files copied at once. */
const AT_ONCE = 4;
/** Attempts for a file whose record changes meanwhile. */
const ATTEMPTS = 5;
/** Failures in a row after which the store counts as unreachable. */
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
  /** Copied bytes. */
  readonly bytes: number;
}

/** A file that could not be moved. */
export interface UnmovedFile {
  readonly id: number;
  readonly name: string;
  readonly reason: string;
}

export interface MoveResult {
  /** MoveResult files. */
  readonly files: number;
  /** Copied bytes, without objects that were already there. */
  readonly bytes: number;
  readonly unmoved: readonly UnmovedFile[];
}

/**
 * Copies every file of one store to the other and changes its record. Files that cannot be moved stay and are reported
 * at the end.
 *
 * @throws Error of a store that seems unreachable; files moved until then stay moved.
 */
export async function moveLibrary(request: MoveRequest): Promise<MoveResult> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'galley-move-'));
  const seen = new Set<number>();
  const unmoved: UnmovedFile[] = [];
  let files = 0;
  let done = 0;
  let bytes = 0;
  let failures = 0;
  const move = async (id: number): Promise<void> => {
    try {
      const outcome = await request.leases.withFile(id, (lease) => moveFile(request, lease, id, scratch));
      if (outcome.unmoved) unmoved.push(outcome.unmoved);
      else if (outcome.moved) files++;
      bytes += outcome.bytes;
      failures = 0;
    } catch (error) {
      if (++failures === FAILURES_IN_A_ROW) throw error;
      unmoved.push({ id, name: await nameOf(request, id), reason: failureText(error) });
    }
    request.onProgress({ files: seen.size, done: ++done, bytes });
  };
  try {
    // files that are uploaded to the old store meanwhile are found by another pass
    for (let ids = await idsOf(request); ids.length > 0; ids = (await idsOf(request)).filter((id) => !seen.has(id))) {
      for (const id of ids) seen.add(id);
      await inParallel(AT_ONCE, ids, move);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return { files, bytes, unmoved: unmoved.sort((a, b) => a.id - b.id) };
}

/** An error without addresses and keys that its message might quote. */
export function failureText(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  return [name, code, message].filter(Boolean).slice(0, 2).join(' ');
}

async function nameOf({ database, writer }: MoveRequest, id: number): Promise<string> {
  return (await readRecord(writer.reading(database), id))?.name ?? String(id);
}

/** Row ids of the files in the store to move from. */
async function idsOf({ database, writer, from }: Pick<MoveRequest, 'database' | 'writer' | 'from'>): Promise<number[]> {
  const context = writer.reading(database);
  const { table } = layoutOfModel(context, fileType(context));
  return (await context.tables.select(table, ['id'], { provider: [...from.names] }, ['id'])).map(([id]) => Number(id));
}

/** A record with the preview address that Strapi's panel may have stored. */
interface MovedRecord extends StoredRecord {
  readonly previewUrl: string | null;
}

interface MoveOutcome {
  readonly unmoved?: UnmovedFile;
  /** Whether its record was changed; it may have been removed or moved meanwhile. */
  readonly moved: boolean;
  readonly bytes: number;
}

async function moveFile(request: MoveRequest, lease: Lease, id: number, folder: string): Promise<MoveOutcome> {
  const { database, writer, from, to } = request;
  let bytes = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const record = await readMoved(writer.reading(database), id);
    if (!record || !from.names.has(record.provider)) return { moved: false, bytes };
    const leave = (reason: string) => ({ unmoved: { id, name: record.name, reason }, moved: false, bytes });
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
    // no record refers to the copies
    if (outcome === 'gone') await removeKeys(to, copies);
    if (outcome === 'gone') return { moved: false, bytes };
  }
  const reason = 'it kept changing while it was being moved';
  return { unmoved: { id, name: await nameOf(request, id), reason }, moved: false, bytes };
}

const REASONS = {
  missing: (key: string) => `${key} is missing`,
  damaged: (key: string) => `${key} was not copied correctly`,
  taken: (key: string) => `another file is named ${key}`,
} as const;

function addressesOf(record: MovedRecord): { readonly url: string; readonly mime: string }[] {
  const preview = record.previewUrl === null ? [] : [{ url: record.previewUrl, mime: record.mime }];
  // another program may have stored anything in `formats`
  const formats = Object.values(record.formats ?? {}).filter((format) => typeof format?.url === 'string');
  return [record, ...formats, ...preview];
}

/** Writes the new addresses into a record, unless it has changed since it was read. */
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
 * Removes the bytes of moved files from their old store. Objects without a counterpart in the new store stay. Returns
 * the number of removed objects.
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
 * The result of copying an object: copied, already there, missing at the source, damaged by the copy, or its key is
 * used by another object.
 */
export type CopyOutcome = 'copied' | 'present' | 'missing' | 'damaged' | 'taken';

export interface ObjectCopy {
  readonly from: Storage;
  readonly to: Storage;
  readonly sourceKey: string;
  readonly targetKey: string;
  /** The media type to serve it with. */
  readonly mime: string;
  /** A folder for a temporary file, which the caller removes. */
  readonly scratch: string;
}

/**
 * Copies an object and verifies the copy by its SHA-256. An equal object is unmoved alone. Other bytes under the same key
 * are replaced, since an earlier copy may have been cut off, unless the key differs from that of the source.
 */
async function copyVerified(copy: ObjectCopy): Promise<{ outcome: CopyOutcome; bytes: number }> {
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

/** Reads a stream to its end, and writes it to a target if there is one. */
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
