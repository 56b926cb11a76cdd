/** What an operation on the disk or the store that fails becomes for the client, and for the log. */
import { ContentError, unavailable } from '../errors.ts';
import { errorField, writeLogLine } from '../log-line.ts';

/** No room is left on the disk, or in the account's share of it. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * The error of the catalogue for one that storing threw: 507 where no room is left, else 503. The cause goes
 * in the log, with its paths; the client sees neither. Errors of the catalogue stay what they are.
 */
export function storageFailure(error: unknown): ContentError {
  if (error instanceof ContentError) return error;
  if (FULL.has((error as NodeJS.ErrnoException).code ?? '')) {
    return new ContentError(
      'InsufficientStorageError',
      'There is no room left to store the file',
      {},
      { cause: error },
    );
  }
  return unavailable('Files cannot be stored at the moment', error);
}

/**
 * A module that only uploads need, loaded with the first of them.
 *
 * @throws ContentError 503 when it cannot be loaded, such as for want of a file descriptor; the next upload tries
 * again.
 */
export function loading<T>(module: Promise<T>): Promise<T> {
  return module.catch((error: unknown) => {
    throw storageFailure(error);
  });
}

/** Reports a failure in the log that cannot be reported to a client. */
export function logFailure(what: string, error: unknown): void {
  writeLogLine('error', what, errorField(error));
}
