/**
 * Requests that come again, and are answered with the headers of the answer before. Finding the route, making request and
 * reply, running hooks and putting headers together take more time than reading a document, and three quarters of what a
 * remembered answer takes. What is answered here has none of that, so only a request qualifies whose headers are known to
 * have no other effect.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { LruCache } from '../../lru-cache.ts';
import type { ContentRead, ReadTarget } from './routes.ts';

/** Targets remembered with what they lead to, and the characters of the longest and of all; docs/reference/limits.md. */
const TARGETS = 5000;
const TARGET_LENGTH = 2048;
const ALL_LENGTH = 2 * 1024 ** 2;
/** Different headers of answers that are remembered: most answers of a project have the same. */
const HEADS = 100;

/** Headers that are each answer's own. */
const OWN = new Set(['x-request-id', 'etag', 'content-length']);

/** What a target leads to. */
interface Known {
  readonly content: ContentRead;
  readonly target: ReadTarget;
  /** Headers of its answers, names and values in turn: `Cache-Control` depends on whether the request has credentials. */
  anonymous?: readonly string[];
  authorized?: readonly string[];
}

/** The read that a request asks for, with the headers of its answer. */
export interface Repeated {
  readonly content: ContentRead;
  readonly target: ReadTarget;
  /** Names and values in turn, as `writeHead` takes them, without those that are each answer's own. */
  readonly head: readonly string[];
}

export class RepeatedAnswers {
  readonly #compresses: boolean;
  readonly #known = new LruCache<string, Known>(TARGETS, {
    of: (target) => target.length,
    most: ALL_LENGTH,
    each: TARGET_LENGTH,
  });
  readonly #heads = new LruCache<string, readonly string[]>(HEADS);

  /** @param compresses whether answers depend on what codings their clients take. */
  constructor(compresses: boolean) {
    this.#compresses = compresses;
  }

  /** Takes note of an answer that has been sent, and does not end by itself. */
  note({ raw, url }: { readonly raw: IncomingMessage; readonly url: string }, content: ContentRead, sent: Sent): void {
    if (!this.#isPlain(raw)) return;
    const { target, headers, response } = sent;
    // one that is being compressed has none yet
    if (!response.headersSent || response.statusCode !== 200) return;
    let known = this.#known.get(url);
    if (known === undefined) {
      known = { content, target: target() };
      this.#known.set(url, known);
    }
    known[kindOf(raw)] ??= this.#shared(flat(headers()));
  }

  /** Forgets what a target leads to, until it was answered again. */
  forget(target: string): void {
    this.#known.delete(target);
  }

  #shared(head: readonly string[]): readonly string[] {
    const text = head.join('\n');
    const known = this.#heads.get(text);
    if (known === undefined) this.#heads.set(text, head);
    return known ?? head;
  }

  /** What a request asks for, where it may be answered with the headers of an earlier answer. */
  of(request: IncomingMessage, response: ServerResponse): Repeated | undefined {
    // without a socket of its own: the answer before it on the same connection is not complete
    if (response.socket === null || !this.#isPlain(request)) return undefined;
    const known = this.#known.get(request.url!);
    const head = known?.[kindOf(request)];
    return head && { content: known!.content, target: known!.target, head };
  }

  /** Whether the answer depends on no headers but `Authorization`, and those that are part of its key. */
  #isPlain({ method, headers }: IncomingMessage): boolean {
    return (
      method === 'GET' &&
      headers.origin === undefined &&
      headers['if-none-match'] === undefined &&
      headers['content-length'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      !(this.#compresses && headers['accept-encoding'] !== undefined)
    );
  }
}

/** An answer that was handed to Node. */
interface Sent {
  readonly response: ServerResponse;
  readonly headers: FastifyReply['getHeaders'];
  readonly target: () => ReadTarget;
}

const kindOf = ({ headers }: IncomingMessage): 'anonymous' | 'authorized' =>
  headers.authorization === undefined ? 'anonymous' : 'authorized';

function flat(headers: ReturnType<FastifyReply['getHeaders']>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (OWN.has(name) ? [] : [name, String(value)]));
}
