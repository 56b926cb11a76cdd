/** Sends requests of this process through the server, over a connection in memory, exactly as if they had arrived. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { unavailable } from '../errors.ts';
import { createServer, type RequestHandler, sendRequest } from '../node-http.ts';

export interface InnerRequest {
  readonly method: string;
  /** Path and query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The address from which it counts as sent. */
  readonly address: string;
  /** Runs the handler; left out: it is just called. */
  readonly around?: ((handle: () => void) => void) | undefined;
  /** Whether it is repeated if it fails, so that a failure is not logged. */
  readonly isRepeated?: true;
}

export interface InnerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The beginning of the body. */
  readonly body: Buffer;
  /** Whether the rest of the body was left out. */
  readonly isCut: boolean;
  /** Milliseconds until the status arrived, and until the end. */
  readonly waited: number;
  readonly milliseconds: number;
}

export interface InnerLimits {
  /** Bytes of a body. */
  readonly longest: number;
  /** Milliseconds until the end of an answer. */
  readonly timeout: number;
}

/** The end of a connection in the server, with the members of a socket that the server uses. */
type InnerSocket = Duplex & { readonly remoteAddress: string };

export class InnerRequests {
  #handler: RequestHandler | undefined;
  /** What runs around the handlers of requests, by connection. */
  readonly #around = new WeakMap<object, InnerRequest['around']>();
  readonly #repeated = new WeakSet<object>();
  /** Requests run outside of the context of the request that sends them. */
  readonly #apart = AsyncLocalStorage.snapshot();
  readonly #server = createServer((request, response) => {
    const handle = (): void => this.#handler!(request, response);
    const around = this.#around.get(request.socket);
    this.#apart(() => (around ? around(handle) : handle()));
  });

  /** Sets the handler of all requests from now on. */
  serve(handler: RequestHandler): void {
    this.#handler = handler;
  }

  /** Whether a request is repeated if it fails. */
  isRepeated({ socket }: IncomingMessage): boolean {
    return this.#repeated.has(socket);
  }

  /** @throws ContentError 503 if no answer begins in time. A longer answer, and one without end, is cut. */
  async send(inner: InnerRequest, { longest, timeout }: InnerLimits): Promise<InnerAnswer> {
    const [client, end] = duplexPair();
    const server: InnerSocket = Object.assign(end, {
      remoteAddress: inner.address,
      resetAndDestroy: () => end.destroy(),
      setTimeout: () => end,
    });
    // a client that disconnects is no error
    for (const side of [client, server]) side.on('error', () => {});
    this.#around.set(server, inner.around);
    if (inner.isRepeated) this.#repeated.add(server);
    this.#server.emit('connection', server);
    const started = performance.now();
    const timer = setTimeout(() => client.destroy(), timeout);
    try {
      const response = await responseTo(inner, client);
      const waited = performance.now() - started;
      const { body, isCut } = await bodyOf(response, longest);
      return {
        ...{ status: response.statusCode ?? 0, headers: pairsOf(response.rawHeaders), body, isCut },
        ...{ waited, milliseconds: performance.now() - started },
      };
    } finally {
      clearTimeout(timer);
      client.destroy();
      server.destroy();
    }
  }
}

function responseTo({ method, target, headers, body }: InnerRequest, client: Duplex): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = sendRequest({ method, path: target, headers, createConnection: () => client });
    request.once('response', resolve);
    request.on('error', () => reject(unavailable('The request was not answered in time')));
    request.end(body);
  });
}

/** The beginning of a body; nothing of an event stream, which has no end. A connection that ends early ends the body. */
async function bodyOf(response: IncomingMessage, longest: number): Promise<{ body: Buffer; isCut: boolean }> {
  if (response.headers['content-type']?.startsWith('text/event-stream')) return { body: Buffer.alloc(0), isCut: true };
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, longest - length));
      length += part.length;
      if (length > longest) return { body: Buffer.concat(parts), isCut: true };
    }
  } catch {
    return { body: Buffer.concat(parts), isCut: true };
  }
  return { body: Buffer.concat(parts), isCut: false };
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, n): [string, string][] => (n % 2 === 0 ? [[name, raw[n + 1] ?? '']] : []));
}
