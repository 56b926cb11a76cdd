/** Which originals would lose something that is seen if they were encoded again: these are stored as they were sent. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { RasterKind } from './image.ts';

/** Chunks of a PNG that are looked at; its frames are announced before the first picture. */
const MOST_CHUNKS = 10_000;
/** Bytes of an image in which its brands are named, and of what follows a JPEG in which a film is told. */
const PREFIX = 4096;
const SPACES: ReadonlySet<string> = new Set(['srgb', 'rgb', 'b-w', 'grey16', 'rgb16', 'multiband']);

/**
 * The frames of an animated PNG, which the decoder does not know of: 1 for all other images. The file says how many
 * there are before its first picture (PNG, 11.3.6).
 */
export async function framesOf(path: string, kind: RasterKind): Promise<number> {
  if (kind !== 'png') return 1;
  return reading(path, async (file) => {
    let position = 8;
    for (let n = 0; n < MOST_CHUNKS; n++) {
      const head = await at(file, position, 12);
      const name = head.toString('latin1', 4, 8);
      if (head.length < 12 || name === 'IDAT') return 1;
      if (name === 'acTL') return Math.max(1, head.readUInt32BE(8));
      position += 12 + head.readUInt32BE(0);
    }
    return 1;
  });
}

/**
 * Whether an image loses nothing but bytes and metadata when it is encoded again: the encoders write one picture of eight
 * bits a sample in the colours of screens.
 *
 * @param frames of an animated PNG.
 */
export async function isRewritable(
  path: string,
  kind: RasterKind,
  { depth, space, pages = 1 }: Metadata,
  frames: number,
): Promise<boolean> {
  if (frames > 1 || depth !== 'uchar' || !SPACES.has(space)) return false;
  if (kind === 'avif') return pages === 1 && !(await isSequence(path));
  return kind !== 'jpeg' || !(await hasMore(path));
}

/** Whether an AVIF names the brand of image sequences, of which the decoder shows the first. */
const isSequence = (path: string): Promise<boolean> =>
  reading(path, async (file) => {
    const head = await at(file, 0, PREFIX);
    const length = Math.min(head.length, head.length >= 4 ? head.readUInt32BE(0) : 0);
    return head.toString('latin1', 8, length).includes('avis');
  });

/**
 * Overwrites what a JPEG says of the camera and the place in a block of its own, up to how it is turned. Nothing moves,
 * as images behind the first are found by their places.
 */
export async function blankExif(path: string, orientation: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    let position = 2;
    for (let part = 0; part < MOST_CHUNKS; part++) {
      const head = await at(file, position, 10);
      if (head.length < 10 || head[0] !== 0xff || head[1] === 0xda) return;
      const length = head.readUInt16BE(2);
      if (head[1] === 0xe1 && head.toString('latin1', 4, 8) === 'Exif' && length >= 8 + ONLY_TURNED.length) {
        const block = Buffer.alloc(length - 8);
        ONLY_TURNED.copy(block);
        block.writeUInt16BE(orientation, 18);
        await file.write(block, 0, block.length, position + 10);
      }
      position += 2 + length;
    }
  } finally {
    await file.close();
  }
}

/** A block of Exif with one value, the orientation, which is 1 until it is set (TIFF 6.0). */
const ONLY_TURNED = Buffer.from('4d4d002a00000008000101120003000000010001000000000000', 'hex');

/** What an image of high dynamic range, or its gain map, says of itself. */
const GAIN_MAP = /hdrgm:|hdr-gain-map|hdrgainmap|urn:iso:std:iso:ts:21496/i;

/** Whether a film, or another image with a map of brightness, follows a JPEG: a motion photo, or one of high dynamic range. */
const hasMore = (path: string): Promise<boolean> =>
  reading(path, async (file) => {
    const { size } = await file.stat();
    const end = await endOfJpeg(file, size);
    if (end === undefined || end >= size) return false;
    const behind = (await at(file, end, PREFIX * 16)).toString('latin1');
    if (behind.slice(0, 64).includes('ftyp')) return true;
    return behind.startsWith('\xff\xd8\xff') && GAIN_MAP.test(behind);
  });

/** Where the first image of a JPEG file ends (ITU T.81, annex B); undefined for one that is broken. */
async function endOfJpeg(file: FileHandle, size: number): Promise<number | undefined> {
  let position = 2;
  for (let part = 0; part < MOST_CHUNKS; part++) {
    const head = await at(file, position, 4);
    if (head.length < 2 || head[0] !== 0xff) return undefined;
    const marker = head[1]!;
    if (marker === 0xd9) return position + 2;
    if (marker === 0xff) position += 1;
    else if (head.length < 4) return undefined;
    else {
      position += 2 + head.readUInt16BE(2);
      if (marker !== 0xda) continue;
      const next = await endOfScan(file, position, size);
      if (next === undefined) return undefined;
      position = next;
    }
  }
  return undefined;
}

/** The place of the marker behind the data of a scan. */
async function endOfScan(file: FileHandle, from: number, size: number): Promise<number | undefined> {
  const step = 256 * 1024;
  for (let start = from; start < size; start += step) {
    // one byte more, as a marker may lie across two pieces
    const bytes = await at(file, start, step + 1);
    for (let n = bytes.indexOf(0xff); n >= 0 && n < Math.min(step, bytes.length - 1); n = bytes.indexOf(0xff, n + 1)) {
      const marker = bytes[n + 1]!;
      if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return start + n;
    }
  }
  return undefined;
}

async function reading<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Bytes at a place; fewer at the end of the file. */
async function at(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
