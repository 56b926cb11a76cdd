/** What a server or a connection that fails means for whoever asked. */
import { ContentError, tooLarge } from '../../errors.ts';

const unavailable = (message: string) => new ContentError('ServiceUnavailableError', message);

/** A statement that was ended, mostly for its time (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CANCELED = '57014';
/** A server that ends, starts or has no connection left; class 08 and what the network says; what pg says in words. */
const LOST_CODES =
  /^(?:08...|57P0[1-5]|53300|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const LOST_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded when trying to connect)/;

/** The error of the catalogue for what the database says; any other error as it is. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ContentError) return error;
  const { code = '' } = error as { code?: string };
  // class 54: "program limit exceeded"
  if (/^54...$/.test(code)) return tooLarge();
  if (code === CANCELED) return unavailable('The database took too long to answer');
  if (LOST_CODES.test(code) || LOST_MESSAGES.test(error.message)) {
    return unavailable('The database cannot be reached');
  }
  return error;
}

/** What is said of a transaction that others made impossible as often as it was tried. */
export const alwaysOvertaken = (): ContentError => unavailable('Too many others are writing the same documents');
