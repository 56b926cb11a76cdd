/** The rules of file names (docs/reference/files.md). */
import path from 'node:path';
import { ContentError } from '../errors.ts';
import { at, validationFailure } from '../failures.ts';

/** Characters of a file name. */
export const NAME_LENGTH = 255;
/** Bytes of an upload's folders. Together with a file name they form a key, which S3 limits to 1,024 bytes. */
const PATH_BYTES = 512;

const INVALID = /[<>:"/\\|?*\u0000-\u001F]/;
/** Names of devices on Windows. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
/** A valid extension. Other text after a dot is part of the name. */
const EXTENSION = /^\.[^\s.#%]{1,32}$/u;
const EXTENSION_BYTES = 64;

/** The name of a part without a name. */
const UNNAMED = 'unnamed';

/** The last segment of a Windows path, which programs there send as a file name. */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf('\\') + 1);

/**
 * The name of an uploaded file, without the folders of a Windows path.
 *
 * @throws ContentError 400 for an invalid name.
 */
export function sentName(sent: string | undefined): string {
  if (sent === undefined) return UNNAMED;
  const name = lastSegment(sent);
  const isValid =
    name !== '' &&
    name.length <= NAME_LENGTH &&
    !INVALID.test(name) &&
    !RESERVED.test(name) &&
    name !== '.' &&
    name !== '..' &&
    name.isWellFormed();
  if (!isValid) throw new ContentError('ApplicationError', 'File name contains invalid characters');
  return name;
}

/** The extension of a name, with its dot and case; empty if there is none. */
export function extensionOf(name: string): string {
  const ending = path.posix.extname(name);
  return EXTENSION.test(ending) && Buffer.byteLength(ending) <= EXTENSION_BYTES ? ending : '';
}

/**
 * The folders in an upload's `path`, without unsafe parts; empty for none.
 *
 * @throws ContentError 400 for a text that stores or columns cannot hold.
 */
export function folderKey(path: string | undefined): string {
  const text = path ?? '';
  if (!text.isWellFormed() || text.includes('\0')) throw refusedPath('path contains invalid characters');
  const parts = text.split(/[/\\]+/).map((part) => part.trim());
  const isSafe = (part: string) => part !== '' && !/^\.+$/.test(part) && !INVALID.test(part);
  const key = parts.filter(isSafe).join('/');
  if (key.length > NAME_LENGTH || Buffer.byteLength(key) > PATH_BYTES) {
    throw refusedPath(`path must have at most ${NAME_LENGTH} characters and ${PATH_BYTES} bytes`);
  }
  return key;
}

const refusedPath = (message: string): ContentError => validationFailure(at('path'), message);
