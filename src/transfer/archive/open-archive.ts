/**
 * Opens an archive of `strapi export`, whichever of its forms it has: a folder, or a tar file that may be compressed with
 * gzip and then encrypted. The content decides, not the name.
 */
import { createDecipheriv, scryptSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { cutOff, readTar } from './tar.ts';

/** A file of an archive. */
export interface ArchiveEntry {
  /** Its path in the archive, with slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

export interface Archive {
  /** The files, each read before the next one is requested. Can be called again. */
  entries(): AsyncIterable<ArchiveEntry>;
  /** The part of the archive that the last call of `entries` has read: 0 to 1. */
  progress(): number;
}

/** Asks for the password of an encrypted archive; undefined if nobody can answer. */
export type AskPassword = () => Promise<string | undefined>;

/** The parts of an archive, in the order in which they are read. */
export const PARTS = ['schemas', 'entities', 'assets', 'links', 'configuration'] as const;
export type ArchivePart = (typeof PARTS)[number];

const CHUNK = 256 * 1024;
/** The header of newer encrypted archives: a name, a version, the length of the salt. */
const ENCRYPTED = Buffer.from('STRAPI2\0\x02\x10', 'latin1');
const SALT = 16;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** How often an archive may expand to its size, and the bytes up to which it may in any case. */
const MOST_EXPANSION = 300;
const FREE_EXPANSION = 256 * 1024 * 1024;

/**
 * Opens an archive.
 *
 * @param place the path of a file or folder.
 * @throws UsageError in one line for anything else than an archive, and for a wrong password.
 */
export async function openArchive(place: string, askPassword: AskPassword): Promise<Archive> {
  const found = await stat(place).catch(() => undefined);
  if (!found) throw new UsageError(`${place}: there is no such file`, 1);
  if (found.isDirectory()) return folderArchive(place);
  const start = await startOf(place);
  const password = kindOf(start) === undefined || isNewer(start) ? await askPassword() : undefined;
  const cipher = password === undefined ? undefined : cipherOf(start, password);
  if (!cipher && kindOf(start) === undefined) {
    const need = isNewer(start) || place.endsWith('.enc') ? 'is encrypted: pass its password with --key' : NO_ARCHIVE;
    throw new UsageError(`${path.basename(place)} ${need}`, 1);
  }
  const plain = cipher ? decrypted(start.subarray(cipher.from), cipher) : start;
  const kind = kindOf(plain);
  if (!kind) throw new UsageError(`the password of ${path.basename(place)} is wrong`, 1);
  return new FileArchive(place, found.size, kind === 'gzip', cipher);
}

const NO_ARCHIVE = 'is neither a tar file nor compressed with gzip';

const isNewer = (start: Buffer): boolean => start.subarray(0, ENCRYPTED.length).equals(ENCRYPTED);

function kindOf(start: Buffer): 'gzip' | 'tar' | undefined {
  if (start.subarray(0, GZIP.length).equals(GZIP)) return 'gzip';
  return start.toString('latin1', 257, 262) === 'ustar' ? 'tar' : undefined;
}

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

interface Cipher {
  readonly key: Buffer;
  /** Where the encrypted bytes begin. */
  readonly from: number;
}

function cipherOf(start: Buffer, password: string): Cipher {
  const from = isNewer(start) ? ENCRYPTED.length + SALT : 0;
  const salt = start.subarray(isNewer(start) ? ENCRYPTED.length : 0, from);
  return { key: scryptSync(password, salt, 16), from };
}

function decrypted(start: Buffer, { key }: Cipher): Buffer {
  const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  return decipher.update(start.subarray(0, start.length - (start.length % 16)));
}

class FileArchive implements Archive {
  readonly #file: string;
  readonly #size: number;
  readonly #isCompressed: boolean;
  readonly #cipher: Cipher | undefined;
  #read = 0;

  constructor(file: string, size: number, isCompressed: boolean, cipher: Cipher | undefined) {
    this.#file = file;
    this.#size = size;
    this.#isCompressed = isCompressed;
    this.#cipher = cipher;
  }

  progress(): number {
    return this.#size === 0 ? 1 : Math.min(1, this.#read / this.#size);
  }

  async *entries(): AsyncGenerator<ArchiveEntry> {
    for await (const { name, size, isFile, chunks } of readTar(this.#bytes())) {
      if (isFile) yield { path: checkedPath(name), size, chunks };
    }
  }

  /** The bytes of the tar file. */
  async *#bytes(): AsyncGenerator<Buffer> {
    this.#read = 0;
    const source = createReadStream(this.#file, { start: this.#cipher?.from ?? 0, highWaterMark: CHUNK });
    source.on('data', (chunk) => {
      this.#read += chunk.length;
    });
    const steps: NodeJS.ReadWriteStream[] = [];
    if (this.#cipher) steps.push(createDecipheriv('aes-128-ecb', this.#cipher.key, null));
    if (this.#isCompressed) steps.push(createGunzip({ chunkSize: CHUNK }));
    const last = steps.at(-1) as Gunzip | undefined;
    if (last) pipeline([source, ...steps], () => {});
    let bytes = 0;
    try {
      for await (const chunk of last ?? source) {
        bytes += (chunk as Buffer).length;
        if (bytes > FREE_EXPANSION && bytes > MOST_EXPANSION * this.#size) {
          throw new UsageError(`the archive expands to more than ${MOST_EXPANSION} times its size`, 1);
        }
        yield chunk as Buffer;
      }
    } catch (error) {
      throw streamFailure(error);
    }
  }
}

/** Errors of the streams that say something about the archive (https://nodejs.org/api/errors.html). */
const FAILURES: Readonly<Record<string, () => UsageError>> = {
  Z_BUF_ERROR: cutOff,
  ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH: cutOff,
  ERR_OSSL_BAD_DECRYPT: () => new UsageError('the archive is cut off, or its password is wrong', 1),
  Z_DATA_ERROR: () => new UsageError('the archive is damaged: its compressed bytes are wrong', 1),
};

function streamFailure(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && Object.hasOwn(FAILURES, code) ? FAILURES[code]!() : error;
}

/**
 * A path of an archive, with slashes and without a leading `./`.
 *
 * @throws UsageError for one that leads out of the archive.
 */
function checkedPath(name: string): string {
  const parts = name
    .replaceAll('\\', '/')
    .split('/')
    .filter((part, n) => part !== '.' && (part !== '' || n === 0));
  const leadsOut = parts[0] === '' || /^[a-z]:$/i.test(parts[0] ?? '') || parts.includes('..') || name.includes('\0');
  if (leadsOut) throw new UsageError(`the archive contains a path that leads out of it: ${JSON.stringify(name)}`, 1);
  return parts.join('/');
}

/** An unpacked archive. */
function folderArchive(folder: string): Archive {
  let progress = 0;
  return {
    progress: () => progress,
    async *entries() {
      const files = [...(await filesIn(folder, [...PARTS])), 'metadata.json'];
      for (const [n, file] of files.entries()) {
        const found = await stat(path.join(folder, file)).catch(() => undefined);
        progress = n / files.length;
        if (!found?.isFile()) continue;
        const chunks = () => createReadStream(path.join(folder, file), { highWaterMark: CHUNK });
        yield { path: file, size: found.size, chunks: chunks as ArchiveEntry['chunks'] };
      }
      progress = 1;
    },
  };
}

/** The files below folders, sorted, without links. */
async function filesIn(root: string, folders: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const folder of folders) {
    const found = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    const names = (isKind: (entry: (typeof found)[number]) => boolean) =>
      found
        .filter(isKind)
        .map(({ name }) => `${folder}/${name}`)
        .sort();
    files.push(...names((entry) => entry.isFile()));
    if (folder === 'assets')
      files.push(
        ...(await filesIn(
          root,
          names((entry) => entry.isDirectory()),
        )),
      );
  }
  return files;
}
