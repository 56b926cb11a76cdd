/**
 * Targets that were answered before, with the headers of their responses. Routing, hooks and composing headers take more
 * time than reading a document. A request for such a target does without them, if it has no headers that could change the
 * response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { LruCache } from '../../lru-cache.ts';
import type { ContentRead, ReadTarget } from '../routes/routes.ts';

/** Cached targets, and the characters of the longest and of all; docs/reference/limits.md. */
const TARGETS = 5000;
const TARGET_LENGTH = 2048;
const ALL_LENGTH = 2 * 1024 ** 2;
/** Different sets of headers: most responses of a project have the same. */
const HEADS = 100;

/** Headers that differ from response to response. */
const OWN = new Set(['x-request-id', 'etag', 'content-length']);

/** A target with the read that it requests. */
interface Read {
  readonly content: ContentRead;
  readonly target: ReadTarget;
}

/** A read with the headers of its response: names and values in turn, as `writeHead` takes them. */
export interface RepeatedTarget extends Read {
  readonly head: readonly string[];
}

/** A read with its headers by whether the request has credentials: `Cache-Control` depends on that. */
interface Entry extends Read {
  anonymous?: readonly string[];
  authorized?: readonly string[];
}

export class RepeatedTargets {
  readonly #compresses: boolean;
  readonly #entries = new LruCache<string, Entry>(TARGETS, {
    of: (target) => target.length,
    most: ALL_LENGTH,
    each: TARGET_LENGTH,
  });
  readonly #heads = new LruCache<string, readonly string[]>(HEADS);

  /** @param compresses whether responses depend on the codings that clients accept. */
  constructor(compresses: boolean) {
    this.#compresses = compresses;
  }

  /** Adds the target of a request whose response was sent. The answer must not end by itself. */
  note({ raw, url }: { readonly raw: IncomingMessage; readonly url: string }, read: Read, reply: FastifyReply): void {
    if (!this.#isPlain(raw)) return;
    // a response that is being compressed has no headers yet
    if (!reply.raw.headersSent || reply.raw.statusCode !== 200) return;
    let entry = this.#entries.get(url);
    if (entry === undefined) {
      entry = { content: read.content, target: read.target };
      this.#entries.set(url, entry);
    }
    entry[kindOf(raw)] ??= this.#shared(flat(reply.getHeaders()));
  }

  /** Removes a target until it is answered again. */
  forget(target: string): void {
    this.#entries.delete(target);
  }

  #shared(head: readonly string[]): readonly string[] {
    const text = head.join('\n');
    const cached = this.#heads.get(text);
    if (cached === undefined) this.#heads.set(text, head);
    return cached ?? head;
  }

  /** The read of a request; undefined for a request that needs Fastify. */
  of(request: IncomingMessage, response: ServerResponse): RepeatedTarget | undefined {
    // without a socket of its own: the response before it on the same connection is not complete
    if (response.socket === null || !this.#isPlain(request)) return undefined;
    const entry = this.#entries.get(request.url!);
    const head = entry?.[kindOf(request)];
    return head && { content: entry!.content, target: entry!.target, head };
  }

  /** Whether the response depends on no headers but `Authorization` and the requested format. */
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

const kindOf = ({ headers }: IncomingMessage): 'anonymous' | 'authorized' =>
  headers.authorization === undefined ? 'anonymous' : 'authorized';

function flat(headers: ReturnType<FastifyReply['getHeaders']>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (OWN.has(name) ? [] : [name, String(value)]));
}
