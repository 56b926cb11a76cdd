/**
 * Keeps bytes and records consistent: undoes failed uploads and replacements, at once when a transaction fails, and at
 * the next start after a kill.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { documentLock } from '../../content/rows/locks.ts';
import { layoutOfModel, type ReadContext } from '../../content/rows/write-context.ts';
import type { CurrentTransaction } from '../../db/interface/database.ts';
import type { Lock, Transaction } from '../../db/interface/transaction.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { logFailure, storageFailure } from '../failures.ts';
import { fileType, readRecord } from '../file-record.ts';
import type { MediaContext } from '../media-context.ts';
import type { Storage } from '../storage/storage.ts';
import { restore } from '../storage/stored-bytes.ts';
import { findTrashed, hideStored } from '../trashed.ts';
import { endJournal, type ReplaceEntry, readJournal, type UploadEntry, writeJournal } from './journal.ts';

/** Serialises the transaction of an upload and the check for its outcome. */
export async function lockUpload(tx: Transaction, hashes: readonly string[]): Promise<void> {
  await tx.lock(() => locksOf(hashes));
}

const locksOf = (hashes: readonly string[]): Lock[] => hashes.map((hash) => documentLock(FILE_UID, hash));

/**
 * Removes the bytes of an upload unless its records exist after all: a connection may be lost between a commit and its
 * answer.
 *
 * @throws Error of a database or store that cannot be reached, after everything else was removed. The journal then
 *   contains the rest.
 */
async function undoUpload(context: MediaContext, entry: UploadEntry, folder: string): Promise<void> {
  const remaining = new Set(entry.keys);
  try {
    await removeUpload(context, entry, remaining);
  } catch (error) {
    await writeJournal(folder, context.databaseName, { ...entry, keys: [...remaining] }).catch((failure: unknown) =>
      logFailure('the files of a failed upload could not be recorded for removal', failure),
    );
    throw error;
  }
}

/** @param remaining the keys; removed ones are deleted from it. */
async function removeUpload(
  context: MediaContext,
  { store: name, hashes, keys, placed }: UploadEntry,
  remaining: Set<string>,
): Promise<void> {
  const store = requireStore(context, name);
  const isRecorded = await readOutcome(context, locksOf(hashes), async (read) => {
    const { table } = layoutOfModel(read, fileType(read));
    return (await read.tables.select(table, ['id'], { hash: hashes })).length > 0;
  });
  if (isRecorded || (await findTrashed(context.database, ({ hash }) => hashes.includes(hash)))) return;
  const failures: unknown[] = [];
  for (const key of keys) {
    const file = placed?.[key];
    try {
      await (file && store.drop ? store.drop(file) : store.remove(key));
      remaining.delete(key);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Restores the bytes that a replacement has overwritten, unless its record shows that it is finished. The caller has
 * the file's lease.
 *
 * @throws as `undoUpload`.
 */
export async function undoReplace(context: MediaContext, entry: ReplaceEntry, folder: string): Promise<void> {
  const { store: name, record, files } = entry;
  const store = requireStore(context, name);
  const found = await readRecord(context.writer.reading(context.database), record.id);
  const locks = found ? [documentLock(FILE_UID, found.documentId)] : [];
  const now = found && (await readOutcome(context, locks, (read) => readRecord(read, record.id)));
  const trashed = now ? undefined : await findTrashed(context.database, ({ id }) => id === record.id);
  const last = now ?? trashed;
  if (!last) for (const { key } of files) await store.remove(key);
  else if (last.updatedAt === record.updatedAt && last.url === record.url && last.provider === record.provider) {
    await restore(store, files, folder);
    if (trashed) await hideStored([store], trashed, true);
  }
}

/** The store of a journal. */
function requireStore({ stores }: MediaContext, name: string): Storage {
  const store = stores.find((store) => store.name === name);
  if (!store) throw new Error(`there is no store ${name}`);
  return store;
}

/** Settles the unfinished work of dead processes. Failures are remaining for the next start. */
export async function settleStale(context: MediaContext): Promise<void> {
  const { incoming, leases } = context;
  await incoming.removeStale(async (folder, process) => {
    const journal = await readJournal(folder);
    if (!journal) return;
    const { database, entry } = journal;
    // only the journal's own database knows the outcome
    if (database !== context.databaseName) throw new Error(`${path.basename(folder)} belongs to another database`);
    await leases.endOf(process);
    if (entry.kind === 'upload') await undoUpload(context, entry, folder);
    else {
      await leases.withFile(entry.record.id, async () => {
        // another starting process may have settled it
        if (await stat(folder).catch(() => undefined)) await undoReplace(context, entry, folder);
      });
    }
    await endJournal(folder);
  });
}

/** Reads committed data; on engines with concurrent writers, after the transaction that may still commit. */
function readOutcome<T>(
  { database, writer }: MediaContext,
  locks: readonly Lock[],
  read: (context: ReadContext) => Promise<T>,
): Promise<T> {
  if (!database.dialect.lock) return read(writer.reading(database));
  const work = async (tx: Transaction): Promise<T> => {
    await tx.lock(() => locks);
    return read(writer.reading(tx));
  };
  return database.transaction(work, { onlyReads: true });
}

/** An upload in two steps. */
export interface Upload<T> {
  /** What it stores, and the folder of its request. */
  readonly entry: UploadEntry;
  readonly folder: string;
  /** Stores the bytes; after a failure none are remaining. */
  store(): Promise<void>;
  /** Inserts the records in one transaction. */
  record(): Promise<T>;
}

/**
 * Stores the bytes of an upload and inserts its records, both or neither. Within a transaction of other code, the bytes
 * stay after a commit and are removed after a rollback.
 *
 * @throws errors of its steps; ContentError 503 and 507 if nothing can be stored.
 */
export async function journaled<T>(context: MediaContext, upload: Upload<T>): Promise<T> {
  const { current } = context.database;
  if (current) return joined(context, upload, current);
  const { entry, folder } = upload;
  await writeJournal(folder, context.databaseName, entry);
  await upload.store().catch(async (error: unknown) => {
    await endJournal(folder);
    throw error;
  });
  const answer = await upload.record().catch(async (error: unknown) => {
    await undo(context, entry, folder);
    throw error;
  });
  await endJournal(folder);
  return answer;
}

/** The journal has its own folder, since that of the request may be removed before the transaction ends. */
async function joined<T>(
  context: MediaContext,
  { entry, store, record }: Upload<T>,
  current: CurrentTransaction,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const lent = context.incoming.lend(async (folder) => {
    await writeJournal(folder, context.databaseName, entry);
    const isMade = store()
      .then(record)
      .then(
        (answer) => {
          resolve(answer);
          return true;
        },
        (error: unknown) => {
          reject(error);
          return false;
        },
      );
    const settle = async (isCommitted: boolean): Promise<void> => {
      // code may commit although the upload was refused
      if ((await isMade) && isCommitted) await endJournal(folder);
      else await undo(context, entry, folder);
    };
    await new Promise<void>((settled, failed) => {
      current.onEnd((isCommitted) => settle(isCommitted).then(settled, failed));
    });
  });
  lent.catch((error: unknown) => reject(storageFailure(error)));
  return promise;
}

async function undo(context: MediaContext, entry: UploadEntry, folder: string): Promise<void> {
  await undoUpload(context, entry, folder).then(
    () => endJournal(folder),
    (failure: unknown) => logFailure('the next start removes the files of a failed upload', failure),
  );
}
