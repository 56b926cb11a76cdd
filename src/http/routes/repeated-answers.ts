/**
 * Remembered answers that are sent once more with the headers that they were sent with before. Finding the route, making
 * request and reply, running hooks and putting headers together take three quarters of what a remembered answer takes.
 * What is answered here has none of that, so only a request qualifies whose headers are known to have no other effect.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { LruCache } from '../../lru-cache.ts';
import type { Heads } from '../protocol/answer-cache.ts';
import type { ContentRead } from './routes.ts';

/** Targets remembered with the route that they lead to, and the characters of the longest. */
const TARGETS = 5000;
const TARGET_LENGTH = 2048;

export class RepeatedAnswers {
  readonly #compresses: boolean;
  readonly #reads = new LruCache<string, ContentRead>(TARGETS);

  /** @param compresses whether answers depend on what codings their clients take. */
  constructor(compresses: boolean) {
    this.#compresses = compresses;
  }

  /** Takes note of an answer that has been sent, to be sent once more. */
  note({ raw, url }: { readonly raw: IncomingMessage; readonly url: string }, content: ContentRead, sent: Sent): void {
    if (url.length > TARGET_LENGTH || !this.#isPlain(raw)) return;
    const { heads, headers, response } = sent;
    // one that is being compressed has none yet
    if (!response.headersSent || response.statusCode !== 200) return;
    heads[kindOf(raw)] ??= flat(headers);
    this.#reads.set(url, content);
  }

  /** The read that a request asks for, where it may be answered with the headers of an earlier answer. */
  readOf(request: IncomingMessage, response: ServerResponse): ContentRead | undefined {
    // without a socket of its own: the answer before it on the same connection is not complete
    if (response.socket === null || !this.#isPlain(request)) return undefined;
    return this.#reads.get(request.url!);
  }

  /** The headers for a request's answer, once they are known. */
  headOf(request: IncomingMessage, heads: Heads): readonly string[] | undefined {
    return heads[kindOf(request)];
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
  readonly headers: ReturnType<FastifyReply['getHeaders']>;
  readonly heads: Heads;
}

/** `Cache-Control` differs between the two. */
const kindOf = ({ headers }: IncomingMessage): keyof Heads =>
  headers.authorization === undefined ? 'anonymous' : 'authorized';

/** Names and values in turn, as `writeHead` takes them, without what is each answer's own. */
function flat(headers: ReturnType<FastifyReply['getHeaders']>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (name === 'x-request-id' ? [] : [name, String(value)]));
}
