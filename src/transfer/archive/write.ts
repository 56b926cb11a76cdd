/** Writes archives as streams: tar, tar in gzip, either of them encrypted, or a folder. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable, type Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { TAR_END, tarHeader, tarPadding } from './tar-header.ts';

/** An archive that is being written. Until `finish`, nothing is at its path. */
export interface ArchiveWriter {
  /**
   * Adds an entry.
   *
   * @throws Error if the content has another length.
   */
  add(name: string, size: number, content: AsyncIterable<Buffer> | Buffer): Promise<void>;
  /** Completes the archive and puts it in its place. */
  finish(): Promise<void>;
  /** Removes what is written. */
  discard(): Promise<void>;
}

/** A cipher of a whole archive. */
export interface ArchiveCipher {
  /** Plain bytes in front of the encrypted ones. */
  readonly header: Buffer;
  readonly cipher: Transform;
}

/** The form of an archive, which its name tells. */
export interface ArchiveForm {
  readonly isFolder: boolean;
  readonly isCompressed: boolean;
}

/** The form of an archive by its name, with or without `.enc`: `x.tar`, `x.tar.gz`; any other name is a folder. */
export function formOf(name: string): ArchiveForm {
  const plain = name.replace(/\.enc$/, '');
  return { isFolder: !/\.tar(?:\.gz)?$/.test(plain), isCompressed: plain.endsWith('.tar.gz') };
}

/**
 * Begins an archive.
 *
 * @param target its path, at which nothing may exist.
 * @throws UsageError if something exists there, or a folder would be encrypted.
 */
export async function createArchive(target: string, cipher?: ArchiveCipher): Promise<ArchiveWriter> {
  const { isFolder, isCompressed } = formOf(target);
  if (isFolder && cipher) throw new UsageError('only .tar and .tar.gz can be encrypted, not a folder');
  await refuseExisting(target, isFolder);
  await mkdir(path.dirname(target), { recursive: true });
  const unfinished = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.part`);
  return isFolder ? new FolderWriter(target, unfinished) : new TarWriter(target, unfinished, { isCompressed, cipher });
}

async function refuseExisting(target: string, isFolder: boolean): Promise<void> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'ENOTDIR') return [target];
    throw error;
  });
  if (names === undefined || (isFolder && names.length === 0)) return;
  throw new UsageError(`${target} exists; choose another name`, 1);
}

class TarWriter implements ArchiveWriter {
  readonly #target: string;
  readonly #unfinished: string;
  readonly #head: Writable = new PassThrough();
  readonly #done: Promise<void>;
  readonly #end = new AbortController();

  constructor(
    target: string,
    unfinished: string,
    { isCompressed, cipher }: { readonly isCompressed: boolean; readonly cipher: ArchiveCipher | undefined },
  ) {
    this.#target = target;
    this.#unfinished = unfinished;
    // backups and exports contain password hashes
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    if (cipher) file.write(cipher.header);
    const stages = [...(isCompressed ? [createGzip()] : []), ...(cipher ? [cipher.cipher] : [])];
    this.#done = pipeline([this.#head as unknown as Readable, ...stages, file], { signal: this.#end.signal });
    // it is awaited by whatever writes next
    this.#done.catch(() => {});
  }

  async add(name: string, size: number, content: AsyncIterable<Buffer> | Buffer): Promise<void> {
    await this.#write(tarHeader(name, size));
    let length = 0;
    for await (const chunk of Buffer.isBuffer(content) ? [content] : content) {
      length += chunk.length;
      if (length > size) break;
      await this.#write(chunk);
    }
    if (length !== size) throw new Error(`${name} has changed while it was read`);
    await this.#write(tarPadding(size));
  }

  async finish(): Promise<void> {
    await this.#write(TAR_END);
    this.#head.end();
    await this.#done;
    await rename(this.#unfinished, this.#target);
    await flushFolder(path.dirname(this.#target));
  }

  async discard(): Promise<void> {
    this.#end.abort();
    await this.#done.catch(() => {});
    await rm(this.#unfinished, { force: true });
  }

  async #write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    if (this.#head.destroyed) await this.#done;
    // a stage that fails closes the head
    if (!this.#head.write(chunk)) await Promise.race([once(this.#head, 'drain'), this.#done]);
  }
}

class FolderWriter implements ArchiveWriter {
  readonly #target: string;
  readonly #unfinished: string;
  readonly #folders = new Set<string>();

  constructor(target: string, unfinished: string) {
    this.#target = target;
    this.#unfinished = unfinished;
  }

  async add(name: string, size: number, content: AsyncIterable<Buffer> | Buffer): Promise<void> {
    const file = path.join(this.#unfinished, ...name.split('/'));
    await this.#makeFolder(path.dirname(file));
    const stream = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(content instanceof Buffer ? [content] : content, stream);
    if (stream.bytesWritten !== size) throw new Error(`${name} has changed while it was read`);
  }

  async finish(): Promise<void> {
    await this.#makeFolder(this.#unfinished);
    for (const folder of this.#folders) await flushFolder(folder);
    // replaces an empty folder
    await rename(this.#unfinished, this.#target);
    await flushFolder(path.dirname(this.#target));
  }

  async discard(): Promise<void> {
    await rm(this.#unfinished, { recursive: true, force: true });
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#folders.add(folder);
  }
}

/** Waits until the entries of a folder are on disk. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gathers lines into entries of bounded size, `<folder>/<name>_00001.jsonl` and so on. */
export class LineEntries {
  readonly #writer: Pick<ArchiveWriter, 'add'>;
  readonly #name: string;
  readonly #most: number;
  #lines: string[] = [];
  #length = 0;
  #count = 0;

  /** @param most characters of an entry after which the next one begins. */
  constructor(writer: Pick<ArchiveWriter, 'add'>, name: string, most: number) {
    this.#writer = writer;
    this.#name = name;
    this.#most = most;
  }

  /** Whether the next line begins an entry. */
  get isAtStart(): boolean {
    return this.#lines.length === 0;
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length >= this.#most) await this.finish();
  }

  /** Writes the remaining lines. */
  async finish(): Promise<void> {
    if (this.#lines.length === 0) return;
    this.#count++;
    const content = Buffer.from(this.#lines.join('\n'));
    this.#lines = [];
    this.#length = 0;
    await this.#writer.add(`${this.#name}_${String(this.#count).padStart(5, '0')}.jsonl`, content.length, content);
  }
}
