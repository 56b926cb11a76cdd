/** Error responses. */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ContentError, unavailable, validation } from '../../errors.ts';
import { STATUS_CODES } from '../../node-http.ts';
import type { Log } from '../monitoring/log.ts';
import { discardBody, hasUnreadBody, isMultipart, wrongType } from './body.ts';
import { errorBody, sendError } from './reply.ts';

/** The parser's code for a connection that ends within a request. */
const CUT_OFF = 'HPE_INVALID_EOF_STATE';
const BODY_TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';

/** Sends the response to an error. Unknown errors reveal nothing to the client; the log has them. */
export async function answerError(
  error: FastifyError | ContentError,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): Promise<FastifyReply> {
  await leaveBody(error, request, reply);
  const refusal = isCutOff(error, request) ? cutOff() : refusalOf(error);
  logRefusal(refusal, error, request, log);
  log.explain(refusal);
  return sendError(reply, withHint(refusal, request));
}

/** A 400 with the hint that the body was not read because of its type. */
function withHint(refusal: ContentError, request: FastifyRequest): ContentError {
  const { name, status, message, details, reason } = refusal;
  const hint = status === 400 && details && details['hint'] === undefined ? wrongType(request) : undefined;
  return hint === undefined ? refusal : new ContentError(name, message, { ...details, hint }, { reason });
}

/** Logs an error that the caller did not cause. */
export function logError(error: FastifyError | ContentError, request: FastifyRequest, log: Log): void {
  logRefusal(refusalOf(error), error, request, log);
}

function logRefusal(refusal: ContentError, error: Error, request: FastifyRequest, log: Log): void {
  if (refusal.name === 'InternalServerError') log.failure(request, error);
  else if (refusal.cause !== undefined) log.outage(request, refusal.status, refusal.cause);
}

/** Reads enough of a refused request's body for its client to read the response. */
export async function leaveBody(
  error: FastifyError | ContentError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const isUntouched = hasUnreadBody(request);
  const isUnread = error instanceof ContentError ? isUntouched || isMultipart(request) : error.code === BODY_TOO_LARGE;
  if (isUnread) await discardBody(request.raw);
  // the rest of the body is not read
  if ((isUntouched || isMultipart(request)) && !request.raw.complete) reply.header('connection', 'close');
}

/** True where the client disconnected within its body: there is no one to answer, and nothing failed here. */
function isCutOff(error: Error, { raw }: FastifyRequest): boolean {
  return !raw.complete && raw.errored === error;
}

const cutOff = (): ContentError => validation('The request ended before its body was complete');

/** Codes of the system for no file descriptors, and for no space on the disk (errno(3)). */
const NO_DESCRIPTOR: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** The error of the catalogue for a caller. */
export function refusalOf(error: FastifyError | ContentError): ContentError {
  if (error instanceof ContentError) return error;
  if (NO_DESCRIPTOR.has(error.code)) return unavailable('The server has too many files open', error);
  if (NO_ROOM.has(error.code)) {
    return new ContentError('InsufficientStorageError', 'The disk is full', {}, { cause: error });
  }
  if (error.code === BODY_TOO_LARGE) return new ContentError('PayloadTooLargeError', 'request entity too large');
  if (error.code === 'FST_ERR_BAD_URL') return validation('The URL is not percent-encoded UTF-8');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return validation('The request cannot be read');
  }
  return new ContentError('InternalServerError', 'Internal Server Error', {});
}

/** Refuses a request that is not HTTP, or has headers beyond Node's limit (431), in the same envelope. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return;
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ContentError('HeadersTooLargeError', 'The request line and headers are too long')
      : error.code === CUT_OFF
        ? cutOff()
        : validation('The request is not HTTP');
  const body = errorBody(refusal);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
