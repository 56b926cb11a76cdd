/** Files that code passes: of a request, on the disk, or from the service `upload`. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lookup } from 'mime-types';
import type { IncomingFile } from '../../media/form.ts';

/** A file of a request or of the disk; names of its members differ between versions of the reference. */
export interface UploadedFile {
  readonly filepath?: string;
  readonly path?: string;
  readonly originalFilename?: string;
  readonly originalFileName?: string;
  readonly name?: string;
  readonly mimetype?: string;
  readonly type?: string;
  readonly size?: number;
}

/** A file that is on its way to being stored. */
export interface PendingFile {
  readonly name?: string;
  readonly hash?: string;
  readonly ext?: string;
  readonly mime?: string;
  readonly filepath?: string;
  readonly path?: string | null;
  readonly tmpWorkingDirectory?: string;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly getStream?: () => Readable;
}

/** @throws Error for a missing file. */
export async function incomingOf(file: UploadedFile): Promise<IncomingFile> {
  const path = file.filepath ?? file.path ?? '';
  const name = file.originalFilename ?? file.originalFileName ?? file.name ?? basename(path);
  const mime = file.mimetype ?? file.type ?? (lookup(name) || 'application/octet-stream');
  return { path, field: 'files', name, mime, size: file.size ?? (await stat(path)).size };
}

/** Lends a folder for as long as some work takes. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'galley-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Does work with the bytes of a file on the disk, where they are if they are there. */
export async function onDisk<T>(file: PendingFile, work: (path: string) => Promise<T>): Promise<T> {
  const { filepath, getStream } = file;
  if (filepath) return work(filepath);
  if (typeof getStream !== 'function') throw new TypeError('a file needs a filepath or getStream()');
  return inFolder(async (folder) => {
    const path = join(folder, 'file');
    await pipeline(getStream(), createWriteStream(path));
    return work(path);
  });
}
