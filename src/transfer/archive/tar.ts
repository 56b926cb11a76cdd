/**
 * Reads tar streams (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html) with the long names and large
 * sizes of pax and GNU. Nothing is written; names are passed on as they are.
 */
import { UsageError } from '../../errors.ts';

const BLOCK = 512;
/** The most bytes of a pax header or a long name. */
const LONGEST_HEADER = 64 * 1024;
const PATTERN_OF_PAX = /^(\d+) ([^=]+)=/;

export interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Whether it is a file; otherwise a folder, a link or a device. */
  readonly isFile: boolean;
  /** The bytes. What is not read is skipped. */
  chunks(): AsyncIterable<Buffer>;
}

/** The error for an archive that ends too early. */
export const cutOff = (): UsageError => new UsageError('the archive is cut off', 1);
const damaged = (): UsageError => new UsageError('the archive is damaged: it is not a tar file throughout', 1);

/** Reads given numbers of bytes from a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At most so many bytes; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** So many bytes; undefined if the stream is at its end. */
  async exactly(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const part = await this.some(missing);
      if (!part && parts.length > 0) throw cutOff();
      if (!part) return undefined;
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }
}

/**
 * The entries of a tar stream. An entry is read before the next one is requested.
 *
 * @throws UsageError for a stream that is not tar, or is cut off.
 */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(stream);
  let further: Readonly<Record<string, string>> = {};
  for (;;) {
    const header = await reader.exactly(BLOCK);
    if (!header) throw cutOff();
    if (header.every((byte) => byte === 0)) break;
    if (!hasChecksum(header)) throw damaged();
    const kind = String.fromCharCode(header[156]!);
    const size = further.size === undefined ? numberIn(header, 124, 12) : Number(further.size);
    if (!Number.isSafeInteger(size) || size < 0) throw damaged();
    if (kind === 'x' || kind === 'g' || kind === 'L' || kind === 'K') {
      const data = await contentOf(reader, size);
      if (kind === 'x') further = { ...further, ...paxOf(data) };
      if (kind === 'L') further = { ...further, path: textIn(data, 0, data.length) };
      continue;
    }
    const prefix = textIn(header, 257, 5) === 'ustar' ? textIn(header, 345, 155) : '';
    const own = textIn(header, 0, 100);
    const name = further.path ?? (prefix === '' ? own : `${prefix}/${own}`);
    further = {};
    const isFile = kind === '0' || kind === '\0' || kind === '7';
    let left = size + ((BLOCK - (size % BLOCK)) % BLOCK);
    const padding = left - size;
    const next = async (): Promise<Buffer | undefined> => {
      if (left === 0) return undefined;
      const part = await reader.some(left > padding ? left - padding : left);
      if (!part) throw cutOff();
      left -= part.length;
      return part;
    };
    yield {
      ...{ name, size, isFile },
      async *chunks() {
        while (left > padding) yield (await next())!;
      },
    };
    while (left > 0) await next();
  }
  // the compressed stream is read to its end, which holds its checksum
  while (await reader.some(BLOCK * BLOCK));
}

async function contentOf(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > LONGEST_HEADER) throw damaged();
  const padded = size + ((BLOCK - (size % BLOCK)) % BLOCK);
  const data = padded === 0 ? Buffer.alloc(0) : await reader.exactly(padded);
  if (!data) throw cutOff();
  return data.subarray(0, size);
}

/** The records of a pax header: `27 path=…\n`, where the number counts the bytes of the record. */
function paxOf(data: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < data.length; ) {
    const match = PATTERN_OF_PAX.exec(data.toString('latin1', at, Math.min(at + 200, data.length)));
    const length = Number(match?.[1]);
    if (!match || length <= match[0].length || at + length > data.length) throw damaged();
    const value = data.toString('utf8', at + match[0].length, at + length - 1);
    if (match[2] === 'path' || match[2] === 'size') records[match[2]] = value;
    at += length;
  }
  return records;
}

function textIn(data: Buffer, start: number, length: number): string {
  const part = data.subarray(start, start + length);
  const end = part.indexOf(0);
  return part.toString('utf8', 0, end === -1 ? part.length : end);
}

/** A number in octal digits or, with its first bit set, in base 256. */
function numberIn(header: Buffer, start: number, length: number): number {
  if ((header[start]! & 0x80) === 0) {
    const text = textIn(header, start, length).trim();
    return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : Number.NaN;
  }
  let number = header[start]! & 0x7f;
  for (const byte of header.subarray(start + 1, start + length)) number = number * 256 + byte;
  return number;
}

function hasChecksum(header: Buffer): boolean {
  let sum = 0;
  for (const [n, byte] of header.entries()) sum += n >= 148 && n < 156 ? 0x20 : byte;
  return sum === numberIn(header, 148, 8);
}
