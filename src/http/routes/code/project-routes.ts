/**
 * Requests that project code answers or surrounds. Their targets are taken before the router sees them; the server
 * answers the rest within the process, as if they had arrived.
 */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { stringify } from 'qs';
import { requireSome } from '../../../access/authorize.ts';
import { ContentError, notFound } from '../../../errors.ts';
import type { Media } from '../../../media/media.ts';
import type { ReceivedForm } from '../../../media/media-context.ts';
import type { Answering, Answers, Matched, Telling } from '../../../runtime/answers.ts';
import { askedQuery } from '../../../runtime/core/core-actions.ts';
import {
  type Calling,
  Context,
  hasRoute,
  type InsideTarget,
  readQueryOf,
  setRoute,
} from '../../../runtime/requests/context.ts';
import type { RequestParts } from '../../../runtime/requests/request.ts';
import type { ProjectResponse } from '../../../runtime/requests/response.ts';
import type { Log } from '../../monitoring/log.ts';
import { labelOf } from '../../monitoring/request-names.ts';
import { hasBodyToDelete, isMultipart, parseForm, sentBody } from '../../protocol/body.ts';
import { knownTag } from '../../protocol/entity-tag.ts';
import { answerError, leaveBody, refusalOf } from '../../protocol/refusals.ts';
import { isUnanswered, sendError } from '../../protocol/reply.ts';
import { keepHeaders, sendAnswer } from './code-answers.ts';
import { formText } from './form-text.ts';
import { innerPath } from './inner-routes.ts';

/** Services of the server for requests to project code. */
export interface ProjectRoutesContext {
  readonly log: Log;
  readonly media: Media;
  /** Looks a caller up, counting the request. Throws ContentError 401. */
  readonly identify: (request: FastifyRequest, reply: FastifyReply, as?: 'public') => Promise<Calling>;
  /** Counts a request whose caller is not looked up. Throws ContentError 429. */
  readonly count: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Runs work in the turn of the request's caller. */
  readonly inTurn: (
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ) => Promise<FastifyReply>;
}

/** A target whose path has one spelling, except for letter case and a slash at its end. */
const PLAIN_PATH = /^(?:\/[\w.~-]+)*\/?(?:\?|$)/;

/**
 * True for a path that no parser of addresses rewrites: it has no host, fragment, backslash or dot segment, and encodes no
 * letter, digit, `-`, `.`, `_` or `~`. Code has seen the path as it was sent, and guards it by that spelling.
 */
function hasOneSpelling(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//') || /[\\#]|\/\.{1,2}(?:\/|$)/.test(path)) return false;
  return !/%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i.test(path);
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Headers of an inner response that do not apply to the outer one. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
]);

export class ProjectRoutes {
  readonly #running: Answers;
  readonly #isPreflight: (request: IncomingMessage) => boolean;
  readonly #matched = new WeakMap<IncomingMessage, Matched>();
  /** The server's answers with entity tags, by context. */
  readonly #passed = new WeakMap<Context, PassedAnswer>();
  /** Requests that project code has. */
  readonly #begun = new WeakSet<IncomingMessage>();
  /** The server's routes that requests have reached behind project code. */
  readonly #reached = new WeakMap<object, string>();
  /** A secret: the path of the code's route, and a header of requests that come from there. */
  readonly #secret = randomBytes(16).toString('hex');

  /** @param isPreflight whether a request is a preflight, which project code does not see. */
  constructor(running: Answers, isPreflight: (request: IncomingMessage) => boolean) {
    this.#running = running;
    this.#isPreflight = isPreflight;
  }

  /** The target that the router is given for a request. */
  targetOf(request: IncomingMessage): string {
    const url = request.url ?? '/';
    const { method = 'GET', headers } = request;
    if (headers[INNER] === this.#secret) return url;
    if (url.startsWith('/_health') || url.startsWith('/_ready')) return url;
    if (!METHODS.includes(method as HTTPMethods) || this.#isPreflight(request)) return url;
    const matched = method === 'OPTIONS' ? undefined : this.#running.match(method, url);
    if (matched) this.#matched.set(request, matched);
    return matched || this.#running.isAround ? `/${this.#secret}` : url;
  }

  /** The prefix of routes that only requests from the code's route can reach. */
  get innerPrefix(): string {
    return `/${this.#secret}`;
  }

  /** True for a request from the code's route. */
  isInner({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    return headers[INNER] === this.#secret;
  }

  /** Adds the route of project code, and keeps other routes from answering in its place. */
  add(server: FastifyInstance, context: ProjectRoutesContext): void {
    server.addHook('onRequest', (request, reply, done) => {
      if (this.#goesRound(request)) void sendError(reply, notFound());
      else {
        this.#noteRoute(request);
        done();
      }
    });
    server.route({
      method: [...METHODS],
      url: `/${this.#secret}`,
      // no client knows the address
      config: { multipart: true, keepsBody: true, label: 'code of the project' },
      handler: (request, reply) => {
        this.#begun.add(request.raw);
        return context.inTurn(request, reply, () => this.#answer(server, request, reply, context));
      },
      errorHandler: (error, request, reply) => this.#refuseUnread(error, request, reply, context),
    });
  }

  #noteRoute(request: FastifyRequest): void {
    const url = labelOf(request);
    if (!request.is404 && url !== undefined && this.isInner(request.raw))
      this.#reached.set(request.raw, url.replace(/\*$/, '(.*)'));
  }

  /**
   * True for a request to a server route that project code answers: the router accepts several spellings of a path
   * (`/api/%61rticles`, `http://host/api/articles`), the reference's only the plain one.
   */
  #goesRound({ is404, method, raw, routeOptions: { url: route = '' }, params }: FastifyRequest): boolean {
    if (is404 || route === `/${this.#secret}` || PLAIN_PATH.test(raw.url ?? '')) return false;
    const values = params as Readonly<Record<string, string>>;
    const path = route.replaceAll(/:(\w+)|\*/g, (_whole, name: string | undefined) =>
      name === undefined ? '*' : encodeURIComponent(values[name] ?? ''),
    );
    return this.#running.match(method, path) !== undefined;
  }

  async #answer(
    server: FastifyInstance,
    request: FastifyRequest,
    reply: FastifyReply,
    { log, media, identify, count }: ProjectRoutesContext,
  ): Promise<FastifyReply> {
    const running = this.#running;
    const matched = this.#matched.get(request.raw);
    // the inner target is not for clients
    request.raw.url = request.originalUrl;
    if (matched && !running.asksFirst(matched)) await count(request, reply);
    let known: { readonly authorization: string | undefined; readonly calling: Promise<Calling> } | undefined;
    const isReceived = matched !== undefined && isMultipart(request);
    const answering: Answering = {
      identify: (as) => {
        if (as !== undefined) return identify(request, reply, as);
        // code may have changed the headers
        const { authorization } = request.headers;
        if (!known || known.authorization !== authorization)
          known = { authorization, calling: identify(request, reply) };
        return known.calling;
      },
      inner: (ctx, target) => this.#pass(server, request, ctx, { isReceived, target }),
      ...tellingOf(request, log),
    };
    const answer = async (parts: { body?: unknown; files?: unknown }): Promise<FastifyReply> => {
      const ctx = contextOf(request, reply, { ...parts, ...running.ofContexts });
      try {
        await running.answer(ctx, matched, answering);
      } catch (error) {
        keepHeaders(reply, ctx);
        throw error;
      }
      const passed = this.#passed.get(ctx);
      const isKnown = passed && settleTag(request, ctx.response, passed);
      return sendAnswer(request, reply, ctx, { failed: answering.failed, isKnown });
    };
    if (!isReceived) return answer({ body: request.body ?? {} });
    // callers who may not call the action must not fill the disk
    if (running.asksFirst(matched)) {
      const refusal = await refusalOfCaller(answering, running.scopesOf(matched));
      if (refusal) return this.#refuse(refusal, request, reply, { isOfBody: false, log });
    }
    let isTaken = false;
    const work = async (form: ReceivedForm): Promise<FastifyReply> => {
      isTaken = true;
      return answer(formParts(form));
    };
    try {
      return await media.receive(request.raw, request.headers, work, 'all');
    } catch (error) {
      if (isTaken || !(error instanceof ContentError)) throw error;
      return this.#refuse(error, request, reply, { isOfBody: true, log });
    }
  }

  /** Answers a request whose body no parser accepts, before project code sees it. */
  async #refuseUnread(
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
    { log, count, inTurn }: ProjectRoutesContext,
  ): Promise<FastifyReply> {
    const isBegun = this.#begun.has(request.raw);
    // as in Koa: a stream of a file that does not exist
    if (isBegun && error.code === 'ENOENT') return answerError(notFound(), request, reply, log);
    if (isBegun || request.raw.errored) return answerError(error, request, reply, log);
    return inTurn(request, reply, async () => {
      request.raw.url = request.originalUrl;
      await count(request, reply);
      return this.#refuse(error, request, reply, { isOfBody: true, log });
    });
  }

  /** Answers with the server's refusal, within the middlewares that see it. */
  async #refuse(
    error: FastifyError | ContentError,
    request: FastifyRequest,
    reply: FastifyReply,
    { isOfBody, log }: { readonly isOfBody: boolean; readonly log: Log },
  ): Promise<FastifyReply> {
    const refusal = refusalOf(error);
    const isReported = refusal.status < 500 && refusal.cause === undefined;
    if (!isReported || !this.#running.isAround) return answerError(error, request, reply, log);
    await leaveBody(error, request, reply);
    const ctx = contextOf(request, reply, { body: {}, ...this.#running.ofContexts });
    await this.#running.refuse(ctx, refusal, isOfBody, tellingOf(request, log));
    return sendAnswer(request, reply, ctx, tellingOf(request, log));
  }

  /**
   * Lets the server answer a request that project code does not. A path in an unusual spelling has no answer, because the
   * server would answer it as another path than code has seen. @param isReceived whether code has its form already.
   *
   * @returns whether there is an answer.
   */
  async #pass(
    server: FastifyInstance,
    request: FastifyRequest,
    ctx: Context,
    { isReceived, target }: { readonly isReceived: boolean; readonly target: InsideTarget | undefined },
  ): Promise<boolean> {
    const { path, method: requested } = target ?? ctx.request;
    // as in the reference, no route answers another spelling of its path
    if (!hasOneSpelling(path)) return false;
    // code sees the whole body, although the client gets only the headers
    const method = requested === 'HEAD' ? 'GET' : requested;
    const place = target?.pattern === undefined ? path : this.innerPrefix + innerPath(target.pattern, path);
    const isForm = isMultipart(request);
    const { body } = ctx.request;
    const hasBody = !isForm && request.body !== undefined && body !== undefined;
    const form = isReceived ? formText(ctx.request) : undefined;
    // an unparsed body is for the route
    const isHandedOn = isForm || hasBodyToDelete(request);
    const sent = Object.entries(request.headers).filter(([, value]) => value !== undefined);
    const headers: IncomingMessage['headers'] = { ...Object.fromEntries(sent), [INNER]: this.#secret };
    // whether the client has the answer is decided after code has seen it
    delete headers['if-none-match'];
    // code reads the answer uncompressed; responses are compressed when they leave the server
    delete headers['accept-encoding'];
    if (hasBody || form) {
      headers['content-type'] = form?.type ?? 'application/json';
      delete headers['content-length'];
    }
    const answer = await server.inject({
      method: method as HTTPMethods,
      url: place + searchOf(ctx),
      headers,
      remoteAddress: request.ip,
      payloadAsStream: true,
      ...(hasBody ? { payload: JSON.stringify(body) } : isHandedOn ? { payload: form?.body ?? request.raw } : {}),
    });
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value === undefined || OWN_HEADERS.has(name)) continue;
      const text = Array.isArray(value) ? value.map(String) : value;
      if (name === 'set-cookie') ctx.response.append(name, text as string[]);
      else if (name !== 'content-length') ctx.response.set(name, text);
    }
    const stream = answer.stream();
    const { res } = answer.raw;
    const route = this.#reached.get(res.req);
    if (route !== undefined && !hasRoute(ctx)) setRoute(ctx, route);
    // resources of the answer are closed where the client has disconnected, or code has answered otherwise
    stream.once('close', () => res.destroy());
    if (ctx.res.closed) stream.destroy();
    else ctx.res.once('close', () => stream.destroy());
    // and unread data waits here, where its size can be queried
    const waiting = { configurable: true, get: () => stream.readableLength + ctx.res.writableLength };
    Object.defineProperty(res, 'writableLength', waiting);
    const type = String(answer.headers['content-type'] ?? '');
    ctx.response.status = answer.statusCode;
    if (answer.statusCode === 204 || answer.statusCode === 304) stream.resume();
    else if (type.startsWith('application/json')) {
      const json = { json: await bufferOf(stream) };
      ctx.response.setJson(json);
      const { etag: tag } = answer.headers;
      if (tag !== undefined) this.#passed.set(ctx, { tag: String(tag), json });
    } else {
      ctx.response.body = stream;
      const { 'content-length': length } = answer.headers;
      if (length !== undefined) ctx.response.set('content-length', length);
    }
    return !isUnanswered(res.req);
  }
}

const INNER = 'x-galley-inner';

/** The query string of a context, including changes of `ctx.query`. */
function searchOf(ctx: Context): string {
  const query = readQueryOf(ctx);
  if (query === undefined) return ctx.request.search;
  const text = stringify(askedQuery(query), { strictNullHandling: true });
  return text === '' ? '' : `?${text}`;
}

async function bufferOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The context of a request for project code. */
export function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, files, keys, app }: Pick<RequestParts, 'files' | 'keys' | 'app'> & { readonly body?: unknown },
): Context {
  const { method, originalUrl: url, headers, ip, protocol, host, raw } = request;
  const sent = sentBody(request);
  // a text is the body as it is
  const isText = sent !== undefined && request.body === undefined && /^\s*text\//i.test(headers['content-type'] ?? '');
  const text = isText ? sent.toString() : body;
  return new Context({ method, url, headers, ip, protocol, host, body: text, sent, files, raw, keys, app }, reply.raw);
}

/** A form for project code. */
export function formParts({ files, fields }: Pick<ReceivedForm, 'files' | 'fields'>) {
  return { body: nested(fields), files: oneOrAll(filesByName(files)) };
}

/** The fields of a form: brackets in names nest values, as in other forms. */
function nested(fields: ReceivedForm['fields']): Record<string, unknown> {
  if (![...fields.keys()].some((name) => name.includes('['))) return oneOrAll(fields);
  const pairs = [...fields].flatMap(([name, values]) => values.map((value) => [name, value]));
  return parseForm(pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')) as Record<string, unknown>;
}

/** Files of a form for project code, by the names of their parts. */
function filesByName(files: ReceivedForm['files']): ReadonlyMap<string, readonly object[]> {
  const named = new Map<string, object[]>();
  for (const { field, path: filepath, name, mime: mimetype, size } of files) {
    const file = { filepath, originalFilename: name ?? null, mimetype, size };
    named.set(field, [...(named.get(field) ?? []), file]);
  }
  return named;
}

/** The parts of a form by name: one value, or a list of several. */
function oneOrAll(parts: ReadonlyMap<string, readonly unknown[]>): Record<string, unknown> {
  return Object.fromEntries([...parts].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** The log's view of a request to project code. */
function tellingOf(request: FastifyRequest, log: Log): Telling {
  return {
    failed: (error) => log.failure(request, error),
    refused: (refusal) => log.explain(refusal),
  };
}

/** The reason to refuse a form; undefined where it is accepted. */
async function refusalOfCaller(
  { identify }: Answering,
  scopes: readonly string[] | undefined,
): Promise<ContentError | undefined> {
  try {
    const { caller } = await identify();
    const isKnown = caller.userId !== undefined || caller.grants.all;
    if (scopes === undefined && !isKnown) return new ContentError('UnauthorizedError', 'Unauthorized');
    if (scopes && scopes.length > 0) requireSome(caller.grants, scopes);
    return undefined;
  } catch (error) {
    if (error instanceof ContentError) return error;
    throw error;
  }
}

/** The server's answer. */
interface PassedAnswer {
  readonly tag: string;
  /** Its text, as the response holds it until project code reads it. */
  readonly json: object;
}

/**
 * Corrects the tag: a changed answer gets the tag of the change, with the version for writes; an error and a stream
 * have none. A tag that project code has set stays. Answers of writes are always sent.
 *
 * @returns whether the client has the answer already.
 */
function settleTag(
  { method, headers }: { readonly method: string; readonly headers: { readonly 'if-none-match'?: string | undefined } },
  response: ProjectResponse,
  { tag, json }: PassedAnswer,
): boolean {
  if (response.get('etag') !== tag) return false;
  const body = response.json === json ? undefined : response.body;
  const isWhole =
    typeof body === 'string' || Buffer.isBuffer(body) || Object.getPrototypeOf(body ?? 0) === Object.prototype;
  const isSuccess = response.status === 200 || response.status === 201;
  // a response to HEAD does not show how code would have changed the body
  if (!isSuccess || method === 'HEAD' || (response.json !== json && !isWhole)) {
    response.remove('etag');
    return false;
  }
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const own = text === undefined ? tag : tag.replace(/[^."]+"$/, `${hash('sha1', text, 'base64url')}"`);
  response.set('etag', own);
  const asked = method === 'GET' ? headers['if-none-match'] : undefined;
  const known = asked === undefined ? undefined : knownTag(asked, own);
  if (known !== undefined) response.set('etag', known);
  return known !== undefined;
}
