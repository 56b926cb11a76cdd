/**
 * Answers of condemned requests to code of the same project. Code may ask its own server over HTTP, for example in a policy
 * that lets the caller in unless another route answers 403. The 500 of a condemned request is marked, and the unit of work
 * that receives a marked answer is condemned as well, whichever process or proxy on the machine is in between. Marks are
 * public, so those of other hosts count for nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { UnitOfWork } from './unit-of-work.ts';

const HEADER = 'x-galley-condemned';
/** Milliseconds after which marks change. The mark before and the one after are valid too: clocks of servers differ. */
const PERIOD = 60_000;
/** Names and addresses of the own machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i;

/** A request of undici, which is also that of `fetch`, and its answer with a list of names and values in turn. */
interface UndiciAnswer {
  readonly request: { readonly origin: string | URL };
  readonly response: { readonly headers: readonly (Buffer | string)[] };
}

/** A request of `node:http` and `node:https`, with which other packages send theirs. */
interface NodeAnswer {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

export class CondemnedAnswers {
  readonly #secret: string;
  readonly #ownHosts: ReadonlySet<string>;
  /** Condemns the units that have sent requests which are not answered yet. */
  readonly #senders = new WeakMap<object, (error: Error) => void>();
  readonly #channels = {
    'http.client.request.created': (message: unknown) => {
      const { request } = message as NodeAnswer;
      this.#sent(request, request.host);
    },
    'http.client.response.finish': (message: unknown) => {
      const { request, response } = message as NodeAnswer;
      this.#received(request, [response.headers[HEADER]].flat());
    },
    'undici:request:create': (message: unknown) => {
      const { request } = message as UndiciAnswer;
      this.#sent(request, new URL(request.origin).hostname);
    },
    'undici:request:headers': (message: unknown) => {
      const { request, response } = message as UndiciAnswer;
      const texts = response.headers.map(String);
      this.#received(
        request,
        texts.filter((_text, index) => texts[index - 1]?.toLowerCase() === HEADER && index % 2 === 1),
      );
    },
  };

  /**
   * @param secret that of all processes and servers of the project.
   * @param url the address of the server for browsers, if it is configured.
   */
  constructor(secret: string, url: string | undefined) {
    this.#secret = secret;
    this.#ownHosts = new Set(url !== undefined && URL.canParse(url) ? [new URL(url).hostname] : []);
  }

  /** The header of the answer to a condemned request. */
  get header(): Readonly<Record<string, string>> {
    return { [HEADER]: this.#markAt(Date.now()) };
  }

  /** Begins to watch requests of units of work. */
  start(): void {
    for (const [name, listener] of Object.entries(this.#channels)) subscribe(name, listener);
  }

  close(): void {
    for (const [name, listener] of Object.entries(this.#channels)) unsubscribe(name, listener);
  }

  #sent(request: object, host: string): void {
    const condemn = LOOPBACK.test(host) || this.#ownHosts.has(host) ? UnitOfWork.condemningRequest() : undefined;
    if (condemn) this.#senders.set(request, condemn);
  }

  #received(request: object, marks: readonly (string | undefined)[]): void {
    const condemn = this.#senders.get(request);
    if (condemn && marks.some((mark) => mark !== undefined && this.#isValid(mark)))
      condemn(new Error('a request of this code to its own server reads a member that Galley lacks'));
  }

  #markAt(time: number): string {
    const period = Math.floor(time / PERIOD);
    return createHmac('sha256', this.#secret).update(`condemned answer of ${period}`).digest('base64url');
  }

  #isValid(mark: string): boolean {
    const given = Buffer.from(mark);
    const now = Date.now();
    return [now, now - PERIOD, now + PERIOD].some((time) => {
      const own = Buffer.from(this.#markAt(time));
      return own.length === given.length && timingSafeEqual(own, given);
    });
  }
}
