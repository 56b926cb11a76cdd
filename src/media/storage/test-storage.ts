/** Tests a store: writes a small object, reads it and deletes it. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { StorageConfig } from '../../config/config.ts';
import { cut } from '../../errors.ts';
import { secretTexts, withoutTexts } from '../../secret-texts.ts';
import type { Incoming } from '../incoming.ts';
import type { LocalFile, Storage } from './storage.ts';

/** Characters of a shown error. */
const SHOWN = 500;
const MIME = 'text/plain';
const EXTENSION = '.txt';

const STORAGE_STEPS = ['write', 'read', 'delete'] as const;
export type StorageStep = (typeof STORAGE_STEPS)[number];

export interface StorageTest {
  /** The steps that succeeded, in their order. */
  readonly done: readonly StorageStep[];
  /** Why the next step failed, without secrets and paths; undefined if none failed. */
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

/**
 * Writes, reads and deletes an object. Stores that choose addresses themselves have no step `read`, since the server
 * cannot read from them. A failure is a result.
 */
export async function testStorage(storage: Storage, incoming: Incoming, config: StorageConfig): Promise<StorageTest> {
  const start = Date.now();
  const done: StorageStep[] = [];
  const content = randomBytes(16).toString('hex');
  let failure: string | undefined;
  try {
    await incoming.lend(async (folder) => {
      const file: LocalFile = { path: path.join(folder, 'test'), size: content.length, mime: MIME };
      await writeFile(file.path, content);
      await (storage.place ? tryPlaced(storage, file, content, done) : tryKeyed(storage, file, content, done));
    });
  } catch (error) {
    failure = cut(withoutTexts(plainReason(error), secretsOf(config)), SHOWN);
  }
  return { done, failure, milliseconds: Date.now() - start };
}

async function tryKeyed(storage: Storage, file: LocalFile, content: string, done: StorageStep[]): Promise<void> {
  const key = `galley_test_${content}${EXTENSION}`;
  await storage.put(key, file);
  done.push('write');
  try {
    const stream = await storage.get(key);
    if (!stream || (await text(stream)) !== content) throw new Error('The object that was read is not the one written');
    done.push('read');
  } finally {
    await storage.remove(key);
  }
  done.push('delete');
}

async function tryPlaced(storage: Storage, file: LocalFile, content: string, done: StorageStep[]): Promise<void> {
  const hash = `galley_test_${content}`;
  const about = {
    ...{ name: hash + EXTENSION, hash, ext: EXTENSION, mime: MIME, path: null },
    ...{ size: file.size / 1000, sizeInBytes: file.size },
  };
  const { url, metadata } = await storage.place!({ key: hash + EXTENSION, file, about });
  done.push('write');
  await storage.drop!({ ...about, url, provider_metadata: metadata });
  done.push('delete');
}

/** The message of an error. Errors of the file system are cut before the path of the server. */
function plainReason(error: unknown): string {
  const { message = String(error), syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : message.split(', ')[0]!;
}

function secretsOf({ s3, code }: StorageConfig): readonly string[] {
  const keys = typeof s3?.credentials === 'object' ? secretTexts(s3.credentials) : [];
  return [...keys, ...(code?.secrets ?? [])];
}
