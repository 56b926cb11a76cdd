/** Errors of the disk or a store, as clients and the log see them. */
import { ContentError, unavailable } from '../errors.ts';
import { errorField, writeLogLine } from '../log-line.ts';

/** The disk or the quota is full. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * The catalogue error for a failure of storage: 507 if the disk is full, else 503. The cause with its paths goes to the
 * log only. Errors of the catalogue are returned unchanged.
 */
export function storageFailure(error: unknown): ContentError {
  if (error instanceof ContentError) return error;
  if (FULL.has((error as NodeJS.ErrnoException).code ?? '')) {
    return new ContentError('InsufficientStorageError', 'The disk is too full to store the file', {}, { cause: error });
  }
  return unavailable('Files cannot be stored at the moment', error);
}

/**
 * Loads a module that only uploads need.
 *
 * @throws ContentError 503 if it cannot be loaded, for example without free file descriptors; the next upload tries
 *   again.
 */
export function loading<T>(module: Promise<T>): Promise<T> {
  return module.catch((error: unknown) => {
    throw storageFailure(error);
  });
}

/** Logs a failure that cannot be reported to a client. */
export function logFailure(message: string, error: unknown): void {
  writeLogLine('error', message, errorField(error));
}
