/** The connection of a worker to its parent, which sends orders, counts limited requests and processes images. */
import { hash } from 'node:crypto';
import type { Shared } from '../../engine.ts';
import { unavailable } from '../../errors.ts';
import type { Family } from '../../http/monitoring/prometheus.ts';
import type { Limiter, Limits, RateLimitOutcome, RateLimitRule } from '../../http/protocol/rate-limit.ts';
import type { ImageJob, JobResult } from '../../media/images/image.ts';
import { type ImageJobs, JobError, QueueError } from '../../media/images/image-queue.ts';
import type { FromWorker, ImageOutcome, LimitAction, LimitAnswer, LimitAsk, Role, ToWorker } from './messages.ts';

/** Milliseconds in which the parent must count a request. Otherwise the request is not served. */
const PATIENCE = 2000;

type Order = 'open' | 'listen' | 'end';

export class ParentLink implements Limits, ImageJobs {
  readonly #role: Role;
  readonly #orders: Readonly<Record<Order, PromiseWithResolvers<void>>>;
  /** Requests of this turn of the event loop, which are counted with one message. */
  #asks: LimitAsk[] = [];
  #asking: Promise<readonly LimitAnswer[]> | undefined;
  /** Waiting requests by message id. */
  readonly #counting = new Map<number, (answers: readonly LimitAnswer[]) => void>();
  readonly #imaging = new Map<number, PromiseWithResolvers<JobResult>>();
  #lastId = 0;
  #metrics: (() => Promise<Family[]>) | undefined;

  constructor(role: Role) {
    this.#role = role;
    this.#orders = { open: Promise.withResolvers(), listen: Promise.withResolvers(), end: Promise.withResolvers() };
    process.on('message', (message: ToWorker) => this.#take(message));
    this.send({ kind: 'receives' });
  }

  /** Resolves when the parent sends an order. */
  ordered(order: Order): Promise<void> {
    return this.#orders[order].promise;
  }

  send(message: FromWorker): void {
    // if the channel is closed, this process is ending
    process.send!(message, undefined, undefined, () => {});
  }

  /** The shared objects for the engine. */
  shared(): Shared {
    const { number, workers, isReplacement, firstToken, signal } = this.#role;
    const offerMetrics = (collect: () => Promise<Family[]>): void => {
      this.#metrics = collect;
    };
    return {
      workers,
      isLive: isReplacement,
      http: { worker: number, limits: this, offerMetrics },
      images: this,
      firstToken,
      signal,
    };
  }

  of(name: string, { max, windowMs }: RateLimitRule): Limiter {
    const ask = (key: string, action: LimitAction) =>
      this.#count([name, max, windowMs, hash('sha1', key, 'base64url'), action]);
    return {
      take: (key) => ask(key, 'take') as Promise<RateLimitOutcome>,
      isSpent: (key) => ask(key, 'isSpent') as Promise<boolean>,
      // if this fails, a request counts once too often
      giveBack: (key, resetAt) => void ask(key, resetAt).catch(() => {}),
    };
  }

  run(job: ImageJob): Promise<JobResult> {
    const id = this.#nextId();
    const running = Promise.withResolvers<JobResult>();
    this.#imaging.set(id, running);
    this.send({ kind: 'image', id, job });
    return running.promise;
  }

  close(): void {
    for (const { reject } of this.#imaging.values()) reject(new QueueError('closed'));
    this.#imaging.clear();
  }

  #take(message: ToWorker): void {
    const { kind } = message;
    if (kind === 'counted') {
      this.#counting.get(message.id)?.(message.answers);
      this.#counting.delete(message.id);
    } else if (kind === 'imaged') this.#settle(message.id, message.outcome);
    else if (kind === 'metrics') void this.#sendMetrics(message.id);
    else this.#orders[kind].resolve();
  }

  /** @throws ContentError 503 if the parent does not answer, because uncounted logins would have no limit. */
  async #count(ask: LimitAsk): Promise<LimitAnswer> {
    this.#asking ??= this.#countSoon();
    const { length: index } = this.#asks;
    this.#asks.push(ask);
    return (await this.#asking)[index]!;
  }

  #countSoon(): Promise<readonly LimitAnswer[]> {
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        const id = this.#nextId();
        const asks = this.#asks;
        this.#asks = [];
        this.#asking = undefined;
        const late = setTimeout(() => {
          this.#counting.delete(id);
          reject(unavailable('The server is busy with other requests'));
        }, PATIENCE);
        this.#counting.set(id, (answers) => {
          clearTimeout(late);
          resolve(answers);
        });
        this.send({ kind: 'count', id, asks });
      });
    });
  }

  #settle(id: number, outcome: ImageOutcome): void {
    const running = this.#imaging.get(id);
    this.#imaging.delete(id);
    if (!running) return;
    if ('result' in outcome) running.resolve(outcome.result);
    else if ('failure' in outcome) running.reject(new JobError(outcome.failure));
    else {
      const cause = outcome.cause === undefined ? undefined : new Error(outcome.cause);
      running.reject(new QueueError(outcome.givenUp, cause));
    }
  }

  async #sendMetrics(id: number): Promise<void> {
    this.send({ kind: 'metrics', id, families: (await this.#metrics?.()) ?? [] });
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}
