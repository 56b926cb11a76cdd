/** Pictures within what was pasted: which of them can be uploaded, and why the others cannot. */
import { linesOf, type PastedBlock, type PastedPicture } from './pasted.ts';

/** Why a picture is left out. */
export type Reason = 'elsewhere' | 'device' | 'unreadable' | 'tooMany' | 'rights';

export interface PicturePlan {
  /** What is to be uploaded. A file of this server is fetched before. */
  readonly uploads: readonly { readonly picture: PastedPicture; readonly file: File | URL }[];
  /** Files of this server that stay what they are, by source. */
  readonly own: ReadonlyMap<string, string>;
  readonly left: ReadonlyMap<Reason, number>;
}

/** Uploads of one paste. */
export const MOST_UPLOADS = 20;

/** Media types of pictures, with the endings of their names. */
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
 * Says what becomes of the pictures of blocks.
 *
 * @param files of the clipboard. Word processors add a picture of all that was copied, so they count only where there is
 * no text, as where a picture of a page was copied.
 * @param origin of the page. Its policy lets it fetch from there alone.
 * @param keepsOwn whether addresses of this server may stand in the text.
 * @param nameOf names a file that has no name, without its ending.
 */
export function planPictures(
  blocks: readonly PastedBlock[],
  files: readonly File[],
  {
    origin,
    keepsOwn,
    mayUpload,
    nameOf,
  }: {
    readonly origin: string;
    readonly keepsOwn: boolean;
    readonly mayUpload: boolean;
    readonly nameOf: (picture: PastedPicture) => string;
  },
): PicturePlan {
  const lines = linesOf(blocks);
  const pictures = new Map(
    lines.flatMap((line) => line.filter((one) => one.type === 'picture').map((one) => [one.source, one] as const)),
  );
  const isText =
    lines.some((line) => line.some((one) => one.type !== 'picture')) || blocks.some(({ type }) => type === 'code');
  const given = isText || files.length !== pictures.size ? [] : [...files];
  const uploads: { picture: PastedPicture; file: File | URL }[] = [];
  const own = new Map<string, string>();
  const left = new Map<Reason, number>();
  for (const picture of pictures.values()) {
    const found = given.shift() ?? fileOf(picture, origin, nameOf);
    if (found instanceof URL && keepsOwn) own.set(picture.source, `${found.pathname}${found.search}`);
    else {
      const reason =
        typeof found === 'string'
          ? found
          : !mayUpload
            ? 'rights'
            : uploads.length >= MOST_UPLOADS
              ? 'tooMany'
              : undefined;
      if (reason !== undefined) left.set(reason, (left.get(reason) ?? 0) + 1);
      else uploads.push({ picture, file: found as File | URL });
    }
  }
  return { uploads, own, left };
}

function fileOf(
  picture: PastedPicture,
  origin: string,
  nameOf: (picture: PastedPicture) => string,
): File | URL | 'elsewhere' | 'device' | 'unreadable' {
  const { source } = picture;
  if (/^data:/i.test(source)) return fileOfData(source, nameOf(picture)) ?? 'unreadable';
  if (!URL.canParse(source, origin)) return 'unreadable';
  const url = new URL(source, origin);
  if (url.protocol === 'file:') return 'device';
  if (!/^https?:$/.test(url.protocol)) return 'unreadable';
  return url.origin === origin ? url : 'elsewhere';
}

/** The file of a `data:` address; undefined where it is none of a picture. The policy of the page forbids fetching it. */
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

/** A file of this server, to be uploaded anew; undefined where it cannot be had. */
export async function fetchedFile(url: URL, name: string): Promise<File | undefined> {
  try {
    const response = await fetch(url, { credentials: 'omit', redirect: 'error' });
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const ending = ENDINGS[type];
    return response.ok && ending !== undefined
      ? new File([await response.blob()], `${name}.${ending}`, { type })
      : undefined;
  } catch {
    return undefined;
  }
}
