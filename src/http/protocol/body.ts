/**
 * Request bodies: parsing (JSON of any name and forms; other content types count as no body, as in Strapi), the pace at
 * which they must arrive, and the rest of a body whose request is refused.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parse } from 'qs';
import type { HttpConfig } from '../../config/config.ts';
import { ContentError, cut, validation } from '../../errors.ts';
import { isTooDeep, JSON_DEPTH } from '../../plain-values.ts';
import { decoderOf } from '../../query/params.ts';

/** Bytes of a body of an ignored type, other than text: it is received and dropped. */
const OTHER_LIMIT = 1_048_576;
/** Fields of a form. */
const FORM_FIELDS = 1000;

/** The key under which project code finds the text of a body. */
const UNPARSED = Symbol.for('unparsedBody');

/**
 * The property of a request that holds its reply, for parsers, which get none. In a WeakMap by request, a reply, which
 * refers to its request, would keep it alive until a full garbage collection.
 */
const REPLY = Symbol('reply');

interface Replied extends FastifyRequest {
  [REPLY]?: FastifyReply;
}

/** Raw bodies of requests to routes with `keepsBody`. */
const sent = new WeakMap<object, Buffer>();

/** Methods whose bodies are ignored. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

const unknownCoding = (coding: string) =>
  new ContentError('UnsupportedMediaTypeError', `Request bodies with Content-Encoding ${coding} are not supported`);
const syntaxError = (message: string) => new ContentError('SyntaxError', message);

const JSON_TYPE = /^application\/(?:csp-report|(?:[\w.+-]+\+)?json)(?:\s*;|$)/i;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Registers the body parsers. */
export function addBodyParsers(
  server: FastifyInstance,
  {
    jsonLimit,
    formLimit,
    textLimit,
    includeUnparsed,
  }: Pick<HttpConfig, 'jsonLimit' | 'formLimit' | 'textLimit' | 'includeUnparsed'>,
): void {
  server.removeAllContentTypeParsers();
  server.decorateRequest(REPLY, undefined);
  server.addHook('onRequest', (request: Replied, reply, done) => {
    request[REPLY] = reply;
    // An invalid media type counts as another type, too: Fastify would refuse it before any parser.
    const { headers } = request;
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type'];
    done();
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const coding = request.headers['content-encoding']?.trim().toLowerCase();
    const isPlain = coding === undefined || coding === 'identity' || BODILESS.has(request.method);
    done(isPlain ? null : unknownCoding(coding), payload);
  });
  const read = (request: FastifyRequest, bytes: Buffer, parse: (text: string) => unknown): unknown => {
    if (keepsBody(request)) sent.set(request.raw, bytes);
    const text = bytes.toString();
    const body = parse(text);
    return includeUnparsed && body !== undefined ? Object.assign(body as object, { [UNPARSED]: text }) : body;
  };
  server.addContentTypeParser(
    JSON_TYPE,
    { parseAs: 'buffer', bodyLimit: jsonLimit },
    async (request: FastifyRequest, bytes: Buffer) => read(request, bytes, parseJson),
  );
  server.addContentTypeParser(
    FORM_TYPE,
    { parseAs: 'buffer', bodyLimit: formLimit },
    async (request: FastifyRequest, bytes: Buffer) => read(request, bytes, parseForm),
  );
  server.addContentTypeParser('*', (request: Replied, payload, done) => {
    if (isMultipart(request)) return done(null, undefined);
    // read to the end and dropped where unused, so that the connection stays usable; a longer body ends it
    const limit = /^\s*text\//i.test(request.headers['content-type'] ?? '') ? textLimit : OTHER_LIMIT;
    let bytes = 0;
    const chunks: Buffer[] | undefined = keepsBody(request) ? [] : undefined;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= limit) return void chunks?.push(chunk);
      payload.off('data', count).off('end', end);
      request[REPLY]?.header('connection', 'close');
      done(new ContentError('PayloadTooLargeError', 'request entity too large'));
    };
    const end = (): void => {
      if (chunks) sent.set(request.raw, Buffer.concat(chunks));
      done(null, undefined);
    };
    payload.on('data', count).on('end', end).on('error', done);
  });
}

/** The raw body of a request; undefined without a body, for a form with files, and for routes without `keepsBody`. */
export const sentBody = ({ raw }: FastifyRequest): Buffer | undefined => sent.get(raw);

const keepsBody = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { keepsBody?: boolean } | undefined)?.keepsBody === true;

/** True for a form with files to a route that reads it itself. */
export function isMultipart({ headers, routeOptions }: FastifyRequest): boolean {
  const config = routeOptions.config as { multipart?: boolean } | undefined;
  return config?.multipart === true && /^\s*multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

/** True for a request whose body is unread: its caller, or its form, is refused. */
export function hasUnreadBody(request: FastifyRequest): boolean {
  return !BODILESS.has(request.method) && isUnread(request);
}

/** True for a DELETE with a body, which only the route itself reads. */
export function hasBodyToDelete(request: FastifyRequest): boolean {
  return request.method === 'DELETE' && isUnread(request);
}

function isUnread({ headers, raw }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  const isThere = encoding !== undefined || (length !== undefined && length !== '0');
  return isThere && raw.readableFlowing === null;
}

/** A key of a form that is really JSON, as curl sends it without a Content-Type. */
const JSON_AS_FORM = /^\s*[{[]/;
/** Characters of a media type that an error repeats. */
const REPEATED = 100;

/**
 * A hint that the body was ignored because of its type, with the Content-Type to send; undefined where there is no
 * body, where it is JSON or a form, and where project code reads it.
 */
export function wrongType(request: FastifyRequest): string | undefined {
  const { headers, method, body, routeOptions } = request;
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = headers;
  const isSent = encoding !== undefined || (length !== undefined && length !== '0');
  if (!isSent || BODILESS.has(method) || keepsBody(request) || isMultipart(request)) return undefined;
  const takesFiles = (routeOptions.config as { multipart?: boolean } | undefined)?.multipart === true;
  const right = `send Content-Type: ${takesFiles ? 'multipart/form-data' : 'application/json'}`;
  if (body === undefined) {
    if (type === undefined) return `the body has no Content-Type: ${right}`;
    return JSON_TYPE.test(type) ? undefined : `a body of ${cut(type, REPEATED)} is not read: ${right}`;
  }
  const isForm = type?.trimStart().toLowerCase().startsWith(FORM_TYPE) === true;
  const [key = ''] = isForm ? Object.keys(body as object) : [];
  return JSON_AS_FORM.test(key) ? `the body is JSON and was sent as a form: ${right}` : undefined;
}

/** A JSON body: an object or a list; nothing for an empty one. */
function parseJson(sent: string): unknown {
  if (sent === '') return undefined;
  // a byte order mark is not part of the text (RFC 8259, section 8.1)
  const text = sent.replace(/^\ufeff/, '');
  const [first] = text.trimStart();
  if (first !== '{' && first !== '[') throw syntaxError('invalid JSON, only supports object and array');
  if (isTooDeep(text)) throw validation(`The request body can have at most ${JSON_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw syntaxError((error as SyntaxError).message);
  }
}

/**
 * Parses a form: bracket notation as in a query string.
 *
 * @throws ContentError 400 for more fields than a form may have, and for a forbidden key.
 */
export function parseForm(text: string): unknown {
  const limits = { depth: 20, parameterLimit: FORM_FIELDS, arrayLimit: FORM_FIELDS, throwOnLimitExceeded: true };
  try {
    return parse(text, { ...limits, plainObjects: true, decoder: decoderOf('form') });
  } catch (error) {
    if (error instanceof RangeError) throw validation(`A form can have at most ${FORM_FIELDS} fields`);
    throw error;
  }
}

export interface Pace {
  /** Milliseconds in which a body must arrive completely, or of an upload the bytes below. */
  readonly time: number;
  /** Bytes of an upload that must arrive in each such period. */
  readonly bytes: number;
}

const PACE: Pace = { time: 60_000, bytes: 60 * 1024 };

/** Closes the connections of requests whose bodies arrive too slowly. The time for headers is Node's own. */
export function keepPace(server: FastifyInstance, pace: Pace = PACE): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || (length !== undefined && length !== '0')) {
      watch(request.raw, pace.time, isMultipart(request) ? pace.bytes : Number.POSITIVE_INFINITY);
    }
    done();
  });
}

function watch(request: IncomingMessage, time: number, bytes: number): void {
  const { socket } = request;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    // a body that was refused before its end emits neither end nor close
    if (request.complete || request.destroyed || socket.destroyed) return stop();
    if (socket.bytesRead - before < bytes) socket.destroy();
    before = socket.bytesRead;
  }, time);
  timer.unref();
  const stop = (): void => clearInterval(timer);
  request.once('end', stop).once('close', stop);
}

/** Bytes of a refused body that are still read. */
const MOST = 32 * 1024 * 1024;
/** The longest wait for them, in milliseconds. */
const LONGEST = 2000;

/**
 * Reads the rest of a body and drops it. A connection that is closed while its client still sends is reset, and the
 * client loses the response (RFC 9112, section 9.6). Resolves at the end of the body, or at the limits.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MOST) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done).off('error', done);
      resolve();
    };
    const timer = setTimeout(done, LONGEST);
    if (request.readableEnded || request.destroyed) return done();
    request.on('end', done).on('close', done).on('error', done).on('data', count);
    request.resume();
  });
}
