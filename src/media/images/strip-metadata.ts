/**
 * Removes metadata from images without encoding them again: parts that do not affect the appearance are dropped or
 * overwritten with zeros, and all other bytes stay.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { appendRange, areEqual, at, overwrite, reading } from './file-bytes.ts';
import type { RasterKind } from './image.ts';
import { endOfJpeg, GAIN_MAP, PNG_CHUNKS } from './inspect.ts';
import { clearBoxes } from './iso-boxes.ts';

/** Chunks of a PNG, and pictures of a JPEG file, that are examined; a file with more cannot be stripped. */
const MOST_CHUNKS = 100_000;
const MOST_PICTURES = 20;
/** Bytes after a picture in which the next one or a film must begin. */
const PIECE = 64 * 1024;

/**
 * Writes a copy of a PNG, JPEG or AVIF without metadata. Its orientation stays.
 *
 * @param target the path of the copy, which is written in any case.
 * @returns whether the copy differs; `unclear` if some metadata may remain, in a damaged file or an unknown structure.
 */
export async function writeStripped(
  path: string,
  kind: RasterKind,
  orientation: number,
  target: string,
): Promise<'equal' | 'different' | 'unclear'> {
  const copy = await open(target, 'w+');
  try {
    const isEqual = await reading(path, async (source) => {
      const { size } = await source.stat();
      if (kind === 'png') {
        if (!(await copyPng(source, copy, size, orientation))) return undefined;
      } else {
        await appendRange(source, copy, 0, size);
        if (!(await (kind === 'jpeg' ? clearJpeg(copy, size, orientation) : clearAvif(copy, size)))) return undefined;
      }
      return areEqual(source, copy);
    });
    if (isEqual === undefined || !(await isClear(target))) return 'unclear';
    return isEqual ? 'equal' : 'different';
  } finally {
    await copy.close();
  }
}

/** Whether the decoder finds no metadata either, except for the orientation and that of a gain map. */
async function isClear(path: string): Promise<boolean> {
  const { exif, xmp, iptc } = await sharp(path, { limitInputPixels: false }).metadata();
  const isCleared = !exif || exif.subarray(EXIF.length + ORIENTATION.length).every((byte) => byte === 0);
  return isCleared && !iptc && (!xmp || clearXmp(xmp.toString()) === xmp.toString().trimEnd());
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
/** An Exif block with one value, the orientation, initially 1 (TIFF 6.0). */
const ORIENTATION = Buffer.from('4d4d002a00000008000101120003000000010001000000000000', 'hex');

function orientationBlock(orientation: number): Buffer {
  const block = Buffer.from(ORIENTATION);
  block.writeUInt16BE(orientation, 18);
  return block;
}

/** Copies the PNG chunks that affect the appearance (PNG, chapter 11). Bytes after its end are dropped. */
async function copyPng(source: FileHandle, copy: FileHandle, size: number, orientation: number): Promise<boolean> {
  let position = 8;
  // adjacent chunks are copied at once
  let start = 0;
  for (let n = 0; n < MOST_CHUNKS; n++) {
    const head = await at(source, position, 8);
    if (head.length < 8) return false;
    const name = head.toString('latin1', 4, 8);
    const end = position + 12 + head.readUInt32BE(0);
    if (end > size) return false;
    if (!/^[A-Z]/.test(name) && !PNG_CHUNKS.has(name)) {
      await appendRange(source, copy, start, position);
      if (name === 'eXIf' && orientation > 1) await copy.appendFile(pngChunk(name, orientationBlock(orientation)));
      start = end;
    }
    if (name === 'IEND') {
      await appendRange(source, copy, start, end);
      return true;
    }
    position = end;
  }
  return false;
}

function pngChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(name, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/**
 * Strips the pictures of a JPEG file and a film after them. Nothing moves, since later pictures and films are found by
 * their positions. Other bytes after the pictures are overwritten.
 */
async function clearJpeg(file: FileHandle, size: number, orientation: number): Promise<boolean> {
  let position = 0;
  for (let n = 0; n < MOST_PICTURES; n++) {
    const end = await endOfJpeg(file, size, {
      from: position,
      segment: (marker, start, length) => clearSegment(file, marker, start, length, n === 0 ? orientation : 1),
    });
    if (end === undefined) return false;
    const behind = await at(file, end, PIECE);
    const padding = behind.findIndex((byte) => byte !== 0);
    if (padding >= 0 && behind.toString('latin1', padding, padding + 3) === '\xff\xd8\xff') {
      position = end + padding;
      continue;
    }
    const brand = behind.toString('latin1', 0, 64).indexOf('ftyp');
    if (brand < 4) {
      await overwrite(file, end, size);
      return true;
    }
    const film = end + brand - 4;
    await overwrite(file, end, film);
    const behindFilm = await clearBoxes(file, film, size, false);
    if (behindFilm === undefined) return false;
    await overwrite(file, behindFilm, size);
    return true;
  }
  return false;
}

async function clearAvif(file: FileHandle, size: number): Promise<boolean> {
  const end = await clearBoxes(file, 0, size, true);
  if (end === undefined) return false;
  await overwrite(file, end, size);
  return true;
}

/** JPEG application segments that affect the appearance, by marker and the names that they begin with. */
const APPLICATIONS: Readonly<Record<number, readonly string[]>> = {
  224: ['JFIF\0', 'JFXX\0'],
  // the colour profile, the positions of other pictures, a gain map
  226: ['ICC_PROFILE\0', 'MPF\0', 'urn:iso:std:iso:ts:21496'],
  238: ['Adobe'],
};
const COMMENT = 0xfe;
const XMP = 'http://ns.adobe.com/xap/1.0/\0';

/** Overwrites a JPEG segment with metadata. */
async function clearSegment(
  file: FileHandle,
  marker: number,
  position: number,
  length: number,
  orientation: number,
): Promise<void> {
  const isApplication = marker >= 0xe0 && marker <= 0xef;
  if (!isApplication && marker !== COMMENT) return;
  const payload = await at(file, position, length);
  const text = payload.toString('latin1');
  if (APPLICATIONS[marker]?.some((name) => text.startsWith(name))) return;
  let remaining: Buffer | undefined;
  if (marker === 0xe1 && text.startsWith('Exif\0') && orientation > 1) {
    remaining = Buffer.concat([EXIF, orientationBlock(orientation)]);
  } else if (marker === 0xe1 && text.startsWith(XMP) && GAIN_MAP.test(text)) {
    const xmp = clearXmp(payload.toString('utf8', XMP.length));
    // trailing spaces in XMP have no meaning
    if (xmp) remaining = Buffer.from(`${XMP}${xmp}`.padEnd(payload.length, ' '));
  }
  const cleared = Buffer.alloc(payload.length);
  if (remaining && remaining.length <= payload.length) remaining.copy(cleared);
  await file.write(cleared, 0, cleared.length, position);
}

/** One declaration, tag or text. */
const TOKEN = /<\?[^?]*\?>|<(\/?)([\w-]+):([\w-]+)((?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;
const ATTRIBUTE = /([\w-]+)(:[\w-]+)?\s*=\s*("[^"<]*"|'[^'<]*')/g;
/** Prefixes of elements and attributes that stay. */
const PREFIXES: ReadonlySet<string> = new Set('x rdf xmlns hdrgm Container Item GCamera HDRGainMap apdi'.split(' '));
/** Longer values are camera data. */
const VALUE_LENGTH = 100;
const NUMBERS = /^(?:[\s\d.,eE+-]*|\s*(?:true|false)\s*)$/i;

/**
 * XMP reduced to what describes a gain map or a film; never longer than before.
 *
 * @returns undefined for XMP that cannot be parsed, of which nothing may stay.
 */
function clearXmp(xmp: string): string | undefined {
  let cleared = '';
  // depth of open elements inside a dropped one
  let dropped = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < xmp.length) {
    const match = TOKEN.exec(xmp);
    if (!match) return undefined;
    const [token, closes, prefix, name, attributes = '', isEmpty] = match;
    if (prefix === undefined) {
      const stays = token.startsWith('<?xpacket') || NUMBERS.test(token);
      if (dropped === 0 && stays) cleared += token;
    } else if (dropped > 0 || !PREFIXES.has(prefix)) {
      if (!isEmpty) dropped += closes ? -1 : 1;
      if (dropped < 0) return undefined;
    } else {
      cleared += `<${closes}${prefix}:${name}${attributesOf(attributes)}${isEmpty}>`;
    }
  }
  return cleared.trimEnd();
}

function attributesOf(attributes: string): string {
  let remaining = '';
  for (const [whole, prefix, , value] of attributes.matchAll(ATTRIBUTE)) {
    if (PREFIXES.has(prefix!) && prefix !== 'x' && value!.length <= VALUE_LENGTH) remaining += ` ${whole}`;
  }
  return remaining;
}
