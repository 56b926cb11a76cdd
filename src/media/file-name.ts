/** The rules of file names (docs/reference/files.md). */
import path from 'node:path';
import { ContentError } from '../errors.ts';
import { at, validationFailure } from '../failures.ts';

/** Characters of a file name. */
export const NAME_LENGTH = 255;
/** Bytes of an upload's folders: with a file's name behind them they make a key, of which S3 takes 1,024. */
const PATH_BYTES = 512;

const INVALID = /[<>:"/\\|?*\u0000-\u001F]/;
/** Names of devices on Windows. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
/** An ending that is an extension; anything else after a dot belongs to the name. */
const EXTENSION = /^\.[^\s.#%]{1,32}$/u;
const EXTENSION_BYTES = 64;

/** The name that a part without one has. */
const UNNAMED = 'unnamed';

/**
 * The last segment of a path of Windows, which programs there send as the name of a file. A name without a backslash is
 * returned as it is.
 */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf('\\') + 1);

/**
 * The name that a file was sent with, without the folders of a path of Windows.
 *
 * @throws ContentError 400 for one that no file can have.
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

/** The extension of a sent name with its dot and its letters as they are; empty when it has none. */
export function extensionOf(name: string): string {
  const ending = path.posix.extname(name);
  return EXTENSION.test(ending) && Buffer.byteLength(ending) <= EXTENSION_BYTES ? ending : '';
}

/**
 * The folders that an upload's `path` asks for, without any that would lead elsewhere; empty for none.
 *
 * @throws ContentError 400 for a text that no store or column takes.
 */
export function folderKey(given: string | undefined): string {
  const text = given ?? '';
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
