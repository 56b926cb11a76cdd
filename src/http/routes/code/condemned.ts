/**
 * Requests whose unit of work is condemned: they are answered with 500 at once, and their connection is closed. The code
 * runs to its end, so that it can clean up, but nothing that it writes reaches a client.
 */
import type { IncomingMessage, ServerResponse as Response } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ContentError } from '../../../errors.ts';
import { hiddenField } from '../../../hidden-field.ts';
import { type RequestHandler, ServerResponse } from '../../../node-http.ts';
import type { RunningCode } from '../../../runtime/running.ts';
import { UnitOfWork } from '../../../runtime/unit-of-work.ts';
import type { UpgradeHandler } from '../../listener.ts';
import type { Log } from '../../monitoring/log.ts';
import { discardBody } from '../../protocol/body.ts';
import type { CommonHeaders } from '../../protocol/headers.ts';
import { errorBody } from '../../protocol/reply.ts';

const TYPE = 'application/json; charset=utf-8';
const BODY = errorBody(new ContentError('InternalServerError', 'Internal Server Error', {}));

export class CondemnedRequests {
  readonly #running: Pick<RunningCode, 'unitOf' | 'headerOfCondemned'>;
  readonly #log: Log;
  readonly #headers: CommonHeaders;
  /** Requests in the router. */
  readonly #routed = hiddenField<IncomingMessage, FastifyRequest | undefined>();

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
        const headers = { ...(routed && this.#headers.of(routed)), ...this.#running.headerOfCondemned };
        // project code may have begun the response, or taken the connection from it
        if (response.headersSent || response.socket !== socket) socket.destroy();
        else refuse(request, response, headers);
      });
      response.once('close', () => {
        unit.end();
        // a connection that stays open keeps its last request, which must not keep the project
        this.#routed.set(request, undefined);
      });
      unit.run(() => handler(request, response));
    };
  }

  /** Passes over what the router would send for condemned requests. Called before hooks that look at responses. */
  watch(server: FastifyInstance, isInner: (request: IncomingMessage) => boolean): void {
    server.addHook('onRequest', (request, _reply, done) => {
      if (!isInner(request.raw)) this.#routed.set(request.raw, request);
      done();
    });
    server.addHook('onSend', (request, reply, body, done) => {
      if (!isCondemned() || isInner(request.raw)) return done(null, body);
      if (body instanceof Readable) body.destroy();
      reply.hijack();
    });
  }
}

const placeOf = ({ method, url }: IncomingMessage): string => `in ${method} ${url?.split('?', 1)[0]}`;

/** True where the current request is condemned: the log has it already, and it is answered. */
export const isCondemned = (): boolean => UnitOfWork.current?.error !== undefined;

/** The methods of Node, whatever project code has put in their place. */
const { writeHead, end } = ServerResponse.prototype;

/** Sends the refusal and closes the connection to everything else. @param own headers of the refusal. */
function refuse(request: IncomingMessage, response: Response, own: Readonly<Record<string, string>>): void {
  const { socket } = request;
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  // project code and the router may go on writing
  response.on('error', () => {});
  response.shouldKeepAlive = false;
  writeHead.call(response, 500, { ...own, 'content-type': TYPE, 'content-length': Buffer.byteLength(BODY) });
  end.call(response, BODY, 'utf8');
  // nor may project code take the connection from it
  Object.assign(response, { writeHead: () => response, detachSocket: () => {} });
  // the refusal is with the system by now
  if (request.complete && socket instanceof Socket) return void socket.destroy();
  // a connection that is closed while its client sends loses the refusal: Node ends one that cannot be destroyed soon
  Object.assign(socket, { destroySoon: undefined });
  socket.end();
  void discardBody(request).then(() => socket.destroy());
}
