/** Putting the bytes of several files into the store and taking them out again, all or none. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { logFailure, storageFailure } from '../failures.ts';
import type { KeyedFile, LocalFile, Placed, Storage } from './storage.ts';

/** Where a store that chooses addresses by itself has put files, by their keys. */
export type Places = Map<string, Placed>;

/** A file that was put somewhere, as its store is told of it to remove it. */
export const placedFile = ({ about }: KeyedFile, { url, metadata }: Placed): object => ({
  ...about,
  url,
  provider_metadata: metadata,
});

/**
 * Stores files under new keys. When one fails those before it are removed again.
 *
 * @param places takes where they are, of a store that chooses that by itself.
 * @throws ContentError 507 without room, 503 when the store cannot be reached.
 */
export async function putNew(
  storage: Storage,
  objects: readonly KeyedFile[],
  places: Places = new Map(),
): Promise<void> {
  if (storage.place) return placeNew(storage, objects, places);
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

/** One that fails is removed by its store. */
async function placeNew(storage: Storage, objects: readonly KeyedFile[], places: Places): Promise<void> {
  for (const [index, object] of objects.entries()) {
    try {
      places.set(object.key, await storage.place!(object));
    } catch (error) {
      await dropFiles(
        storage,
        objects.slice(0, index).map((one) => placedFile(one, places.get(one.key)!)),
      );
      throw storageFailure(error);
    }
  }
}

/** Removes files of a store that knows them by their records. One that cannot be removed is reported on stderr. */
export async function dropFiles(storage: Storage, files: readonly object[]): Promise<void> {
  for (const file of files) {
    const { url } = file as { readonly url?: unknown };
    await storage.drop!(file).catch((error: unknown) => logFailure(`the stored file ${url} was not removed`, error));
  }
}

/**
 * Stores a file in place of what its key held.
 *
 * @throws ContentError 507 without room, 503 when the store cannot be reached.
 */
export async function putFile(storage: Storage, { key, file }: Pick<KeyedFile, 'key' | 'file'>): Promise<void> {
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
