/** Detects the kind of an image by its first bytes, since names and declared types may be wrong. */
import { open } from 'node:fs/promises';
import { RASTER_KINDS } from '../../config/config.ts';
import type { RasterKind } from './image.ts';

/** Bytes that are read; the root element of a drawing must begin within them. */
export const PREFIX_BYTES = 64 * 1024;

/** Extensions of raster images. */
const EXTENSIONS: Readonly<Record<string, RasterKind>> = {
  jpg: 'jpeg',
  jpeg: 'jpeg',
  jpe: 'jpeg',
  jfif: 'jpeg',
  png: 'png',
  webp: 'webp',
  tif: 'tiff',
  tiff: 'tiff',
  gif: 'gif',
  avif: 'avif',
};

/** The first bytes of a file. */
export async function prefixOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(PREFIX_BYTES);
    const { bytesRead } = await file.read(buffer, 0, PREFIX_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The kind of raster image that begins with these bytes; undefined for other files. */
export function rasterKind(prefix: Buffer): RasterKind | undefined {
  const text = (from: number, to: number): string => prefix.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp';
  if (['II*\0', 'MM\0*'].includes(text(0, 4))) return 'tiff';
  if (['GIF87a', 'GIF89a'].includes(text(0, 6))) return 'gif';
  if (text(4, 8) === 'ftyp') {
    // the major brand, and after a version the compatible ones
    const length = Math.min(prefix.length >= 4 ? prefix.readUInt32BE(0) : 0, prefix.length);
    for (let at = 8; at + 4 <= length; at += at === 8 ? 8 : 4) {
      if (['avif', 'avis'].includes(text(at, at + 4))) return 'avif';
    }
  }
  return undefined;
}

/** Whether a file's extension or media type claims that it is a raster image of a supported kind. */
export function claimsRaster({ ext, mime }: { readonly ext: string; readonly mime: string }): boolean {
  const [type, subtype] = mime.toLowerCase().split('/');
  const kinds: readonly string[] = RASTER_KINDS;
  return (
    Object.hasOwn(EXTENSIONS, ext.replace(/^\./, '').toLowerCase()) || (type === 'image' && kinds.includes(subtype!))
  );
}
