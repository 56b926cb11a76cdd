/** Whether a file carries more than its picture: comments, times, places, other pictures behind the first. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { at, reading } from './file-bytes.ts';
import type { RasterKind } from './image.ts';

/** Parts of a file that are examined; a file with more counts as one with metadata. */
const MOST_PARTS = 100_000;

/**
 * Chunks of a PNG that say how it looks, besides the critical ones, whose names begin with a capital (PNG, chapter 11).
 */
export const PNG_CHUNKS: ReadonlySet<string> = new Set(
  'tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST sPLT cICP mDCV cLLI acTL fcTL fdAT'.split(' '),
);
/** The same of a WebP (its container specification). */
const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** Reads a JPEG, PNG or WebP; of TIFF, in which anything may be a text, true, and of other kinds false. */
export async function carriesMore(path: string, kind: RasterKind): Promise<boolean> {
  if (kind === 'tiff') return true;
  if (kind !== 'jpeg' && kind !== 'png' && kind !== 'webp') return false;
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await { jpeg: jpegCarries, png: pngCarries, webp: webpCarries }[kind](file, size);
  } finally {
    await file.close();
  }
}

/** The segments before the picture (ITU T.81, annex B), and how the file ends. */
async function jpegCarries(file: FileHandle, size: number): Promise<boolean> {
  let position = 2;
  for (let part = 0; part < MOST_PARTS; part++) {
    const head = await at(file, position, 16);
    const marker = head[1];
    // what is broken is for the decoder to refuse
    if (head.length < 4 || head[0] !== 0xff) return false;
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    if (marker === 0xda) return (await at(file, size - 2, 2)).toString('hex') !== 'ffd9';
    const name = head.toString('latin1', 4, 15);
    const isProfile = marker === 0xe2 && name === 'ICC_PROFILE';
    const isPicture = (marker! < 0xe0 && marker! >= 0xc0) || marker === 0xe0 || marker === 0xee || isProfile;
    if (!isPicture) return true;
    position += 2 + head.readUInt16BE(2);
  }
  return true;
}

async function pngCarries(file: FileHandle, size: number): Promise<boolean> {
  let position = 8;
  for (let part = 0; part < MOST_PARTS; part++) {
    const head = await at(file, position, 8);
    if (head.length < 8) return false;
    const name = head.toString('latin1', 4, 8);
    if (!/^[A-Z]/.test(name) && !PNG_CHUNKS.has(name)) return true;
    position += 12 + head.readUInt32BE(0);
    if (name === 'IEND') return position < size;
  }
  return true;
}

async function webpCarries(file: FileHandle, size: number): Promise<boolean> {
  const end = 8 + (await at(file, 4, 4)).readUInt32LE(0);
  let position = 12;
  for (let part = 0; part < MOST_PARTS && position + 8 <= end; part++) {
    const head = await at(file, position, 8);
    if (head.length < 8) return false;
    if (!WEBP_CHUNKS.has(head.toString('latin1', 0, 4))) return true;
    const length = head.readUInt32LE(4);
    position += 8 + length + (length % 2);
  }
  return position + 8 <= end || end < size;
}

/** Chunks of a PNG that are looked at; its frames are announced before the first picture. */
const MOST_CHUNKS = 10_000;
/** Bytes of an image in which its brands are named, and of what follows a JPEG in which a film is told. */
const PREFIX = 4096;
const SPACES: ReadonlySet<string> = new Set(['srgb', 'rgb', 'b-w', 'grey16', 'rgb16', 'multiband']);

/**
 * Whether an image is an animated PNG, of which the decoder reads one picture. The file says so before its first picture
 * (PNG, 11.3.6).
 */
const isAnimatedPng = (path: string): Promise<boolean> =>
  reading(path, async (file) => {
    let position = 8;
    for (let n = 0; n < MOST_CHUNKS; n++) {
      const head = await at(file, position, 12);
      const name = head.toString('latin1', 4, 8);
      if (head.length < 12 || name === 'IDAT') return false;
      if (name === 'acTL') return head.readUInt32BE(8) !== 1;
      position += 12 + head.readUInt32BE(0);
    }
    return false;
  });

/**
 * Whether an image loses nothing but bytes and metadata when it is encoded again: the encoders write one picture of eight
 * bits a sample in the colours of screens.
 */
export async function isRewritable(
  path: string,
  kind: RasterKind,
  { depth, space, pages = 1 }: Metadata,
): Promise<boolean> {
  if (depth !== 'uchar' || !SPACES.has(space)) return false;
  if (kind === 'png') return !(await isAnimatedPng(path));
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

/** What an image of high dynamic range, or its gain map, says of itself. */
export const GAIN_MAP = /hdrgm:|hdr-gain-map|hdrgainmap|urn:iso:std:iso:ts:21496/i;

/** Whether a film, or another image with a map of brightness, follows a JPEG: a motion photo, or one of high dynamic range. */
const hasMore = (path: string): Promise<boolean> =>
  reading(path, async (file) => {
    const { size } = await file.stat();
    const end = await endOfJpeg(file, size);
    if (end === undefined || end >= size) return false;
    const behind = (await at(file, end, PREFIX * 16)).toString('latin1');
    if (behind.slice(0, 64).includes('ftyp')) return true;
    return /^\0*\xff\xd8\xff/.test(behind) && GAIN_MAP.test(behind);
  });

interface JpegWalk {
  /** Where the image begins. */
  readonly from?: number;
  /** Is called with the marker of each segment, and with the place and length of its content. */
  readonly segment?: (marker: number, position: number, length: number) => Promise<void>;
}

/** Where an image of a JPEG file ends, the first by default (ITU T.81, annex B); undefined for one that is broken. */
export async function endOfJpeg(
  file: FileHandle,
  size: number,
  { from = 0, segment }: JpegWalk = {},
): Promise<number | undefined> {
  let position = from + 2;
  for (let part = 0; part < MOST_CHUNKS; part++) {
    const head = await at(file, position, 4);
    if (head.length < 2 || head[0] !== 0xff) return undefined;
    const marker = head[1]!;
    if (marker === 0xd9) return position + 2;
    if (marker === 0xff) position += 1;
    else if (head.length < 4) return undefined;
    else {
      const length = head.readUInt16BE(2);
      if (length < 2 || position + 2 + length > size) return undefined;
      await segment?.(marker, position + 4, length - 2);
      position += 2 + length;
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
