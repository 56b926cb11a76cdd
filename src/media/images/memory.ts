/** Estimates the memory that an image needs, from its header, before anything is decoded. */
import type { Metadata } from 'sharp';
import type { RasterKind } from './image.ts';

/** Pixels above which palettes and slow encoder settings would take longer than an upload may. */
export const THOROUGH = 24_000_000;
/** Images up to this many pixels are decoded once into memory; larger ones are streamed for each use. */
export const DECODED_ONCE = 8_000_000;

/** Bytes of one sample, by the library's C types. */
const SAMPLE: Readonly<Record<string, number>> = { ushort: 2, short: 2, uint: 4, int: 4, float: 4, double: 8 };

export interface Encoding {
  readonly kind: RasterKind;
  readonly pixels: number;
  /** Whether the encoding is lossy. */
  readonly isLossy: boolean;
}

/**
 * Bytes needed to decode an image of `pixels`, including all frames, and to encode it. Kinds that can be read in strips
 * need almost nothing; interlaced, progressive and rotated images, WebP, AVIF and TIFF are in memory completely. The
 * factors are measured and rounded up.
 */
export function memoryOf(kind: RasterKind, metadata: Metadata, pixels: number, encoding: Encoding | undefined): number {
  const { channels, depth, isProgressive, orientation = 1 } = metadata;
  const samples = Math.max(channels, 3) * (SAMPLE[depth] ?? 1);
  const streamed = kind === 'jpeg' || kind === 'png';
  const whole = {
    jpeg: isProgressive ? 3 : 0,
    png: isProgressive ? samples : 0,
    webp: 4,
    avif: 17 * (SAMPLE[depth] ?? 1),
  };
  const decoding = kind === 'tiff' || kind === 'gif' ? Math.max(samples, 4) : whole[kind];
  const isCopied = pixels <= DECODED_ONCE || (orientation > 1 && streamed);
  return pixels * (decoding + (isCopied ? samples : 0)) + (encoding ? encodingMemory(encoding) : 0);
}

function encodingMemory({ kind, pixels, isLossy }: Encoding): number {
  const isThorough = pixels <= THOROUGH;
  const each = { jpeg: isThorough ? 3 : 0, png: isLossy && isThorough ? 16 : 0, webp: 8, avif: 16, tiff: 0, gif: 4 };
  return pixels * each[kind];
}
