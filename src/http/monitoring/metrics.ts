/** Prometheus metrics at `/metrics`, on a port of their own: nothing of them is loaded without one. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Counter, Histogram, Registry } from 'prom-client';
import type { HttpConfig } from '../../config/config.ts';
import type { Database } from '../../db/database.ts';
import { UsageError } from '../../errors.ts';
import { createServer } from '../protocol/node-http.ts';
import type { UnreadAnswers } from '../protocol/unread-answers.ts';

/** Upper bounds in seconds: a read takes some milliseconds, an upload may take seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Methods that are told apart; a client may make up any other. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Instruments {
  readonly durations: Histogram<'method' | 'route' | 'status'>;
  readonly aborted: Counter;
}

/** Counts what a server does and, while it is open, tells it at the port. */
export class Metrics {
  readonly #place: NonNullable<HttpConfig['metrics']>;
  readonly #database: Database;
  readonly #unread: Pick<UnreadAnswers, 'bytes' | 'closed'>;
  #inFlight = 0;
  #instruments: Instruments | undefined;
  #listener: Server | undefined;

  constructor(
    place: NonNullable<HttpConfig['metrics']>,
    database: Database,
    unread: Pick<UnreadAnswers, 'bytes' | 'closed'>,
  ) {
    this.#place = place;
    this.#database = database;
    this.#unread = unread;
  }

  /** Adds the hooks. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (_request, reply, done) => {
      this.#inFlight++;
      // comes for requests that their client gave up, too
      reply.raw.once('close', () => {
        this.#inFlight--;
        if (!reply.raw.writableFinished) this.#instruments?.aborted.inc();
      });
      done();
    });
    server.addHook('onResponse', (request, reply, done) => {
      const labels = { method: methodOf(request), route: routeOf(request), status: reply.statusCode };
      this.#instruments?.durations.observe(labels, reply.elapsedTime / 1000);
      done();
    });
  }

  /** @throws UsageError when the port cannot be had. */
  async open(): Promise<void> {
    const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    this.#instruments = {
      durations: new Histogram({
        name: 'galley_http_request_duration_seconds',
        help: 'Time from a request to the end of its answer',
        labelNames: ['method', 'route', 'status'],
        buckets: BUCKETS,
        registers: [registry],
      }),
      aborted: new Counter({
        name: 'galley_http_requests_aborted_total',
        help: 'Requests whose client did not wait for the end of the answer',
        registers: [registry],
      }),
    };
    const inFlight = () => this.#inFlight;
    new Gauge({
      name: 'galley_http_requests_in_flight',
      help: 'Requests that are being answered',
      registers: [registry],
      collect() {
        this.set(inFlight());
      },
    });
    const unread = this.#unread;
    new Gauge({
      name: 'galley_http_unread_bytes',
      help: 'Bytes of answers that are made and not yet taken by their clients, of those that are not short',
      registers: [registry],
      collect() {
        this.set(unread.bytes);
      },
    });
    new Counter({
      name: 'galley_http_unread_closed_total',
      help: 'Connections that were closed because their clients took nothing of what they were sent',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(unread.closed);
      },
    });
    const load = () => this.#database.load?.() ?? {};
    new Gauge({
      name: 'galley_database_load',
      help: 'What the database is busy with: connections by state, work that waits',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        for (const [kind, value] of Object.entries(load())) this.set({ kind }, value);
      },
    });
    this.#listener = await listen(registry, this.#place);
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    if (!listener) return;
    this.#listener = undefined;
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  }
}

async function listen(registry: Registry, { host, port }: NonNullable<HttpConfig['metrics']>): Promise<Server> {
  const listener = createServer((request, response) => {
    const { method, url = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    if (!/^\/metrics\/?(?:\?|$)/.test(url)) return void response.writeHead(404).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(method === 'GET' ? text : ''),
      () => response.writeHead(500).end(),
    );
  });
  listener.listen(port, host);
  try {
    await once(listener, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is taken: choose another with METRICS_PORT' : `cannot be used: ${message}`;
    throw new UsageError(`port ${port} of ${host}, for /metrics, ${reason}`, 1);
  }
  return listener;
}

/** The pattern of the route, so that there are as many series as routes; what no route takes is one. */
function routeOf({ is404, routeOptions }: FastifyRequest): string {
  return is404 ? 'none' : (routeOptions.url ?? 'none');
}

const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other');
