/**
 * Responses to GET requests for content. `respondDirectly` takes a request from its socket, `respond` one that went
 * through Fastify. Both send the result of `#answer`, synchronously if possible.
 *
 * The caches on the way, in the order in which a request meets them:
 *
 * | cache | key | bound | current until |
 * |---|---|---|---|
 * | `RepeatedTargets` | target; headers | 5,000 targets, 2 MiB; 100 sets of headers | the target is not found |
 * | `Callers` | credentials | `CALLERS` | a commit changes accounts, tokens or roles |
 * | `Views` | grants | 1,000 | the project is replaced |
 * | `LocaleStore` | none: the default locale | 1 | a commit changes locales |
 * | `AnswerCache` | View, caller's values, locale, format, target | `rest.answerCache` | a commit touches a table that was read |
 * | `StrictParams` | action, query string | 1,000 | the project is replaced |
 * | `Reader`: statements of query strings | type, View, locale, query string | 1,000, by text | search indexes change |
 * | `RememberedTotals` | type, View, conditions, caller's values | 5,000, by text | a commit touches a table that was counted |
 * | `CompiledPlans` | shape of the query, View | 1,000, by text | search indexes change |
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import { may } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import { chain } from '../../chain.ts';
import type { LocaleStore } from '../../content/locales/locale-store.ts';
import { isRecording } from '../../db/interface/recorded-reads.ts';
import { isNotFound } from '../../errors.ts';
import type { RequestHandler } from '../../node-http.ts';
import type { KnownCallers } from '../../users/sessions/callers.ts';
import type { HttpEngine } from '../http-engine.ts';
import { accountKey } from '../protocol/caller-limit.ts';
import { sendTagged, type TaggedAnswer } from '../protocol/entity-tag.ts';
import { isV4 } from '../protocol/v4-format.ts';
import type { Call, ContentRead, ReadAnswer, ReadTarget } from '../routes/routes.ts';
import type { AnswerCache, CachedAnswer } from './answer-cache.ts';
import { HINT } from './missing-locale.ts';
import type { RepeatedTarget, RepeatedTargets } from './repeated-targets.ts';

/** Bytes of a cached answer that is sent even when the turn of the event loop is over: queueing would take longer. */
const SHORT = 16 * 1024;

/** What content reads need of the server. */
export interface ContentReadsContext {
  readonly callers: KnownCallers;
  readonly views: Views;
  readonly locales: LocaleStore;
  readonly http: Pick<HttpEngine, 'admission' | 'readiness' | 'requestId' | 'unread'>;
  /** Undefined: no answer is cached. */
  readonly cache: AnswerCache | undefined;
  /** Undefined: every request goes through Fastify. */
  readonly repeated: RepeatedTargets | undefined;
  /** Whether no project code concerns a request by now. */
  readonly isSettled: (request: IncomingMessage) => boolean;
  /** The address of the caller, as Fastify computes it. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** A request for content: the read, and its viewer. */
interface Requested {
  readonly content: ContentRead;
  readonly target: ReadTarget;
  readonly viewer: Viewer;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The caller's account, where it is not the current one. */
  readonly account?: string;
}

export class ContentReads {
  readonly #context: ContentReadsContext;
  /** Errors of direct reads. Fastify's error handler sends them, once the request has got to it. */
  readonly #failures = new WeakMap<IncomingMessage, unknown>();

  constructor(context: ContentReadsContext) {
    this.#context = context;
  }

  /**
   * Responds to a request for a target that was answered before, with the headers of that response.
   *
   * @param throughFastify takes the request where the read fails: the response to an error is made there.
   * @returns false for a request that has to go through Fastify.
   */
  respondDirectly(request: IncomingMessage, response: ServerResponse, throughFastify: RequestHandler): boolean {
    const { repeated, isSettled, cache, callers, views, http, addressOf } = this.#context;
    const known = repeated?.of(request, response);
    if (known === undefined || http.readiness.ending || !isSettled(request)) return false;
    const { content, target } = known;
    const fail = (error: unknown): void => {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      if (isNotFound(error)) repeated!.forget(request.url!);
      this.#failures.set(request, error);
      throughFastify(request, response);
    };
    const send = (answer: ReadAnswer): void => {
      if (answer.ends) {
        repeated!.forget(request.url!);
        throughFastify(request, response);
      } else this.#sendDirectly(known, request, response, answer);
    };
    try {
      // before the caller is looked up: rights and answer are then of one state of the database
      const now = cache?.now();
      const caller = callers.known(request.headers.authorization);
      if (caller === undefined || !may(caller.grants, content.action)) return false;
      const viewer = views.viewer(caller.grants, { userId: caller.userId });
      const requested = { content, target, viewer, url: request.url!, headers: request.headers };
      const cached = this.#cached(requested, now);
      // called in any case: a response that is sent here counts for the turn as well
      const begins = http.admission.begins();
      if (!begins && (cached === undefined || cached.body.length > SHORT)) return false;
      const account = cached ? '' : accountKey(caller, () => addressOf(request));
      const answer = this.#answer({ ...requested, account }, now, cached);
      if (answer instanceof Promise) answer.then(send).catch(fail);
      else send(answer);
    } catch (error) {
      fail(error);
    }
    return true;
  }

  /**
   * Responds to a request in its caller's turn.
   *
   * @throws ContentError for a request that is refused.
   */
  respond(content: ContentRead, { request, reply, caller, viewer }: Call): FastifyReply | Promise<FastifyReply> {
    requireAction(caller.grants, content.action);
    if (this.#failures.has(request.raw)) throw this.#failures.get(request.raw);
    const { url, headers } = request;
    const requested = { content, target: content.targetOf(request), viewer, url, headers };
    const now = this.#context.cache?.now();
    return chain(this.#answer(requested, now, this.#cached(requested, now)), (answer) => {
      sendRead(content, request, reply, answer);
      if (!answer.ends) this.#context.repeated?.note(request, requested, reply);
      return reply;
    });
  }

  /** Drops the cached answers. */
  close(): void {
    this.#context.cache?.close();
  }

  /** The cached answer, where it is current. */
  #cached(requested: Requested, now: number | undefined): CachedAnswer | undefined {
    const { cache, locales } = this.#context;
    if (cache === undefined || isRecording()) return undefined;
    const locale = requested.content.type.localized ? locales.known() : '';
    return locale === undefined ? undefined : cache.find(keyOf(locale, requested), now!);
  }

  /**
   * The cached answer, or one that is read and cached.
   *
   * @param now the moment before anything was read for the answer, the default locale included.
   */
  #answer(
    requested: Requested,
    now: number | undefined,
    cached: CachedAnswer | undefined,
  ): ReadAnswer | Promise<ReadAnswer> {
    const { cache } = this.#context;
    cache?.count(cached !== undefined);
    if (cached) return cached;
    const { content, target, viewer, account } = requested;
    const answer = content.respond(target, viewer, requested, account);
    if (cache === undefined) return answer;
    return chain(answer, (read) => {
      if (read.origin) cache.keep(keyOf(read.origin.locale, requested), read, read.origin, now!);
      return read;
    });
  }

  /** @throws ContentError 503 when other responses take up the memory for responses. */
  #sendDirectly(
    { head }: RepeatedTarget,
    request: IncomingMessage,
    response: ServerResponse,
    { body, tag }: TaggedAnswer,
  ): void {
    const { http } = this.#context;
    http.unread.hold(request, response, body);
    const length = String(Buffer.byteLength(body));
    const own = ['etag', tag, 'content-length', length, 'x-request-id', http.requestId(request)];
    if (http.readiness.ending) own.push('connection', 'close');
    response.writeHead(200, [...head, ...own]);
    response.end(body);
  }
}

/** Sends the answer of a read through Fastify. */
export function sendRead(
  content: ContentRead,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ReadAnswer,
): FastifyReply {
  content.setHeaders(request, reply);
  if (answer.hint !== undefined) reply.header(HINT, answer.hint);
  return sendTagged(request, reply, answer);
}

/** The key of an answer: the View, the caller's own values that its conditions use, the locale, the format, the target. */
function keyOf(locale: string, { url, headers, viewer }: Requested): string {
  const { view, values } = viewer;
  let key = `${view.key} ${locale} ${isV4(headers) ? 4 : 5} `;
  for (const operand of view.rows.operands) if (operand.kind === 'caller') key += `${values[operand.name]} `;
  return key + url;
}
