/**
 * Reads of content, whose answers may be remembered. What refuses a request comes before its answer, remembered or not:
 * the caller is known, counted, and has the right to the action. The key of an answer names all that it depends on
 * besides the database.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import { may } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import type { LocaleStore } from '../../content/locales/locale-store.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Caller, KnownCallers } from '../../users/sessions/callers.ts';
import type { HttpEngine } from '../http-engine.ts';
import type { AnswerCache, KeptAnswer } from '../protocol/answer-cache.ts';
import type { CallerLimit } from '../protocol/caller-limit.ts';
import { sendTagged } from '../protocol/entity-tag.ts';
import { isV4 } from '../protocol/v4-format.ts';
import type { RepeatedAnswers } from './repeated-answers.ts';
import type { Call, ContentRead } from './routes.ts';

/** Bytes of an answer that is sent at once, however long the turn is: to have its request wait would take longer. */
const SHORT = 16 * 1024;

interface Parts {
  /** Undefined: nothing is remembered. */
  readonly cache: AnswerCache | undefined;
  readonly callers: KnownCallers;
  readonly views: Views;
  readonly locales: LocaleStore;
  readonly http: Pick<HttpEngine, 'admission' | 'readiness' | 'requestId' | 'unread'>;
  readonly limit: CallerLimit | undefined;
  /** Undefined: every answer is made by the whole server. */
  readonly repeated: RepeatedAnswers | undefined;
}

/** Where headers and target of a request are found. */
type Asking = Pick<IncomingMessage, 'headers'> & { readonly url: string };

/** An answer that is in memory and current, with the caller who may have it if its grants allow the read. */
interface Current {
  readonly caller: Caller;
  readonly answer: KeptAnswer;
}

export class RememberedReads {
  readonly #parts: Parts;
  /** Requests whose answer was looked for as soon as they arrived, in vain. */
  readonly #missed = new WeakSet<IncomingMessage>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Answers a request whose answer was sent before, with the headers that it had then; false for others, which take
   * their way through the server.
   */
  answersAgain(request: IncomingMessage, response: ServerResponse): boolean {
    const { repeated, http } = this.#parts;
    const content = repeated?.readOf(request, response);
    if (content === undefined || http.readiness.ending) return false;
    const ready = this.#ready(content, request, response);
    if (ready === undefined) return false;
    this.#parts.cache!.count(true);
    response.writeHead(200, [...ready.head, 'x-request-id', http.requestId(request)]);
    response.end(ready.body);
    return true;
  }

  /** The answer to a request, if it may be sent at once. Why it may not is told on the way through the server. */
  #ready(
    content: ContentRead,
    request: IncomingMessage,
    response: ServerResponse,
  ): { readonly head: readonly string[]; readonly body: Buffer } | undefined {
    const { http, repeated } = this.#parts;
    try {
      const current = this.#current(content, request as Asking);
      if (current === undefined) {
        this.#missed.add(request);
        return undefined;
      }
      const { caller, answer } = current;
      const head = repeated!.headOf(request, answer.heads);
      if (head === undefined || !may(caller.grants, content.action)) return undefined;
      // asked in any case: what is sent here counts for the turn as well
      if (!http.admission.begins() && answer.body.length > SHORT) return undefined;
      http.unread.hold(request, response, answer.body);
      return { head, body: answer.body };
    } catch {
      return undefined;
    }
  }

  /**
   * Answers a request that needs nothing but what is in memory; false for others, which come in their caller's turn.
   *
   * @throws ContentError for a request that is refused.
   */
  answersAtOnce(content: ContentRead, request: FastifyRequest, reply: FastifyReply): boolean {
    const { cache, http, repeated } = this.#parts;
    // nor is it there a moment later; in its caller's turn it is looked for again
    const { caller, answer } = (!this.#missed.has(request.raw) && this.#current(content, request)) || {};
    if (answer === undefined || !http.admission.begins()) return false;
    requireAction(caller!.grants, content.action);
    cache!.count(true);
    content.setHeaders(request, reply);
    sendTagged(request, reply, answer);
    repeated?.note(request, content, { response: reply.raw, headers: reply.getHeaders(), heads: answer.heads });
    return true;
  }

  #current(content: ContentRead, request: Asking): Current | undefined {
    const { cache, callers, views, limit } = this.#parts;
    // counting may take another process's answer
    if (cache === undefined || limit) return undefined;
    // before the caller is looked up: who it is and what it may do is then as current as the answer
    const now = cache.now();
    const caller = callers.known(request.headers.authorization);
    if (caller === undefined) return undefined;
    const viewer = views.viewer(caller.grants, { userId: caller.userId });
    const key = this.#keyOf(content.type, request, viewer);
    const answer = key === undefined ? undefined : cache.find(key, now);
    return answer && { caller, answer };
  }

  /** Answers a request in its caller's turn: from memory, or by reading. */
  async answer(content: ContentRead, call: Call): Promise<FastifyReply> {
    const { request, reply, caller, viewer } = call;
    requireAction(caller.grants, content.action);
    const { cache } = this.#parts;
    if (cache === undefined) return sendTagged(request, reply, await content.read(call));
    // before anything is read, the default locale included
    const now = cache.now();
    const key = this.#keyOf(content.type, request, viewer);
    const kept = key === undefined ? undefined : cache.find(key, now);
    cache.count(kept !== undefined);
    if (kept !== undefined) {
      content.setHeaders(request, reply);
      return sendTagged(request, reply, kept);
    }
    const made = await content.read(call);
    if (made.origin) cache.keep(keyWith(made.origin.locale, request, viewer), made, made.origin, now);
    return sendTagged(request, reply, made);
  }

  /** The key of a request's answer; undefined where the default locale is not known at present. */
  #keyOf(type: ContentType, request: Asking, viewer: Viewer): string | undefined {
    const locale = type.localized ? this.#parts.locales.known() : '';
    return locale === undefined ? undefined : keyWith(locale, request, viewer);
  }
}

/**
 * The key of an answer: what the caller sees, its own values as far as they decide about that, the default locale, the
 * format and the target.
 */
function keyWith(locale: string, { url, headers }: Asking, { view, values }: Viewer): string {
  let key = `${view.key} ${locale} ${isV4(headers) ? 4 : 5} `;
  for (const operand of view.rows.operands) if (operand.kind === 'caller') key += `${values[operand.name]} `;
  return key + url;
}
