/** Bytes that are stored before their records are made: in the end both are there, or neither. */
import type { Joined } from '../../db/interface/database.ts';
import { logFailure, storageFailure } from '../failures.ts';
import type { MediaContext } from '../media-context.ts';
import { endJournal, type UploadEntry, writeJournal } from './journal.ts';
import { undoUpload } from './recovery.ts';

/** An upload, in two steps. */
export interface Upload<T> {
  /** What it is about to store, and the folder of its request. */
  readonly entry: UploadEntry;
  readonly folder: string;
  /** Stores the bytes; where it fails, none of them are left. */
  store(): Promise<void>;
  /** Makes the records, in one transaction. */
  record(): Promise<T>;
}

/**
 * Makes an upload. Within a transaction that somebody else ends, its bytes are there once that is committed, and gone
 * where it is rolled back.
 *
 * @throws whatever its steps throw; ContentError 503 and 507 where nothing can be stored.
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

/** The journal is kept in a folder of its own: that of the request may be gone before the transaction ends. */
async function joined<T>(context: MediaContext, { entry, store, record }: Upload<T>, current: Joined): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const kept = context.incoming.lend(async (folder) => {
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
      // code may commit although it was refused: then there may be records
      if ((await isMade) && isCommitted) await endJournal(folder);
      else await undo(context, entry, folder);
    };
    await new Promise<void>((settled, failed) => {
      current.onEnd((isCommitted) => settle(isCommitted).then(settled, failed));
    });
  });
  kept.catch((error: unknown) => reject(storageFailure(error)));
  return promise;
}

async function undo(context: MediaContext, entry: UploadEntry, folder: string): Promise<void> {
  await undoUpload(context, entry, folder).then(
    () => endJournal(folder),
    (failure: unknown) => logFailure('the files of a failed upload are left for the next start to remove', failure),
  );
}
