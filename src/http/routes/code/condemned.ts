/**
 * Requests whose unit of work is condemned: they are answered with 500, whatever project code answers. The code runs to
 * its end, so that it can clean up.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ContentError } from '../../../errors.ts';
import { hiddenField } from '../../../hidden-field.ts';
import type { RunningCode } from '../../../runtime/running.ts';
import { UnitOfWork } from '../../../runtime/unit-of-work.ts';
import type { RequestHandler, UpgradeHandler } from '../../listener.ts';
import type { Log } from '../../monitoring/log.ts';
import type { CommonHeaders } from '../../protocol/headers.ts';
import { errorBody } from '../../protocol/reply.ts';

const TYPE = 'application/json; charset=utf-8';
const BODY = errorBody(new ContentError('InternalServerError', 'Internal Server Error', {}));

export class CondemnedRequests {
  readonly #running: Pick<RunningCode, 'unitOf' | 'headerOfCondemned'>;
  readonly #log: Log;
  readonly #headers: CommonHeaders;
  /** Requests in the router. */
  readonly #routed = hiddenField<IncomingMessage, FastifyRequest>();

  /** @param headers of every response. */
  constructor(running: Pick<RunningCode, 'unitOf' | 'headerOfCondemned'>, log: Log, headers: CommonHeaders) {
    this.#running = running;
    this.#log = log;
    this.#headers = headers;
  }

  /** A handler that runs each connection with another protocol as a unit of work. A condemned one is cut off. */
  aroundUpgrade(handler: UpgradeHandler): UpgradeHandler {
    return (request, socket, head) => {
      const unit = this.#running.unitOf(placeOf(request), (failure) => {
        this.#log.code('error', failure.message, failure);
        socket.destroy();
      });
      socket.once('close', () => unit.end());
      unit.run(() => handler(request, socket, head));
    };
  }

  /** A handler that runs each request as a unit of work. */
  around(handler: RequestHandler): RequestHandler {
    return (request, response) => {
      const { socket } = request;
      const unit = this.#running.unitOf(placeOf(request), (failure) => {
        const routed = this.#routed.get(request);
        if (routed) this.#log.failure(routed, failure);
        else this.#log.code('error', failure.message, failure);
        // project code may have taken the connection from the response
        if (response.socket === socket) refuseBytes(response, this.#running.headerOfCondemned);
        else socket.destroy();
      });
      response.once('close', () => unit.end());
      unit.run(() => handler(request, response));
    };
  }

  /**
   * Replaces the responses of condemned requests. Called before hooks that look at responses.
   *
   * @param isInner whether a request comes from within the process, on behalf of another one.
   */
  watch(server: FastifyInstance, isInner: (request: IncomingMessage) => boolean): void {
    server.addHook('onRequest', (request, _reply, done) => {
      if (!isInner(request.raw)) this.#routed.set(request.raw, request);
      done();
    });
    server.addHook('onSend', (request, reply, body, done) => {
      if (!isCondemned() || isInner(request.raw)) return done(null, body);
      if (body instanceof Readable) body.destroy();
      this.#replace(request, reply);
      done(null, BODY);
    });
  }

  /** Turns a reply into the refusal: everything that project code has set, such as a cookie, is removed. */
  #replace(request: FastifyRequest, reply: FastifyReply): void {
    const connection = reply.getHeader('connection');
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
    takeBytes(reply.raw);
    this.#headers.add(request, reply);
    if (connection !== undefined) reply.header('connection', connection);
    reply.code(500).type(TYPE).headers(this.#running.headerOfCondemned);
  }
}

const placeOf = ({ method, url }: IncomingMessage): string => `in ${method} ${url?.split('?', 1)[0]}`;

/** True where the current request is condemned: the log has it already, and its response is replaced. */
export const isCondemned = (): boolean => UnitOfWork.current?.error !== undefined;

/**
 * Prevents project code from writing a response: the first attempt sends the refusal. A response that has begun is cut
 * off.
 *
 * @param own headers of the refusal.
 */
function refuseBytes(response: ServerResponse, own: Readonly<Record<string, string>>): void {
  if (response.headersSent) return void response.destroy();
  const refuse = (): ServerResponse => {
    takeBytes(response);
    if (response.headersSent) return response.destroy();
    const headers = { ...own, 'content-type': TYPE, 'content-length': Buffer.byteLength(BODY) };
    // project code may keep writing after the end
    return response
      .on('error', () => {})
      .writeHead(500, headers)
      .end(BODY);
  };
  Object.assign(response, { write: () => !refuse(), end: refuse });
  // other writes of project code, such as to the socket, cut the connection
  const { socket } = response;
  if (socket) for (const name of WRITES) cutOff(socket, name);
  response.shouldKeepAlive = false;
}

/** Methods by which a socket writes, those of Node included that it calls itself. */
const WRITES = ['_write', '_writev', '_writeGeneric'];

/** Sockets on which the refusal is written. */
const refused = new WeakSet<Socket>();

/** Replaces a method of a socket for good: it cuts the connection unless the refusal is written. */
function cutOff(socket: Socket, name: string): void {
  const own = Reflect.get(socket, name) as (...args: unknown[]) => unknown;
  const value = (...args: unknown[]): unknown =>
    refused.has(socket) ? Reflect.apply(own, socket, args) : void socket.destroy();
  Object.defineProperty(socket, name, { value });
}

/** Undoes `refuseBytes`, except that the connection ends with the response, and removes headers that project code has written directly. */
function takeBytes(response: ServerResponse): void {
  Reflect.deleteProperty(response, 'write');
  Reflect.deleteProperty(response, 'end');
  const { socket } = response;
  if (socket) refused.add(socket);
  if (!response.headersSent) for (const name of response.getHeaderNames()) response.removeHeader(name);
}
