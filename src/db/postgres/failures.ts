/**
 * Translates failures of a server or a connection into errors for the caller
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
import { ContentError, refusedByDatabase, tooLarge, tooLong, unavailable } from '../../errors.ts';

export const tookTooLong = (cause?: unknown): ContentError =>
  unavailable('The database took too long to answer', cause);
export const unreachable = (cause?: unknown): ContentError => unavailable('The database cannot be reached', cause);

/** The error of a transaction whose commit was not answered, so that its outcome is unknown. */
export const unconfirmed = (cause: unknown): ContentError =>
  unavailable('The database did not confirm the change; it may or may not have been saved', cause);

/** The error of a transaction that conflicted with others in every attempt. */
export const alwaysConflicting = (cause?: unknown): ContentError =>
  unavailable('Too many other requests are writing to the same documents', cause);

/** A server that stops, starts, or ends a connection; class 08; errors of the network; messages of pg. */
const LOST_CODES =
  /^(?:08...|57P0.|25P0[34]|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const LOST_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded when trying to connect|Cannot use a pool after calling end)/;
/** A statement that was cancelled, mostly for its time; a lock that was not available in time. */
const LATE = /^(?:57014|55P03)$/;
const DISK_FULL = '53100';
/** A write on a server that accepts none: a standby, or a former primary after a failover. */
const READ_ONLY = '25006';
/** Memory, connections or another resource is exhausted; the server's files cannot be read or written. */
const TROUBLE = /^(?:53...|58...)$/;
/** "Program limit exceeded". */
const TOO_LARGE = /^54...$/;
/** A prepared statement that the server does not know, one that exists already, and one whose columns have changed. */
const UNKNOWN_STATEMENT = '26000';
const TAKEN_STATEMENT = '42P05';
const CHANGED_RESULT = /^cached plan must not change result type/;

/** The role of the connection lacks the permission. */
const NOT_PERMITTED = '42501';
/** A missing table, column or schema. */
const MISSING = /^(?:42P01|42703|3F000)$/;
/** Columns of other types, a view instead of a table, ids that only the database assigns. */
const OTHER_TABLES = /^(?:42804|42809|42846|42883|42725|42P10|42P18|428C9|55000)$/;
/** A wrong pattern. Galley's own are right, so one for times was applied to a number. */
const WRONG_PATTERN = 'NUMDesc_prepare';
/** A value that its column does not accept, null included. */
const UNFIT_VALUE = /^(?:22...|23502)$/;
/** Constraints, views that check rows, and triggers whose functions raise errors or fail. */
const CONSTRAINT = /^(?:23...|44000|P0...|2F...|38...|39...)$/;

/** A value out of its type's range, and the routines that report this for a `real` in current and older versions. */
const OUT_OF_RANGE = '22003';
const REAL_OVERFLOW: ReadonlySet<unknown> = new Set(['float_overflow_error', 'float4pl', 'float4mul']);

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? '';

/**
 * The error of the catalogue for an error of the database, which becomes its cause; any other error is returned
 * unchanged.
 */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ContentError) return error;
  const code = codeOf(error);
  const { routine } = error as { routine?: string };
  // the only sum of this type is that of an array's size (`array` in dialect.ts)
  if (code === OUT_OF_RANGE && REAL_OVERFLOW.has(routine)) return tooLong();
  if (TOO_LARGE.test(code)) return tooLarge();
  if (LATE.test(code)) return tookTooLong(error);
  if (code === DISK_FULL) {
    return new ContentError('InsufficientStorageError', 'The disk of the database is full', {}, { cause: error });
  }
  if (code === READ_ONLY) return unavailable('The database does not accept writes at the moment', error);
  if (code === NOT_PERMITTED) return unavailable('The database does not permit this to the server', error);
  if (TROUBLE.test(code)) return unavailable('The database has reported a fault', error);
  if (isLoss(error)) return unreachable(error);
  if (MISSING.test(code) || OTHER_TABLES.test(code) || routine === WRONG_PATTERN)
    return refusedByDatabase(error, 'tables');
  if (UNFIT_VALUE.test(code)) return refusedByDatabase(error, 'column');
  return CONSTRAINT.test(code) ? refusedByDatabase(error, 'constraint') : error;
}

/**
 * Turns the error of a read into a 503, which monitoring sees, if a table or column is missing, because then no other
 * request would succeed either. Any other error is returned unchanged.
 */
export function readFailure(error: unknown): unknown {
  if (!(error instanceof ContentError) || !MISSING.test(codeOf(error))) return error;
  const message = 'The database lacks a table or column of the schema: run the command "galley doctor"';
  return unavailable(message, error.cause);
}

/** Whether an error ends its connection, or means that there is none. */
export function isLoss(error: unknown): boolean {
  return error instanceof Error && (LOST_CODES.test(codeOf(error)) || LOST_MESSAGES.test(error.message));
}

const ABORTED = '25P02';

/** Whether a statement was refused because an earlier one of its transaction was. */
export const isAborted = (error: unknown): boolean => codeOf(error) === ABORTED;

/** The error of a statement that the server has skipped, because an earlier one of its batch was refused. */
export const behindRefused = (): Error =>
  Object.assign(new Error('a statement before this one was refused'), { code: ABORTED });

/** Whether an error means that the server accepts no writes. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether a prepared statement is invalid: prepared again, or not prepared, it works. */
export function isOutdated(error: unknown): boolean {
  return isUnknown(error) || isTaken(error) || (error instanceof Error && CHANGED_RESULT.test(error.message));
}

/** Whether the server does not know a prepared statement. */
export const isUnknown = (error: unknown): boolean => codeOf(error) === UNKNOWN_STATEMENT;

/** Whether a prepared statement of that name exists already. */
export const isTaken = (error: unknown): boolean => codeOf(error) === TAKEN_STATEMENT;
