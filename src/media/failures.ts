/** What an operation on the disk or the store that fails becomes for the client, and for the log. */
import { ContentError } from '../errors.ts';

/** No room is left on the disk, or in the account's share of it. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * The error of the catalogue for one that storing threw: 507 where no room is left, else 503. The cause goes to stderr,
 * with its paths; the client sees neither. Errors of the catalogue stay what they are.
 */
export function storageFailure(error: unknown): ContentError {
  if (error instanceof ContentError) return error;
  logFailure('a file could not be stored', error);
  if (FULL.has((error as NodeJS.ErrnoException).code ?? '')) {
    return new ContentError('InsufficientStorageError', 'There is no room left to store the file');
  }
  return new ContentError('ServiceUnavailableError', 'Files cannot be stored at the moment');
}

/** Tells on stderr what went wrong where no client can be told. */
export function logFailure(what: string, error: unknown): void {
  process.stderr.write(`error: ${what}: ${error instanceof Error ? error.message : String(error)}\n`);
}
