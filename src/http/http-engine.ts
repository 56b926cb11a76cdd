/**
 * What the HTTP of a process keeps while its project is replaced: whatever counts requests, remembers clients, or is
 * told of from outside. Each project has a Fastify instance of its own beside it (server.ts).
 */
import type { HttpConfig } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import { Readiness } from './monitoring/health.ts';
import { Log } from './monitoring/log.ts';
import { Metrics } from './monitoring/metrics.ts';
import { listenForMetrics, type MetricsListener } from './monitoring/metrics-listener.ts';
import type { Family } from './monitoring/prometheus.ts';
import { requestIds } from './monitoring/request-names.ts';
import { Admission } from './protocol/admission.ts';
import { type Limits, RateLimits } from './protocol/rate-limit.ts';
import { UnreadAnswers } from './protocol/unread-answers.ts';
import { AnswerCounts } from './reads/answer-cache.ts';

/** What a process shares with others that serve the same project at the same port. */
export interface SharedHttp {
  /** Its number among them. */
  readonly worker: number;
  /** Counts requests together with them. */
  readonly limits: Limits;
  /** Takes what tells the metrics of this process, where they are wanted: one process tells those of all. */
  offerMetrics(collect: () => Promise<Family[]>): void;
}

export class HttpEngine {
  readonly log: Log;
  readonly readiness: Readiness;
  readonly unread: UnreadAnswers;
  /** Undefined: nobody asks for them. */
  readonly metrics: Metrics | undefined;
  readonly admission = new Admission();
  readonly limits: Limits;
  readonly answers = new AnswerCounts();
  readonly requestId = requestIds();
  readonly #metricsPlace: HttpConfig['metrics'];
  readonly #shared: SharedHttp | undefined;
  #metricsListener: MetricsListener | undefined;

  constructor(config: HttpConfig, database: Database, shared?: SharedHttp) {
    this.readiness = new Readiness(database);
    const { answers, metrics } = config;
    this.log = new Log(config, shared?.worker, () => this.readiness.isReady());
    this.unread = new UnreadAnswers(answers);
    this.limits = shared?.limits ?? new RateLimits();
    this.metrics = metrics && new Metrics(database, this);
    this.#metricsPlace = metrics;
    this.#shared = shared;
  }

  /**
   * Opens what serving needs.
   *
   * @throws UsageError when the port of the metrics cannot be had.
   */
  async open(): Promise<void> {
    this.log.open();
    await this.#openMetrics();
    this.unread.open();
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
    this.log.close();
  }
}
