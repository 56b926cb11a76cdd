/** Inspects images: whether they carry metadata, and whether encoding them again would lose visible content. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { at, reading } from './file-bytes.ts';
import type { RasterKind } from './image.ts';

/** Parts of a file that are examined; a file with more counts as having metadata. */
const MOST_PARTS = 100_000;

/**
 * PNG chunks that affect the appearance, besides the critical ones, whose names begin with a capital (PNG, chapter 11).
 */
export const PNG_CHUNKS: ReadonlySet<string> = new Set(
  'tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST sPLT cICP mDCV cLLI acTL fcTL fdAT'.split(' '),
);
/** WebP chunks that affect the appearance (WebP container specification). */
const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/**
 * Whether a JPEG, PNG or WebP carries metadata: comments, times, places, or other pictures. Always true for TIFF, in
 * which anything may be text, and false for other kinds.
 */
export async function hasMetadata(path: string, kind: RasterKind): Promise<boolean> {
  if (kind === 'tiff') return true;
  if (kind !== 'jpeg' && kind !== 'png' && kind !== 'webp') return false;
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await { jpeg: jpegHasMetadata, png: pngHasMetadata, webp: webpHasMetadata }[kind](file, size);
  } finally {
    await file.close();
  }
}

/** Examines the segments before the picture (ITU T.81, annex B), and the end of the file. */
async function jpegHasMetadata(file: FileHandle, size: number): Promise<boolean> {
  let position = 2;
  for (let part = 0; part < MOST_PARTS; part++) {
    const head = await at(file, position, 16);
    const marker = head[1];
    // the decoder refuses damaged files
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

async function pngHasMetadata(file: FileHandle, size: number): Promise<boolean> {
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

async function webpHasMetadata(file: FileHandle, size: number): Promise<boolean> {
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

/** PNG chunks that are examined; frames are announced before the first picture. */
const MOST_CHUNKS = 10_000;
/** Bytes that may contain the brands of an image, or the beginning of a film after a JPEG. */
const PREFIX = 4096;
const SPACES: ReadonlySet<string> = new Set(['srgb', 'rgb', 'b-w', 'grey16', 'rgb16', 'multiband']);

/**
 * Whether a PNG is animated, in which case the decoder reads one picture only. It is announced before the first picture
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
 * Whether encoding an image again loses only bytes and metadata. Encoders write one picture with eight bits per sample
 * in screen colours.
 */
export async function isReencodable(
  path: string,
  kind: RasterKind,
  { depth, space, pages = 1 }: Metadata,
): Promise<boolean> {
  if (depth !== 'uchar' || !SPACES.has(space)) return false;
  if (kind === 'png') return !(await isAnimatedPng(path));
  if (kind === 'avif') return pages === 1 && !(await isSequence(path));
  return kind !== 'jpeg' || !(await hasFilmOrGainMap(path));
}

/** Whether an AVIF is an image sequence, of which the decoder reads the first image. */
const isSequence = (path: string): Promise<boolean> =>
  reading(path, async (file) => {
    const head = await at(file, 0, PREFIX);
    const length = Math.min(head.length, head.length >= 4 ? head.readUInt32BE(0) : 0);
    return head.toString('latin1', 8, length).includes('avis');
  });

/** Text in images with high dynamic range or a gain map. */
export const GAIN_MAP = /hdrgm:|hdr-gain-map|hdrgainmap|urn:iso:std:iso:ts:21496/i;

/** Whether a JPEG is followed by a film or a gain map: a motion photo, or an image with high dynamic range. */
const hasFilmOrGainMap = (path: string): Promise<boolean> =>
  reading(path, async (file) => {
    const { size } = await file.stat();
    const end = await endOfJpeg(file, size);
    if (end === undefined || end >= size) return false;
    const behind = (await at(file, end, PREFIX * 16)).toString('latin1');
    if (behind.slice(0, 64).includes('ftyp')) return true;
    return /^\0*\xff\xd8\xff/.test(behind) && GAIN_MAP.test(behind);
  });

interface JpegWalk {
  /** The position of the image. */
  readonly from?: number;
  /** Called with the marker of each segment, and position and length of its content. */
  readonly segment?: (marker: number, position: number, length: number) => Promise<void>;
}

/** The end of an image in a JPEG file, by default the first (ITU T.81, annex B); undefined for a damaged image. */
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

/** The position of the marker after the data of a scan. */
async function endOfScan(file: FileHandle, from: number, size: number): Promise<number | undefined> {
  const step = 256 * 1024;
  for (let start = from; start < size; start += step) {
    // one more byte, since a marker may cross two pieces
    const bytes = await at(file, start, step + 1);
    for (let n = bytes.indexOf(0xff); n >= 0 && n < Math.min(step, bytes.length - 1); n = bytes.indexOf(0xff, n + 1)) {
      const marker = bytes[n + 1]!;
      if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return start + n;
    }
  }
  return undefined;
}
