/**
 * How fast a body must arrive, so that nobody holds connections by sending slowly. Most bodies are small and have a
 * fixed time; an upload may take as long as it has to while it goes on.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { isMultipart } from './body.ts';

export interface Pace {
  /** Milliseconds in which a body must have arrived, or of an upload the bytes below. */
  readonly time: number;
  /** Bytes of an upload that must arrive in that time, again and again. */
  readonly bytes: number;
}

const PACE: Pace = { time: 60_000, bytes: 60 * 1024 };

/** Closes the connections of requests whose bodies arrive too slowly. The time for headers is Node's own. */
export function keepPace(server: FastifyInstance, pace: Pace = PACE): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || (length !== undefined && length !== '0')) {
      watch(request.raw, pace.time, isMultipart(request) ? pace.bytes : Number.POSITIVE_INFINITY);
    }
    done();
  });
}

function watch(request: IncomingMessage, time: number, bytes: number): void {
  const { socket } = request;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    // a body that was refused before its end neither ends nor closes
    if (request.complete || request.destroyed || socket.destroyed) return stop();
    if (socket.bytesRead - before < bytes) socket.destroy();
    before = socket.bytesRead;
  }, time);
  timer.unref();
  const stop = (): void => clearInterval(timer);
  request.once('end', stop).once('close', stop);
}
