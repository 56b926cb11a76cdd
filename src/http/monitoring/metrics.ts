/** Counters for Prometheus, where a port for metrics is configured. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../db/interface/database.ts';
import type { UnreadAnswers } from '../protocol/unread-answers.ts';
import type { AnswerCounts } from '../reads/answer-cache.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { type Family, gauges, Histogram, single } from './prometheus.ts';
import { labelOf } from './request-names.ts';

/** Upper bounds in seconds: a read takes some milliseconds, an upload may take seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Methods with series of their own; a client may invent any other. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Parts that count by themselves. */
interface Counted {
  readonly unread: Pick<UnreadAnswers, 'bytes' | 'closed'>;
  readonly answers: Pick<AnswerCounts, 'hits' | 'misses' | 'bytes'>;
}

/** Counts the requests of a server. */
export class Metrics {
  readonly #database: Database;
  readonly #counted: Counted;
  #inFlight = 0;
  #aborted = 0;
  readonly #durations = new Histogram(
    'galley_http_request_duration_seconds',
    'Time from a request to the end of its answer',
    BUCKETS,
  );
  #process: ProcessMetrics | undefined;
  #others: () => Promise<Family[]> = async () => [];

  constructor(database: Database, counted: Counted) {
    this.#database = database;
    this.#counted = counted;
  }

  /** Adds the hooks. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (_request, reply, done) => {
      this.#inFlight++;
      // also called for requests that their client aborted
      reply.raw.once('close', () => {
        this.#inFlight--;
        if (!reply.raw.writableFinished) this.#aborted++;
      });
      done();
    });
    server.addHook('onResponse', (request, reply, done) => {
      const labels = { method: methodOf(request), route: routeOf(request), status: String(reply.statusCode) };
      this.#durations.observe(labels, reply.elapsedTime / 1000);
      done();
    });
  }

  /** Adds metrics of a part that is counted elsewhere. */
  include(others: () => Promise<Family[]>): void {
    this.#others = others;
  }

  /** Starts to watch the process. */
  open(): void {
    this.#process = new ProcessMetrics();
  }

  /** The current metrics. */
  async collect(): Promise<Family[]> {
    return [...((await this.#process?.collect()) ?? []), ...this.#families(), ...(await this.#others())];
  }

  #families(): Family[] {
    const { unread, answers } = this.#counted;
    return [
      this.#durations.family(),
      single(
        'counter',
        'galley_http_requests_aborted_total',
        'Requests whose client did not wait for the end of the answer',
        this.#aborted,
      ),
      single('gauge', 'galley_http_requests_in_flight', 'Requests that are being answered', this.#inFlight),
      single(
        'gauge',
        'galley_http_unread_bytes',
        'Bytes of answers that clients have not read yet, short answers excepted',
        unread.bytes,
      ),
      single(
        'counter',
        'galley_http_unread_closed_total',
        'Connections closed because their clients did not read the answers',
        unread.closed,
      ),
      single('counter', 'galley_answer_cache_hits_total', 'Reads answered from memory', answers.hits),
      single(
        'counter',
        'galley_answer_cache_misses_total',
        'Reads whose answer was not in memory, or no longer current',
        answers.misses,
      ),
      single('gauge', 'galley_answer_cache_bytes', 'Bytes of answers in memory', answers.bytes),
      gauges(
        'galley_database_load',
        'Work of the database: connections by state, waiting work',
        'kind',
        Object.entries(this.#database.load?.() ?? {}),
      ),
    ];
  }

  close(): void {
    this.#process?.close();
  }
}

/** The pattern of the route: one series per route, and one for requests without a route. */
function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'none' : (labelOf(request) ?? 'none');
}

const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other');
