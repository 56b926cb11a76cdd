/**
 * Responses that clients do not read. The part that does not fit into the system's buffers stays in memory while the
 * connection is open. Clients must not occupy connections or memory that way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HttpConfig } from '../../config/config.ts';
import { unavailable } from '../../errors.ts';
import { sendError } from './reply.ts';

/** Bytes of a response that counts: shorter ones mostly fit into the system's buffers. */
const COUNTED = 16 * 1024;
/** Milliseconds without progress after which a connection may be closed to free memory. */
const GRACE = 1000;
/** Longest time between two checks of the connections, in milliseconds. */
const LOOK = 1000;
/** Pipelined requests of one connection that may wait for the current response. */
const PIPELINED = 100;

/** The state of a connection. */
interface Client {
  /** Unsent responses. A list: a map that they enter and leave would keep them alive (listener.ts). */
  readonly answers: { readonly answer: ServerResponse; bytes: number }[];
  bytes: number;
  /** Requests that wait for the answers of those before them. */
  pipelined: number;
  /** Whether there were too many: the connection is closed after the response that says so. */
  isRefused: boolean;
  /** The responses to the latest request and to the one before. */
  last: ServerResponse | undefined;
  before: ServerResponse | undefined;
  /** Progress at the last check, and the time since when there was none; undefined while there is nothing to send. */
  stalled: { readonly taken: number; readonly since: number } | undefined;
}

export class UnreadAnswers {
  readonly #limits: HttpConfig['answers'];
  readonly #clients = new Map<Socket, Client>();
  #bytes = 0;
  #closed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: HttpConfig['answers']) {
    this.#limits = limits;
  }

  /** Bytes of unsent responses. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Connections that were closed because their clients read nothing. */
  get closed(): number {
    return this.#closed;
  }

  /** Starts to check the connections. */
  open(): void {
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK, this.#limits.timeout / 4)).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Registers a request on arrival, before anything else. */
  note(socket: Socket, answer: ServerResponse): void {
    const client = this.#clientOf(socket);
    client.before = client.last;
    client.last = answer;
  }

  /** Adds the hook that makes pipelined requests of a connection wait for one another. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      const client = this.#clientOf(request.raw.socket);
      const { before } = client;
      // without a socket of its own: the response before it is not complete
      if (reply.raw.socket === null && before && !before.closed) this.#wait(client, before, reply, done);
      else done();
    });
  }

  /**
   * Counts a response until it is sent. A second call for the same response replaces its size.
   *
   * @throws ContentError 503 when responses that are being read occupy the memory.
   */
  hold({ socket }: IncomingMessage, answer: ServerResponse, body: unknown): void {
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    // the client has already disconnected, and there will be no further event
    if (socket.destroyed) return;
    const client = this.#clientOf(socket);
    const held = client.answers.find((one) => one.answer === answer);
    if (held === undefined && body.length < COUNTED) return;
    const more = Buffer.byteLength(body) - (held?.bytes ?? 0);
    // a single response may be larger than the limit of all
    if (more > 0 && this.#bytes > 0 && !this.#makeRoom(more))
      throw unavailable('Too many answers are waiting to be read');
    if (held !== undefined) held.bytes += more;
    else {
      client.answers.push({ answer, bytes: more });
      answer.once('close', () => this.#release(client, answer));
    }
    client.bytes += more;
    this.#bytes += more;
  }

  #clientOf(socket: Socket): Client {
    let client = this.#clients.get(socket);
    if (client === undefined) {
      client = {
        answers: [],
        bytes: 0,
        pipelined: 0,
        isRefused: false,
        last: undefined,
        before: undefined,
        stalled: undefined,
      };
      this.#clients.set(socket, client);
      // pipelined responses get no event when the connection is closed
      socket.once('close', () => this.#forget(socket));
    }
    return client;
  }

  /** Starts a request when the response before it is complete, and refuses it where too many requests wait. */
  #wait(client: Client, before: ServerResponse, reply: FastifyReply, begin: () => void): void {
    const { socket } = reply.request.raw;
    // the input may contain hundreds of further requests, which are not answered
    if (client.isRefused) {
      reply.hijack();
      return;
    }
    if (client.pipelined >= PIPELINED) {
      client.isRefused = true;
      socket.pause();
      refuse(reply);
      return;
    }
    client.pipelined++;
    before.once('close', () => {
      client.pipelined--;
      if (!socket.destroyed) begin();
    });
  }

  #release(client: Client, answer: ServerResponse): void {
    const place = client.answers.findIndex((one) => one.answer === answer);
    if (place < 0) return;
    const { bytes } = client.answers.splice(place, 1)[0]!;
    client.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #forget(socket: Socket): void {
    const client = this.#clients.get(socket);
    if (client === undefined) return;
    this.#clients.delete(socket);
    for (const { answer } of [...client.answers]) this.#release(client, answer);
  }

  /** Checks progress, and closes connections without progress for too long. */
  #look(): void {
    const now = Date.now();
    let waiting = 0;
    for (const [socket, client] of this.#clients) {
      if (socket.writableLength === 0) {
        client.stalled = undefined;
        continue;
      }
      waiting += Math.max(socket.writableLength, client.bytes);
      const taken = takenFrom(socket);
      if (client.stalled?.taken !== taken) client.stalled = { taken, since: now };
      else if (now - client.stalled.since >= this.#limits.timeout) this.#close(socket);
    }
    if (waiting > this.#limits.memory) this.#closeStalled(waiting - this.#limits.memory);
  }

  /** True where this many bytes fit, now or after closing connections whose clients read nothing. */
  #makeRoom(bytes: number): boolean {
    const missing = this.#bytes + bytes - this.#limits.memory;
    return missing <= 0 || this.#closeStalled(missing);
  }

  /** Closes connections whose clients read nothing until this many bytes are free, largest and oldest first. */
  #closeStalled(bytes: number): boolean {
    const now = Date.now();
    const stalled = [...this.#clients].flatMap(([socket, client]) => {
      const time = now - (client.stalled?.since ?? now);
      if (time < GRACE) return [];
      const size = Math.max(socket.writableLength, client.bytes);
      return [{ socket, size, weight: size * time }];
    });
    stalled.sort((one, other) => other.weight - one.weight);
    let remaining = bytes;
    for (const { socket, size } of stalled) {
      if (remaining <= 0) break;
      this.#close(socket);
      remaining -= size;
    }
    return remaining <= 0;
  }

  #close(socket: Socket): void {
    this.#closed++;
    this.#forget(socket);
    // a reset, so that the system drops its buffers as well
    socket.resetAndDestroy();
  }
}

/**
 * A number that changes when the system accepts data of a connection. Only Node knows the progress within a write: its
 * own socket timeout uses the same number.
 */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}

function refuse(reply: FastifyReply): void {
  sendError(reply.header('connection', 'close'), unavailable('Too many requests are waiting on this connection'));
}
