/** Copying one object from a store to another, and making sure that it arrived as it was. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Storage } from './storage.ts';

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
