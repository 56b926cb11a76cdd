/** Stores and removes the bytes of several files, all or none. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { logFailure, storageFailure } from '../failures.ts';
import type { KeyedFile, LocalFile, PlacedObject, Storage } from './storage.ts';

/** The addresses that a store has chosen, by key. */
export type PlacedObjects = Map<string, PlacedObject>;

/** A stored file in the form in which its store removes it. */
export const placedFile = ({ about }: KeyedFile, { url, metadata }: PlacedObject): object => ({
  ...about,
  url,
  provider_metadata: metadata,
});

/**
 * Stores files under new keys. After a failure the files before it are removed.
 *
 * @param places receives the addresses that the store chooses.
 * @throws ContentError 507 if the disk is full, 503 if the store cannot be reached.
 */
export async function putNew(
  storage: Storage,
  objects: readonly KeyedFile[],
  places: PlacedObjects = new Map(),
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
      // the object may exist although the answer was lost
      await storage.remove(key).catch((failure: unknown) => {
        logFailure(`the file ${key} could not be stored; if any of it was, it is still there`, failure);
      });
      throw error;
    }
  }
}

/** A failed file is removed by its store. */
async function placeNew(storage: Storage, objects: readonly KeyedFile[], places: PlacedObjects): Promise<void> {
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

/** Removes files by their records. Failures are logged. Returns whether all were removed. */
export function dropFiles(storage: Storage, files: readonly object[]): Promise<boolean> {
  const nameOf = (file: object) => (file as { readonly url?: unknown }).url;
  return removeEach(files, (file) => storage.drop!(file), nameOf);
}

async function removeEach<T>(
  all: Iterable<T>,
  remove: (one: T) => Promise<void>,
  nameOf: (one: T) => unknown,
): Promise<boolean> {
  let isDone = true;
  for (const one of all) {
    await remove(one).catch((error: unknown) => {
      isDone = false;
      logFailure(`the stored file ${nameOf(one)} was not removed`, error);
    });
  }
  return isDone;
}

/**
 * Stores a file, replacing the object of its key.
 *
 * @throws ContentError 507 if the disk is full, 503 if the store cannot be reached.
 */
export async function putFile(storage: Storage, { key, file }: Pick<KeyedFile, 'key' | 'file'>): Promise<void> {
  await storage.put(key, file).catch((error: unknown) => {
    throw storageFailure(error);
  });
}

/**
 * Removes objects whose record is gone. Failures are logged; `galley doctor` finds the rest. Returns whether all were
 * removed.
 */
export function removeKeys(storage: Storage, keys: Iterable<string>): Promise<boolean> {
  return removeEach(keys, (key) => storage.remove(key), String);
}

/** A stored file and its media type. */
export interface StoredFile {
  readonly key: string;
  readonly mime: string;
}

/** A key, and the name of its backup in a request's folder; null if there was no object. */
export interface BackedUpFile extends StoredFile {
  readonly backup: string | null;
}

/**
 * Backs up the objects of some keys in `folder` before they are overwritten.
 *
 * @throws ContentError 507 if the disk is full, 503 if the store cannot be reached.
 */
export async function backUp(storage: Storage, files: readonly StoredFile[], folder: string): Promise<BackedUpFile[]> {
  const backups: BackedUpFile[] = [];
  try {
    for (const [index, { key, mime }] of files.entries()) {
      const backup = `backup-${index}`;
      const isThere = await keep(storage, key, path.join(folder, backup));
      backups.push({ key, mime, backup: isThere ? backup : null });
    }
  } catch (error) {
    throw storageFailure(error);
  }
  return backups;
}

async function keep(storage: Storage, key: string, file: string): Promise<boolean> {
  if (storage.keep) return storage.keep(key, file);
  const content = await storage.get(key);
  if (!content) return false;
  await pipeline(content, createWriteStream(file, { flags: 'wx', flush: true }));
  return true;
}

/**
 * Restores the objects of keys. It can be repeated.
 *
 * @throws Error of the store, after all others have been restored.
 */
export async function restore(storage: Storage, files: readonly BackedUpFile[], folder: string): Promise<void> {
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
