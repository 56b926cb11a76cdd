/**
 * Reads of content, whose answers may be remembered. What refuses a request comes before its answer, remembered or not:
 * the caller is known, counted, and has the right to the action. The key of an answer names all that it depends on
 * besides the database.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import type { LocaleStore } from '../../content/locales/locale-store.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { KnownCallers } from '../../users/sessions/callers.ts';
import type { Admission } from '../protocol/admission.ts';
import type { AnswerCache } from '../protocol/answer-cache.ts';
import type { CallerLimit } from '../protocol/caller-limit.ts';
import { sendTagged } from '../protocol/entity-tag.ts';
import type { Call, ContentRead } from './routes.ts';
import { isV4 } from './v4-format.ts';

interface Parts {
  /** Undefined: nothing is remembered. */
  readonly cache: AnswerCache | undefined;
  readonly callers: KnownCallers;
  readonly views: Views;
  readonly locales: LocaleStore;
  readonly admission: Admission;
  readonly limit: CallerLimit | undefined;
}

export class RememberedReads {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Answers a request that needs nothing but what is in memory; false for others, which come in their caller's turn.
   *
   * @throws ContentError for a request that is refused.
   */
  answersAtOnce(content: ContentRead, request: FastifyRequest, reply: FastifyReply): boolean {
    const { cache, callers, views, admission, limit } = this.#parts;
    // counting may take another process's answer
    if (cache === undefined || limit) return false;
    // before the caller is looked up: who it is and what it may do is then as current as the answer
    const now = cache.now();
    const caller = callers.known(request.headers.authorization);
    if (caller === undefined) return false;
    const viewer = views.viewer(caller.grants, { userId: caller.userId });
    const key = this.#keyOf(content.type, request, viewer);
    const answer = key === undefined ? undefined : cache.find(key, now);
    if (answer === undefined || !admission.begins()) return false;
    requireAction(caller.grants, content.action);
    cache.count(true);
    content.setHeaders(request, reply);
    sendTagged(request, reply, answer);
    return true;
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
  #keyOf(type: ContentType, request: FastifyRequest, viewer: Viewer): string | undefined {
    const locale = type.localized ? this.#parts.locales.known() : '';
    return locale === undefined ? undefined : keyWith(locale, request, viewer);
  }
}

/**
 * The key of an answer: what the caller sees, its own values as far as they decide about that, the default locale, the
 * format and the target.
 */
function keyWith(locale: string, { url, headers }: FastifyRequest, { view, values }: Viewer): string {
  let key = `${view.key} ${locale} ${isV4(headers) ? 4 : 5} `;
  for (const operand of view.rows.operands) if (operand.kind === 'caller') key += `${values[operand.name]} `;
  return key + url;
}
