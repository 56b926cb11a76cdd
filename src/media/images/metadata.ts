/** Whether a file carries more than its picture: comments, times, places, other pictures behind the first. */
import { type FileHandle, open } from 'node:fs/promises';
import { at } from './bytes.ts';
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
