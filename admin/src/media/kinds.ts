/** Kinds of files, as `allowedTypes` of a media attribute names them, and what a file's picture is. */
import type { LibraryFile, MediaFile } from '../../contract/media.ts';
import { KINDS, type Kind } from '../data/library-state.ts';
import { addressOf } from './current.ts';

/** The attribute's spelling: `images`, `videos`, `audios`, `files`. */
export type AllowedType = `${Kind}s`;

const allowedType = (kind: Kind): AllowedType => `${kind}s`;

/** The kind of a media type; what is no image, video or sound is a file. */
export function kindOf({ mime }: { readonly mime: string }): Kind {
  const top = mime.split('/')[0];
  return top === 'image' || top === 'video' || top === 'audio' ? top : 'file';
}

/** The kinds that an attribute allows; none given: all. `files` stands for what is none of the others. */
export function allowedKinds(types: readonly string[] | undefined): readonly Kind[] {
  if (!types || types.length === 0) return KINDS;
  return KINDS.filter((kind) => types.includes(allowedType(kind)));
}

/** What a file input may offer for kinds: its `accept`. */
export function acceptOf(kinds: readonly Kind[]): string | undefined {
  return kinds.includes('file') ? undefined : kinds.map((kind) => `${kind}/*`).join();
}

/** Endings of one and the same type of file. */
const ALIKE: readonly (readonly string[])[] = [
  ['.jpg', '.jpeg', '.jpe', '.jfif'],
  ['.tif', '.tiff'],
  ['.htm', '.html'],
  ['.mpg', '.mpeg'],
];

/** The endings of files that can stand at the address of a file, which keeps its own; none: any. */
export function endingsFor({ ext }: Pick<LibraryFile, 'ext'>): readonly string[] {
  const ending = ext?.toLowerCase() ?? '';
  return ALIKE.find((endings) => endings.includes(ending)) ?? (ending === '' ? [] : [ending]);
}

interface Format {
  readonly url: string;
  readonly width: number;
}

/** The address of a picture of a file, at least as wide as asked where there is one; undefined where there is none. */
export function pictureOf(
  file: Pick<MediaFile, 'mime' | 'url' | 'width' | 'formats'> & Partial<Pick<MediaFile, 'id' | 'updatedAt'>>,
  width: number,
): string | undefined {
  if (kindOf(file) !== 'image') return undefined;
  const formats = Object.values(file.formats ?? {}).filter(isFormat);
  const wide = formats.filter((format) => format.width >= width).sort((a, b) => a.width - b.width)[0];
  const widest = formats.sort((a, b) => b.width - a.width)[0];
  // the original is larger than all of them, often by far
  const fitting = wide ?? (file.width !== null && widest && file.width > 2 * width ? widest : undefined);
  return addressOf(fitting?.url ?? file.url, file);
}

function isFormat(value: unknown): value is Format {
  const { url, width } = (value ?? {}) as Partial<Format>;
  return typeof url === 'string' && typeof width === 'number';
}

/** Kilobytes of 1,000 bytes as one reads them: `14.2 kB`, `3.1 MB`. Less is not stored exactly, and told as `< 1 kB`. */
export function sizeText(kilobytes: number, locale: string): string {
  const [value, unit] = kilobytes < 1000 ? [kilobytes, 'kilobyte'] : [kilobytes / 1000, 'megabyte'];
  const numbers = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 100 ? 1 : 0,
  });
  return value < 1 ? `< ${numbers.format(1)}` : numbers.format(value);
}
