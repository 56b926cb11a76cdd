/** Translates failures of a database file into errors for the caller (https://sqlite.org/rescode.html). */
import { ContentError, refusedByDatabase, tooLarge } from '../../errors.ts';

/** Extended codes begin with the code that they extend: `SQLITE_IOERR_READ`. */
const is = (code: string, ...kinds: readonly string[]): boolean =>
  kinds.some((kind) => code === kind || code.startsWith(`${kind}_`));

/** Whether another process has locked the file. */
export function isLocked(error: unknown): boolean {
  return is((error as { code?: string } | null)?.code ?? '', 'SQLITE_BUSY', 'SQLITE_LOCKED');
}

/**
 * The error of the catalogue for an error of the engine, which becomes its cause; any other error is returned
 * unchanged.
 */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ContentError) return error;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return error;
  const refuse = (name: 'ServiceUnavailableError' | 'InsufficientStorageError', message: string) =>
    new ContentError(name, message, {}, { cause: error });
  // a value, an answer or a statement is longer than the engine supports
  if (is(code, 'SQLITE_TOOBIG')) return tooLarge();
  if (is(code, 'SQLITE_FULL')) return refuse('InsufficientStorageError', 'The disk of the database is full');
  if (isLocked(error)) return refuse('ServiceUnavailableError', 'Another program is writing to the database');
  if (is(code, 'SQLITE_READONLY')) return refuse('ServiceUnavailableError', 'The database is read-only at the moment');
  if (is(code, 'SQLITE_IOERR', 'SQLITE_NOMEM', 'SQLITE_CANTOPEN', 'SQLITE_PROTOCOL', 'SQLITE_INTERRUPT')) {
    return refuse('ServiceUnavailableError', 'The database cannot be reached');
  }
  if (is(code, 'SQLITE_CONSTRAINT_NOTNULL', 'SQLITE_CONSTRAINT_DATATYPE', 'SQLITE_MISMATCH')) {
    return refusedByDatabase(error, 'column');
  }
  return is(code, 'SQLITE_CONSTRAINT') ? refusedByDatabase(error, 'constraint') : error;
}
