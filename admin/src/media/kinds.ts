/** Kinds of files, and how files are displayed: their pictures and sizes. */
import type { LibraryFile, MediaFile } from '../../contract/media.ts';
import { KINDS, type Kind } from '../data/library-state.ts';
import { addressOf } from './current.ts';

/** The spelling of attributes: `images`, `videos`, `audios`, `files`. */
export type AllowedType = `${Kind}s`;

const allowedType = (kind: Kind): AllowedType => `${kind}s`;

/** The kind of a MIME type; `file` for anything but images, video and audio. */
export function kindOf({ mime }: { readonly mime: string }): Kind {
  const top = mime.split('/')[0];
  return top === 'image' || top === 'video' || top === 'audio' ? top : 'file';
}

/** The kinds that an attribute allows, all by default. `files` allows all other kinds. */
export function allowedKinds(types: readonly string[] | undefined): readonly Kind[] {
  if (!types || types.length === 0) return KINDS;
  return KINDS.filter((kind) => types.includes(allowedType(kind)));
}

/** The `accept` attribute of a file input for kinds. */
export function acceptOf(kinds: readonly Kind[]): string | undefined {
  return kinds.includes('file') ? undefined : kinds.map((kind) => `${kind}/*`).join();
}

/** Endings of the same file type. */
const ALIKE: readonly (readonly string[])[] = [
  ['.jpg', '.jpeg', '.jpe', '.jfif'],
  ['.tif', '.tiff'],
  ['.htm', '.html'],
  ['.mpg', '.mpeg'],
];

/** The endings of files that may replace a file, whose address keeps its own; empty for any. */
export function endingsFor({ ext }: Pick<LibraryFile, 'ext'>): readonly string[] {
  const ending = ext?.toLowerCase() ?? '';
  return ALIKE.find((endings) => endings.includes(ending)) ?? (ending === '' ? [] : [ending]);
}

interface Format {
  readonly url: string;
  readonly width: number;
}

/**
 * The address of a picture of the file that is at least as wide as requested, if there is one; undefined if the file is
 * no picture.
 */
export function pictureOf(
  file: Pick<MediaFile, 'mime' | 'url' | 'width' | 'formats'> & Partial<Pick<MediaFile, 'id' | 'updatedAt'>>,
  width: number,
): string | undefined {
  if (kindOf(file) !== 'image') return undefined;
  const formats = Object.values(file.formats ?? {}).filter(isFormat);
  const wide = formats.filter((format) => format.width >= width).sort((a, b) => a.width - b.width)[0];
  const widest = formats.sort((a, b) => b.width - a.width)[0];
  // The original may be much larger than all formats.
  const fitting = wide ?? (file.width !== null && widest && file.width > 2 * width ? widest : undefined);
  return addressOf(fitting?.url ?? file.url, file);
}

function isFormat(value: unknown): value is Format {
  const { url, width } = (value ?? {}) as Partial<Format>;
  return typeof url === 'string' && typeof width === 'number';
}

/** A size in kilobytes of 1,000 bytes: `14.2 kB`, `3.1 MB`. Small sizes are not stored exactly and become `< 1 kB`. */
export function sizeText(kilobytes: number, locale: string): string {
  const [value, unit] = kilobytes < 1000 ? [kilobytes, 'kilobyte'] : [kilobytes / 1000, 'megabyte'];
  const numbers = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 100 ? 1 : 0,
  });
  return value < 1 ? `< ${numbers.format(1)}` : numbers.format(value);
}
