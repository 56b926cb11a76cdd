/** Stores files in a folder of the local disk, served below `/uploads`. */
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { LocalFile, Storage, StoredObject } from './storage.ts';

const ADDRESS = '/uploads/';
/** The folder of the files in the trash; names with a dot are not served. */
const TRASH = '.trash';

/** A key is a file name, without path and not hidden. */
const isKey = (key: string): boolean => key !== '' && !key.startsWith('.') && !/[/\\\0]/.test(key);

/** The store in `folder`, which is created with the first file. */
export function localStorage(folder: string): Storage {
  const pathOf = (key: string): string => {
    if (!isKey(key)) throw new Error('a key of the local store is a file name');
    return path.join(folder, key);
  };

  const hiddenOf = (key: string): string => path.join(folder, TRASH, path.basename(pathOf(key)));

  const reader = (place: (key: string) => string): Pick<Storage, 'get' | 'stat'> => {
    const statOf = async (key: string): Promise<StoredObject | undefined> => {
      if (!isKey(key)) return undefined;
      const found = await stat(place(key)).catch(unlessMissing);
      return found?.isFile() ? { key, size: found.size, modifiedAt: Math.round(found.mtimeMs) } : undefined;
    };
    return {
      stat: statOf,
      get: async (key) => ((await statOf(key)) === undefined ? undefined : createReadStream(place(key))),
    };
  };
  const shown = reader(pathOf);

  return {
    name: 'local',
    names: new Set(['local', '@strapi/provider-upload-local']),
    flat: true,

    async put(key: string, file: LocalFile): Promise<void> {
      const target = pathOf(key);
      await mkdir(folder, { recursive: true });
      // the time of a stored file is that of its storing
      const now = new Date();
      await utimes(file.path, now, now).catch((error: NodeJS.ErrnoException) => {
        // a file of another user, which is being restored
        if (error.code !== 'EPERM') throw error;
      });
      await flush(file.path);
      await rename(file.path, target).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error;
        await copyInto(file.path, target);
      });
      await flush(folder);
    },

    ...shown,
    hidden: reader(hiddenOf),

    async keep(key, file) {
      if ((await shown.stat(key)) === undefined) return false;
      try {
        await link(pathOf(key), file);
      } catch {
        // another file system, or no support for links
        await copyFile(pathOf(key), file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await flush(file);
      }
      return true;
    },

    async remove(key: string): Promise<void> {
      for (const file of [pathOf(key), hiddenOf(key)]) {
        await rm(file, { force: true }).catch((error: NodeJS.ErrnoException) => {
          // a folder is no object, and without a folder there are none
          if (error.code !== 'ERR_FS_EISDIR' && error.code !== 'ENOTDIR') throw error;
        });
      }
    },

    async hide(key, isHidden) {
      const [from, to] = isHidden ? [pathOf(key), hiddenOf(key)] : [hiddenOf(key), pathOf(key)];
      if (isHidden) await mkdir(path.dirname(to), { recursive: true });
      await rename(from, to).catch(unlessMissing);
    },

    async *list() {
      const entries = await readdir(folder, { withFileTypes: true }).catch(unlessMissing);
      for (const entry of entries ?? []) {
        if (!entry.isFile()) continue;
        const object = await shown.stat(entry.name);
        if (object) yield object;
      }
    },

    urlOf: (key) => ADDRESS + key,

    keyOf(url) {
      const key = url.startsWith(ADDRESS) ? url.slice(ADDRESS.length) : '';
      return isKey(key) ? key : undefined;
    },

    close: async () => undefined,
  };
}

/** Copies a file from another file system to a temporary name next to the target, then renames it. */
async function copyInto(source: string, target: string): Promise<void> {
  const beside = path.join(path.dirname(target), `.${path.basename(target).slice(0, 200)}.part`);
  try {
    await copyFile(source, beside, constants.COPYFILE_FICLONE);
    await flush(beside);
    await rename(beside, target);
  } finally {
    await rm(beside, { force: true });
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

/** Waits until a file, or the entries of a folder, are on disk. */
export async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
