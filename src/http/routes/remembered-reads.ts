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
import type { Database } from '../../db/interface/database.ts';
import { onAccountOf } from '../../db/scheduling/account.ts';
import { isNotFound } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Caller, KnownCallers } from '../../users/sessions/callers.ts';
import type { HttpEngine } from '../http-engine.ts';
import type { RequestHandler } from '../listener.ts';
import type { AnswerCache, KeptAnswer } from '../protocol/answer-cache.ts';
import { accountKey, type CallerLimit } from '../protocol/caller-limit.ts';
import { sendTagged, type TaggedAnswer } from '../protocol/entity-tag.ts';
import { isV4 } from '../protocol/v4-format.ts';
import type { Repeated, RepeatedAnswers } from './repeated-answers.ts';
import type { Call, ContentRead } from './routes.ts';

/** Bytes of an answer that is sent at once, however long the turn is: to have its request wait would take longer. */
const SHORT = 16 * 1024;

interface Parts {
  readonly database: Pick<Database, 'readAtOnce'>;
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

/** A request whose target was answered before. */
interface Again {
  readonly asked: Repeated;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly present: Present;
}

/**
 * Where a request comes from, found out for those alone who are known by nothing else. A class, as each object with a
 * getter of its own gets a shape of its own, which keeps its request until all memory is gone through.
 */
class Place {
  readonly #request: IncomingMessage;
  readonly #addressOf: (request: IncomingMessage) => string;

  constructor(request: IncomingMessage, addressOf: (request: IncomingMessage) => string) {
    this.#request = request;
    this.#addressOf = addressOf;
  }

  get ip(): string {
    return this.#addressOf(this.#request);
  }
}

export class RememberedReads {
  readonly #parts: Parts;
  /** Requests whose answer was looked for as soon as they arrived, in vain. */
  readonly #missed = new WeakSet<IncomingMessage>();
  /** What reads have thrown for requests that take their way through the server since. */
  readonly #failures = new WeakMap<IncomingMessage, unknown>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Answers a request whose target was answered before, with the headers that the answer had then: from memory, by a read
   * for which nobody waits, or, where the engine is elsewhere, as soon as that has answered. False for others, which take
   * their way through the server.
   *
   * @param otherwise sends the request that way after all, which is told there why it is refused.
   */
  answersAgain(request: IncomingMessage, response: ServerResponse, otherwise: RequestHandler): boolean {
    const { repeated, http, database } = this.#parts;
    const asked = repeated?.of(request, response);
    if (asked === undefined || http.readiness.ending) return false;
    try {
      const present = this.#present(asked.content, request as Asking);
      if (present === undefined || !may(present.caller.grants, asked.content.action)) return false;
      if (!this.#begins(request, present)) return false;
      const { kept } = present;
      if (kept === undefined && database.readAtOnce === undefined) {
        return this.#readsAgain({ asked, request, response, present }, otherwise);
      }
      const answer = kept ?? this.#readAtOnce(asked, request, present);
      if (answer === undefined) return false;
      this.#sendAgain(asked, request, response, answer);
      this.#parts.cache?.count(kept !== undefined);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether a request is answered in this turn of the event loop. */
  #begins(request: IncomingMessage, { kept }: Present): boolean {
    const { cache, http } = this.#parts;
    if (cache !== undefined && kept === undefined) this.#missed.add(request);
    // asked in any case: what is sent here counts for the turn as well
    const begins = http.admission.begins();
    return begins || (kept !== undefined && kept.body.length <= SHORT);
  }

  /** @throws ContentError 503 when others take up the memory for answers. */
  #sendAgain(asked: Repeated, request: IncomingMessage, response: ServerResponse, { body, tag }: TaggedAnswer): void {
    const { http } = this.#parts;
    http.unread.hold(request, response, body);
    const own = [
      'etag',
      tag,
      'content-length',
      String(Buffer.byteLength(body)),
      'x-request-id',
      http.requestId(request),
    ];
    if (http.readiness.ending) own.push('connection', 'close');
    response.writeHead(200, [...asked.head, ...own]);
    response.end(body);
  }

  #readAtOnce({ content, target }: Repeated, request: IncomingMessage, present: Present): TaggedAnswer | undefined {
    const { cache } = this.#parts;
    const { now, caller, viewer } = present;
    const account = this.#accountOf(request, caller);
    if (account === undefined) return undefined;
    const made = content.readAtOnce(target, viewer, account);
    // nothing is there any more, or reading it takes long: whoever asks again is not to wait for that as well
    if (made === undefined) this.#parts.repeated!.forget(request.url!);
    if (made?.origin && now !== undefined) {
      cache!.keep(keyWith(made.origin.locale, request as Asking, viewer), made, made.origin, now);
    }
    return made;
  }

  /** False where the read is none that can be repeated. What it throws is told to whoever asked, and not read again. */
  #readsAgain({ asked, request, response, present }: Again, otherwise: RequestHandler): boolean {
    const account = this.#accountOf(request, present.caller);
    if (account === undefined) return false;
    const read = onAccountOf(account, () => asked.content.readAgain(asked.target, present.viewer));
    read
      .then((answer) => this.#sendAgain(asked, request, response, answer))
      .catch((error: unknown) => {
        // nobody can be told once the answer has begun
        if (response.headersSent) return void response.destroy();
        if (isNotFound(error)) this.#parts.repeated!.forget(request.url!);
        this.#failures.set(request, error);
        otherwise(request, response);
      });
    return true;
  }

  /** Undefined for a request whose answer is none like those of others. */
  #accountOf(request: IncomingMessage, caller: Caller): string | undefined {
    const { addressOf } = this.#parts;
    if (addressOf === undefined || isV4(request.headers)) return undefined;
    return accountKey(new Place(request, addressOf), caller);
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
    if (this.#failures.has(request.raw)) throw this.#failures.get(request.raw);
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
