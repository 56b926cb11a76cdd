/**
 * The parts of the HTTP server that live as long as the process: counters of requests, the log, metrics, limits. Each
 * project has a Fastify instance of its own (server.ts).
 */
import type { HttpConfig } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import { Readiness } from './monitoring/health.ts';
import { HealthHistory } from './monitoring/health-history.ts';
import { Log } from './monitoring/log.ts';
import { Metrics } from './monitoring/metrics.ts';
import { listenForMetrics, type MetricsListener } from './monitoring/metrics-listener.ts';
import type { Family } from './monitoring/prometheus.ts';
import { requestIds } from './monitoring/request-names.ts';
import { KnownNames } from './monitoring/request-shape.ts';
import { Traffic } from './monitoring/traffic.ts';
import { Admission } from './protocol/admission.ts';
import { type Limits, RateLimits } from './protocol/rate-limit.ts';
import { UnreadAnswers } from './protocol/unread-answers.ts';
import { AnswerCounts } from './reads/answer-cache.ts';

/** The parts that a worker shares with other workers of the same project and port. */
export interface SharedHttp {
  /** The number of the worker. */
  readonly worker: number;
  /** Counts requests of all workers. */
  readonly limits: Limits;
  /** Takes the collector of this process's metrics, where metrics are enabled. One process publishes those of all. */
  offerMetrics(collect: () => Promise<Family[]>): void;
}

export class HttpEngine {
  readonly log: Log;
  readonly readiness: Readiness;
  readonly unread: UnreadAnswers;
  /** Undefined where metrics are disabled. */
  readonly metrics: Metrics | undefined;
  readonly admission = new Admission();
  readonly limits: Limits;
  readonly answers = new AnswerCounts();
  /** The names of the project that the health of the server may contain. */
  readonly names = new KnownNames();
  /** Counts all requests, for `history`. */
  readonly traffic = new Traffic(this.names);
  readonly history: HealthHistory;
  readonly requestId = requestIds();
  readonly #metricsPlace: HttpConfig['metrics'];
  readonly #shared: SharedHttp | undefined;
  #metricsListener: MetricsListener | undefined;

  constructor(config: HttpConfig, database: Database, shared?: SharedHttp) {
    this.readiness = new Readiness(database);
    const { answers, metrics } = config;
    this.log = new Log(config, this.names, shared?.worker, () => this.readiness.isReady());
    this.unread = new UnreadAnswers(answers);
    this.limits = shared?.limits ?? new RateLimits();
    this.metrics = metrics && new Metrics(database, this);
    const { traffic, admission } = this;
    const waiting = () => admission.waiting + waitingStatements(database);
    this.history = new HealthHistory({ database, traffic, waiting });
    this.#metricsPlace = metrics;
    this.#shared = shared;
  }

  /**
   * Opens the log, metrics and the watch over unread responses.
   *
   * @throws UsageError when the port of the metrics is not available.
   */
  async open(): Promise<void> {
    this.log.open();
    await this.#openMetrics();
    this.unread.open();
    this.history.open();
  }

  async #openMetrics(): Promise<void> {
    const { metrics } = this;
    if (!metrics) return;
    const collect = () => metrics.collect();
    if (this.#shared) this.#shared.offerMetrics(collect);
    else this.#metricsListener = await listenForMetrics(collect, this.#metricsPlace!);
    metrics.open();
  }

  async close(): Promise<void> {
    this.unread.close();
    this.metrics?.close();
    await this.#metricsListener?.close();
    await this.history.close();
    this.log.close();
  }
}

/** Loads of databases (`Database.load`) that are statements or transactions waiting for their turn. */
const WAITING = ['transactions_waiting', 'readers_waited_for', 'connections_waited_for', 'turns_waited_for'] as const;

/** The number of statements and transactions that wait for the database. */
export function waitingStatements(database: Database): number {
  const load = database.load?.() ?? {};
  return WAITING.reduce((sum, name) => sum + (load[name] ?? 0), 0);
}
