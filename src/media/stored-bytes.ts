/** Putting the bytes of several files into the store and taking them out again, all or none. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { logFailure, storageFailure } from './failures.ts';
import type { KeyedFile } from './prepared-file.ts';
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
        objects.slice(0, index + 1).map((object) => object.key),
      );
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
 * Removes objects whose record is gone. One that cannot be removed is told on stderr: nothing refers to it any more, and
 * `galley doctor` finds it.
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

/** What keys held before, and how they get it back. */
export interface Backup {
  restore(): Promise<void>;
}

/**
 * Copies what keys hold into `folder`, before others take their places.
 *
 * @throws ContentError 507 without room, 503 when the store cannot be reached.
 */
export async function backUp(storage: Storage, files: readonly StoredFile[], folder: string): Promise<Backup> {
  const copies: { key: string; copy: LocalFile | undefined }[] = [];
  try {
    for (const [index, { key, mime }] of files.entries()) {
      const content = await storage.get(key);
      const copy = path.join(folder, `backup-${index}`);
      if (content) await pipeline(content, createWriteStream(copy, { flags: 'wx' }));
      copies.push({ key, copy: content && { path: copy, size: (await stat(copy)).size, mime } });
    }
  } catch (error) {
    throw storageFailure(error);
  }
  return {
    async restore() {
      for (const { key, copy } of copies) {
        try {
          if (copy === undefined) await storage.remove(key);
          else await storage.put(key, copy);
        } catch (error) {
          logFailure(`the stored file ${key} could not be put back`, error);
        }
      }
    },
  };
}
