/** Putting the bytes of several files into the store and taking them out again, all or none. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { logFailure, storageFailure } from '../failures.ts';
import type { KeyedFile } from '../prepared-file.ts';
import type { LocalFile, Storage } from './storage.ts';

/**
 * Stores files under new keys. When one fails those before it are removed again.
 *
 * @throws ContentError 507 without room, 503 when the store cannot be reached.
 */
export async function putNew(storage: Storage, objects: readonly KeyedFile[]): Promise<void> {
  for (const [index, { key, file }] of objects.entries()) {
    try {
      await putFile(storage, { key, file });
    } catch (error) {
      await removeKeys(
        storage,
        objects.slice(0, index).map((object) => object.key),
      );
      // its answer may have been lost
      await storage.remove(key).catch((failure: unknown) => {
        logFailure(`the file ${key} could not be stored; if any of it was, it is still there`, failure);
      });
      throw error;
    }
  }
}

/**
 * Stores a file in place of what its key held.
 *
 * @throws ContentError 507 without room, 503 when the store cannot be reached.
 */
export async function putFile(storage: Storage, { key, file }: KeyedFile): Promise<void> {
  await storage.put(key, file).catch((error: unknown) => {
    throw storageFailure(error);
  });
}

/**
 * Removes objects whose record is gone. One that cannot be removed is reported on stderr: nothing refers to it any
 * more, and `galley doctor` finds it.
 */
export async function removeKeys(storage: Storage, keys: Iterable<string>): Promise<void> {
  for (const key of keys) {
    await storage.remove(key).catch((error: unknown) => logFailure(`the stored file ${key} was not removed`, error));
  }
}

/** A stored file and the media type that it is served with. */
export interface StoredFile {
  readonly key: string;
  readonly mime: string;
}

/** A key, and the name under which what it held before is kept in a request's folder; null: it held nothing. */
export interface KeptFile extends StoredFile {
  readonly backup: string | null;
}

/**
 * Saves the objects of some keys in `folder`, before they are overwritten.
 *
 * @throws ContentError 507 without room, 503 when the store cannot be reached.
 */
export async function backUp(storage: Storage, files: readonly StoredFile[], folder: string): Promise<KeptFile[]> {
  const kept: KeptFile[] = [];
  try {
    for (const [index, { key, mime }] of files.entries()) {
      const backup = `backup-${index}`;
      const isThere = await keep(storage, key, path.join(folder, backup));
      kept.push({ key, mime, backup: isThere ? backup : null });
    }
  } catch (error) {
    throw storageFailure(error);
  }
  return kept;
}

async function keep(storage: Storage, key: string, file: string): Promise<boolean> {
  if (storage.keep) return storage.keep(key, file);
  const content = await storage.get(key);
  if (!content) return false;
  await pipeline(content, createWriteStream(file, { flags: 'wx', flush: true }));
  return true;
}

/**
 * Gives keys back what they held. What was given back before is passed over, so that it may be done again.
 *
 * @throws whatever the store throws, after all the others have been restored.
 */
export async function restore(storage: Storage, files: readonly KeptFile[], folder: string): Promise<void> {
  const failures: unknown[] = [];
  for (const { key, mime, backup } of files) {
    try {
      if (backup === null) await storage.remove(key);
      else await putBack(storage, key, { path: path.join(folder, backup), mime });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function putBack(storage: Storage, key: string, { path, mime }: Omit<LocalFile, 'size'>): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found) await storage.put(key, { path, size: found.size, mime });
}
