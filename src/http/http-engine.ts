/**
 * What the HTTP of a process keeps while its project is replaced: whatever counts requests, remembers clients, or is
 * told of from outside. Each project has a Fastify instance of its own beside it (server.ts).
 */
import type { HttpConfig } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { Readiness } from './monitoring/health.ts';
import { Log } from './monitoring/log.ts';
import { Metrics } from './monitoring/metrics.ts';
import { requestIds } from './monitoring/request-id.ts';
import { Admission } from './protocol/admission.ts';
import { AnswerCounts } from './protocol/answer-cache.ts';
import { RateLimits } from './protocol/rate-limit.ts';
import { UnreadAnswers } from './protocol/unread-answers.ts';

export class HttpEngine {
  readonly log: Log;
  readonly readiness: Readiness;
  readonly unread: UnreadAnswers;
  /** Undefined: nobody asks for them. */
  readonly metrics: Metrics | undefined;
  readonly admission = new Admission();
  readonly limits = new RateLimits();
  readonly answers = new AnswerCounts();
  readonly requestId = requestIds();

  constructor({ logLevel, answers, metrics }: HttpConfig, database: Database) {
    this.log = new Log(logLevel);
    this.readiness = new Readiness(database);
    this.unread = new UnreadAnswers(answers);
    this.metrics = metrics && new Metrics(metrics, database, this);
  }

  /**
   * Opens what serving needs.
   *
   * @throws UsageError when the port of the metrics cannot be had.
   */
  async open(): Promise<void> {
    await this.log.open();
    await this.metrics?.open();
    this.unread.open();
  }

  async close(): Promise<void> {
    this.unread.close();
    await this.metrics?.close();
    this.log.close();
  }
}
