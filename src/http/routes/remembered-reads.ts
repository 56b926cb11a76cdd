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
import { accountKey, type CallerLimit } from '../protocol/caller-limit.ts';
import { sendTagged, type TaggedAnswer } from '../protocol/entity-tag.ts';
import { isV4 } from '../protocol/v4-format.ts';
import type { Repeated, RepeatedAnswers } from './repeated-answers.ts';
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
  /** The address of a request that repeats another, as the server knows it; undefined: none of them is read at once. */
  readonly addressOf: ((request: IncomingMessage) => string) | undefined;
}

/** Where headers and target of a request are found. */
type Asking = Pick<IncomingMessage, 'headers'> & { readonly url: string };

/** What an answer follows from, as far as it is known without waiting. */
interface Present {
  /** The moment of the database; undefined where nothing is remembered. */
  readonly now: number | undefined;
  readonly caller: Caller;
  readonly viewer: Viewer;
  readonly kept: KeptAnswer | undefined;
}

export class RememberedReads {
  readonly #parts: Parts;
  /** Requests whose answer was looked for as soon as they arrived, in vain. */
  readonly #missed = new WeakSet<IncomingMessage>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Answers a request whose target was answered before, with the headers that the answer had then: from memory, or by a
   * read for which nobody waits; false for others, which take their way through the server.
   */
  answersAgain(request: IncomingMessage, response: ServerResponse): boolean {
    const { repeated, http } = this.#parts;
    const asked = repeated?.of(request, response);
    if (asked === undefined || http.readiness.ending) return false;
    const answer = this.#answerTo(asked, request, response);
    if (answer === undefined) return false;
    const { body, tag } = answer;
    const own = [
      'etag',
      tag,
      'content-length',
      String(Buffer.byteLength(body)),
      'x-request-id',
      http.requestId(request),
    ];
    response.writeHead(200, [...asked.head, ...own]);
    response.end(body);
    return true;
  }

  /** The answer to a request, if it may be sent at once. Why it may not is told on the way through the server. */
  #answerTo(asked: Repeated, request: IncomingMessage, response: ServerResponse): TaggedAnswer | undefined {
    const { cache, http } = this.#parts;
    try {
      const present = this.#present(asked.content, request as Asking);
      if (present === undefined || !may(present.caller.grants, asked.content.action)) return undefined;
      const { kept } = present;
      if (cache !== undefined && kept === undefined) this.#missed.add(request);
      // asked in any case: what is sent here counts for the turn as well
      const begins = http.admission.begins();
      if (!begins && (kept === undefined || kept.body.length > SHORT)) return undefined;
      const answer = kept ?? this.#readAtOnce(asked, request, present);
      if (answer === undefined) return undefined;
      http.unread.hold(request, response, answer.body);
      cache?.count(kept !== undefined);
      return answer;
    } catch {
      return undefined;
    }
  }

  #readAtOnce({ content, target }: Repeated, request: IncomingMessage, present: Present): TaggedAnswer | undefined {
    const { cache, addressOf } = this.#parts;
    if (addressOf === undefined || isV4(request.headers)) return undefined;
    const { now, caller, viewer } = present;
    const place = {
      get ip() {
        return addressOf(request);
      },
    };
    const made = content.readAtOnce(target, viewer, accountKey(place, caller));
    // nothing is there any more, or reading it takes long: whoever asks again is not to wait for that as well
    if (made === undefined) this.#parts.repeated!.forget(request.url!);
    if (made?.origin && now !== undefined) {
      cache!.keep(keyWith(made.origin.locale, request as Asking, viewer), made, made.origin, now);
    }
    return made;
  }

  /**
   * Answers a request that needs nothing but what is in memory; false for others, which come in their caller's turn.
   *
   * @throws ContentError for a request that is refused.
   */
  answersAtOnce(content: ContentRead, request: FastifyRequest, reply: FastifyReply): boolean {
    const { cache, http } = this.#parts;
    // nor is it there a moment later; in its caller's turn it is looked for again
    if (cache === undefined || this.#missed.has(request.raw)) return false;
    const { caller, kept } = this.#present(content, request) ?? {};
    if (kept === undefined || !http.admission.begins()) return false;
    requireAction(caller!.grants, content.action);
    cache.count(true);
    content.setHeaders(request, reply);
    this.#send(content, request, reply, kept);
    return true;
  }

  #present({ type }: ContentRead, request: Asking): Present | undefined {
    const { cache, callers, views, limit } = this.#parts;
    // counting may take another process's answer
    if (limit) return undefined;
    // before the caller is looked up: who it is and what it may do is then as current as the answer
    const now = cache?.now();
    const caller = callers.known(request.headers.authorization);
    if (caller === undefined) return undefined;
    const viewer = views.viewer(caller.grants, { userId: caller.userId });
    const key = cache && this.#keyOf(type, request, viewer);
    const kept = key === undefined ? undefined : cache!.find(key, now!);
    return { now, caller, viewer, kept };
  }

  /** Answers a request in its caller's turn: from memory, or by reading. */
  async answer(content: ContentRead, call: Call): Promise<FastifyReply> {
    const { request, reply, caller, viewer } = call;
    requireAction(caller.grants, content.action);
    const { cache } = this.#parts;
    if (cache === undefined) return this.#send(content, request, reply, await content.read(call));
    // before anything is read, the default locale included
    const now = cache.now();
    const key = this.#keyOf(content.type, request, viewer);
    const kept = key === undefined ? undefined : cache.find(key, now);
    cache.count(kept !== undefined);
    if (kept !== undefined) {
      content.setHeaders(request, reply);
      return this.#send(content, request, reply, kept);
    }
    const made = await content.read(call);
    if (made.origin) cache.keep(keyWith(made.origin.locale, request, viewer), made, made.origin, now);
    return this.#send(content, request, reply, made);
  }

  /** Sends an answer, and takes note of it for requests that repeat its own. */
  #send(content: ContentRead, request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): FastifyReply {
    sendTagged(request, reply, answer);
    if (!answer.ends) {
      this.#parts.repeated?.note(request, content, {
        response: reply.raw,
        headers: () => reply.getHeaders(),
        target: () => content.targetOf(request),
      });
    }
    return reply;
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
