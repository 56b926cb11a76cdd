/** Decides which pictures of a paste can be uploaded, and why others cannot. */
import { linesOf, type PastedBlock, type PastedPicture } from './pasted.ts';

/** Why a picture is left out. */
export type Reason = 'elsewhere' | 'device' | 'unreadable' | 'tooMany' | 'rights';

export interface PicturePlan {
  /** The files to upload, one for each source. */
  readonly uploads: readonly { readonly source: string; readonly file: File }[];
  /** Addresses of this server by source, which the library may know. */
  readonly own: ReadonlyMap<string, string>;
  readonly leftOut: ReadonlyMap<Reason, number>;
}

/** The maximum number of uploads of one paste. */
export const MOST_UPLOADS = 20;
/** The maximum number of files of one paste that are looked up in the library. */
const MOST_OWN = 100;

/** The file endings of picture types. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
};

/**
 * Plans the pictures of blocks. Pictures with the same source are one file, but have their own alternative texts.
 *
 * @param files of the clipboard. Word processors add a picture of the whole selection, so files count only if there is
 * no text, as when a picture of a page was copied.
 * @param origin of the page.
 * @param nameOf returns a name, without its ending, for a file that has none.
 */
export function planPictures(
  blocks: readonly PastedBlock[],
  files: readonly File[],
  {
    origin,
    mayUpload,
    nameOf,
  }: {
    readonly origin: string;
    readonly mayUpload: boolean;
    readonly nameOf: (picture: PastedPicture) => string;
  },
): PicturePlan {
  const lines = linesOf(blocks);
  const pictures = new Map<string, PastedPicture>();
  for (const one of lines.flat())
    if (one.type === 'picture' && !pictures.has(one.source)) pictures.set(one.source, one);
  const isText =
    lines.some((line) => line.some((one) => one.type !== 'picture')) || blocks.some(({ type }) => type === 'code');
  const copied = isText || files.length !== pictures.size ? [] : [...files];
  const uploads: { source: string; file: File }[] = [];
  const own = new Map<string, string>();
  const leftOut = new Map<Reason, number>();
  for (const [source, picture] of pictures) {
    const found = copied.shift() ?? fileOf(picture, origin, nameOf);
    if (found instanceof URL && own.size < MOST_OWN) own.set(source, found.pathname);
    else if (found instanceof File && mayUpload && uploads.length < MOST_UPLOADS) uploads.push({ source, file: found });
    else {
      const reason =
        typeof found === 'string' ? found : found instanceof URL ? 'unreadable' : mayUpload ? 'tooMany' : 'rights';
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    }
  }
  return { uploads, own, leftOut: leftOut };
}

/**
 * The file of a picture, its address on this server, or the reason why there is neither. A relative address may belong
 * to any site.
 */
function fileOf(
  picture: PastedPicture,
  origin: string,
  nameOf: (picture: PastedPicture) => string,
): File | URL | 'elsewhere' | 'device' | 'unreadable' {
  const { source } = picture;
  if (/^data:/i.test(source)) return fileOfData(source, nameOf(picture)) ?? 'unreadable';
  if (!URL.canParse(source)) return 'unreadable';
  const url = new URL(source);
  if (url.protocol === 'file:') return 'device';
  if (!/^https?:$/.test(url.protocol)) return 'unreadable';
  return url.origin === origin ? url : 'elsewhere';
}

/** The file of a `data:` address; undefined if it is not a picture. The policy of the page forbids fetching it. */
export function fileOfData(source: string, name: string): File | undefined {
  const comma = source.indexOf(',');
  const [mime = '', ...parameters] = source.slice('data:'.length, comma).toLowerCase().split(';');
  const ending = ENDINGS[mime.trim()];
  if (comma < 0 || ending === undefined) return undefined;
  const body = source.slice(comma + 1);
  try {
    const isBase64 = parameters.some((parameter) => parameter.trim() === 'base64');
    const bytes = isBase64
      ? Uint8Array.from(atob(body.replaceAll(/%[\da-f]{2}|\s/gi, decoded)), (letter) => letter.charCodeAt(0))
      : new TextEncoder().encode(decodeURIComponent(body));
    return bytes.length === 0 ? undefined : new File([bytes], `${name}.${ending}`, { type: mime.trim() });
  } catch {
    return undefined;
  }
}

const decoded = (part: string): string => (part.startsWith('%') ? decodeURIComponent(part) : '');
