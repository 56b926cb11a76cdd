/**
 * What the failure of a server or a connection means for the caller
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
import { ContentError, refusedByDatabase, tooLarge, tooLong, unavailable } from '../../errors.ts';

export const tookTooLong = (cause?: unknown): ContentError =>
  unavailable('The database took too long to answer', cause);
export const unreachable = (cause?: unknown): ContentError => unavailable('The database cannot be reached', cause);

/** What is said of a transaction whose commit got no answer: whether it was made is not known. */
export const unconfirmed = (cause: unknown): ContentError =>
  unavailable('The database did not confirm the change; it may or may not have been saved', cause);

/** What is said of a transaction that others made impossible as often as it was tried. */
export const alwaysConflicting = (cause?: unknown): ContentError =>
  unavailable('Too many other requests are writing to the same documents', cause);

/** A server that ends, starts, or ends a connection; class 08; what the network says; what pg says in words. */
const LOST_CODES =
  /^(?:08...|57P0.|25P0[34]|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const LOST_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded when trying to connect|Cannot use a pool after calling end)/;
/** A statement that was ended, mostly for its time; a lock that was not to be had in time. */
const LATE = /^(?:57014|55P03)$/;
const DISK_FULL = '53100';
/** A write on a server that takes none: a standby, or what a failover left of a primary. */
const READ_ONLY = '25006';
/** Memory, connections or another resource is used up; the server's files cannot be read or written. */
const TROUBLE = /^(?:53...|58...)$/;
/** "Program limit exceeded". */
const TOO_LARGE = /^54...$/;
/** A prepared statement that the server does not know, one that it has already, and one that has other columns by now. */
const UNKNOWN_STATEMENT = '26000';
const TAKEN_STATEMENT = '42P05';
const CHANGED_RESULT = /^cached plan must not change result type/;

/** The role of the connection may not do it. */
const NOT_PERMITTED = '42501';
/** A table, column or schema that is not there. */
const MISSING = /^(?:42P01|42703|3F000)$/;
/** Columns of other types, a view where a table belongs, ids that the database alone gives. */
const OTHER_TABLES = /^(?:42804|42809|42846|42883|42725|42P10|42P18|428C9|55000)$/;
/** A pattern that is wrong: as ours are right, one for times that was applied to a number. */
const WRONG_PATTERN = 'NUMDesc_prepare';
/** A value that its column does not take, null among them. */
const UNFIT_VALUE = /^(?:22...|23502)$/;
/** Constraints, views that check rows, and triggers, whose functions raise errors or fail. */
const CONSTRAINT = /^(?:23...|44000|P0...|2F...|38...|39...)$/;

/** A value out of its type's range, and where the server says so of a `real`, in this version and in older ones. */
const OUT_OF_RANGE = '22003';
const REAL_OVERFLOW: ReadonlySet<unknown> = new Set(['float_overflow_error', 'float4pl', 'float4mul']);

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? '';

/** The error of the catalogue for what the database says, which it has as its cause; any other error as it is. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ContentError) return error;
  const code = codeOf(error);
  const { routine } = error as { routine?: string };
  // the one sum of this type is that of an array's size (`array` in dialect.ts)
  if (code === OUT_OF_RANGE && REAL_OVERFLOW.has(routine)) return tooLong();
  if (TOO_LARGE.test(code)) return tooLarge();
  if (LATE.test(code)) return tookTooLong(error);
  if (code === DISK_FULL) {
    return new ContentError('InsufficientStorageError', 'There is no room left in the database', {}, { cause: error });
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
 * The error of a read, which no other request would make succeed where a table or a column is not there: a 503, which
 * monitors of the server see. Any other error as it is.
 */
export function readFailure(error: unknown): unknown {
  if (!(error instanceof ContentError) || !MISSING.test(codeOf(error))) return error;
  const message = 'The database lacks a table or column of the schema: run the command "galley doctor"';
  return unavailable(message, error.cause);
}

/** Whether an error ends the connection that it came over, or says that there is none. */
export function isLoss(error: unknown): boolean {
  return error instanceof Error && (LOST_CODES.test(codeOf(error)) || LOST_MESSAGES.test(error.message));
}

const ABORTED = '25P02';

/** Whether a statement was refused because one before it in the transaction was. */
export const isAborted = (error: unknown): boolean => codeOf(error) === ABORTED;

/** What a statement fails with that the server has passed over, since one before it in its batch was refused. */
export const behindRefused = (): Error =>
  Object.assign(new Error('a statement before this one was refused'), { code: ABORTED });

/** Whether a server says that it takes no writes. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether a prepared statement is not valid: prepared again, or not at all, it works. */
export function isOutdated(error: unknown): boolean {
  return isUnknown(error) || isTaken(error) || (error instanceof Error && CHANGED_RESULT.test(error.message));
}

/** Whether a server does not know a prepared statement. */
export const isUnknown = (error: unknown): boolean => codeOf(error) === UNKNOWN_STATEMENT;

/** Whether a server has a prepared statement of that name already. */
export const isTaken = (error: unknown): boolean => codeOf(error) === TAKEN_STATEMENT;
