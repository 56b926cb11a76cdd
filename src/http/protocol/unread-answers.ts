/**
 * Answers that their clients do not read. What does not fit the system's own buffers stays in memory, for as long as
 * the connection is open: clients must not tie up connections that way, nor memory.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HttpConfig } from '../../config/config.ts';
import { unavailable } from '../../errors.ts';
import { sendError } from './reply.ts';

/** Bytes of an answer that counts: shorter ones mostly fit into the system's buffers. */
const COUNTED = 16 * 1024;
/** Milliseconds without taking anything after which a connection may be closed to make room. */
const GRACE = 1000;
/** Longest time between two checks of the connections, in milliseconds. */
const LOOK = 1000;
/** Requests of one connection that may wait behind the one that is being answered (HTTP pipelining). */
export const PIPELINED = 100;

/** A connection that has sent a request. */
interface Client {
  /** Its answers that are not sent yet: a list, as a map that they go into and out of keeps them alive (listener.ts). */
  readonly answers: { readonly answer: ServerResponse; bytes: number }[];
  bytes: number;
  /** Requests that wait for the answers of those before them. */
  pipelined: number;
  /** Whether too many did: the connection is closed behind the answer that says so. */
  isRefused: boolean;
  /** The answer to its latest request, and the one before. */
  last: ServerResponse | undefined;
  before: ServerResponse | undefined;
  /** What had been taken at the last look, and since when nothing more was; undefined while nothing is to be taken. */
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

  /** Bytes of answers that are made and not sent yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Connections that were closed for taking nothing. */
  get closed(): number {
    return this.#closed;
  }

  /** Begins to look at the connections. */
  open(): void {
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK, this.#limits.timeout / 4)).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Takes down that a request has arrived, before anything else is done with it. */
  note(socket: Socket, answer: ServerResponse): void {
    const client = this.#clientOf(socket);
    client.before = client.last;
    client.last = answer;
  }

  /** Adds the hook that has requests of one connection wait for one another. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      const client = this.#clientOf(request.raw.socket);
      const { before } = client;
      // without a socket of its own: the answer before it is not complete
      if (reply.raw.socket === null && before && !before.closed) this.#wait(client, before, reply, done);
      else done();
    });
  }

  /**
   * Counts an answer that is about to be sent, until it is. Called again for the same answer, it counts it again from
   * the start.
   *
   * @throws ContentError 503 when others take up the memory and take what they are sent.
   */
  hold({ socket }: IncomingMessage, answer: ServerResponse, body: unknown): void {
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    // its client has already disconnected, and there will be no further event
    if (socket.destroyed) return;
    const client = this.#clientOf(socket);
    const held = client.answers.find((one) => one.answer === answer);
    if (held === undefined && body.length < COUNTED) return;
    const more = Buffer.byteLength(body) - (held?.bytes ?? 0);
    // one answer may be larger than all may be together
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
      // answers that wait behind others get no event when the connection is closed
      socket.once('close', () => this.#forget(socket));
    }
    return client;
  }

  /** Has a request begin when the answer before its own is complete, and refuses it where too many wait for that. */
  #wait(client: Client, before: ServerResponse, reply: FastifyReply, begin: () => void): void {
    const { socket } = reply.request.raw;
    // what has been read may contain hundreds more, which are not answered
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

  /** Finds out who has taken something, and closes the connections of those who have not for too long. */
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

  /** Whether there is room for this many bytes, now or after closing connections whose clients read nothing. */
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
    let left = bytes;
    for (const { socket, size } of stalled) {
      if (left <= 0) break;
      this.#close(socket);
      left -= size;
    }
    return left <= 0;
  }

  #close(socket: Socket): void {
    this.#closed++;
    this.#forget(socket);
    // a reset: what the system still holds for it is dropped as well
    socket.resetAndDestroy();
  }
}

/**
 * A number that changes when the system takes something of what a connection is sent. What is complete of a write under
 * way is known only to Node: its own socket timeout uses the same number.
 */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}

function refuse(reply: FastifyReply): void {
  sendError(reply.header('connection', 'close'), unavailable('Too many requests are waiting on this connection'));
}
