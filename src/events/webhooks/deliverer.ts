/**
 * Sends deliveries to webhooks. Of several processes, only the one with the lease sends. Deliveries about one document
 * are sent one at a time, oldest first, so that its events arrive in order. A failed delivery is repeated after growing
 * pauses for most of a day.
 */
import type { WebhooksConfig } from '../../config/config.ts';
import type { Database } from '../../db/interface/database.ts';
import { NamedLease } from '../../db/interface/named-lease.ts';
import { ContentError } from '../../errors.ts';
import { Semaphore } from '../../semaphore.ts';
import { Sleeper } from '../../sleep.ts';
import { type Entries, idsOf } from '../entries.ts';
import {
  type Attempt,
  type Delivery,
  deliveriesOf,
  duePage,
  nextDue,
  noteAttempt,
  putBehind,
  tidyDeliveries,
} from './deliveries.ts';
import { bodyOf } from './outbox.ts';
import { type Sent, send } from './sender.ts';
import type { Webhook } from './webhook.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
/** Pauses after each attempt; after the last attempt the delivery is given up. */
const PAUSES: readonly number[] = [10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];
/** Random share of a pause, so that deliveries which failed together are not repeated together. */
const JITTER = 0.1;
/** Concurrent deliveries to one webhook. */
const AT_ONCE = 4;
/** Pages of due deliveries that are read in one round. */
const MOST_PAGES = 20;
/** Pauses of a webhook after failures, whatever the document: the first and the longest. */
const FIRST_BACKOFF = SECOND / 4;
const LONGEST_BACKOFF = 30 * SECOND;
/** Milliseconds between two rounds: the minimum, the maximum while deliveries wait, and otherwise. */
const SHORTEST_WAIT = 20;
const WAIT = SECOND / 2;
const IDLE_WAIT = 5 * SECOND;
/** Milliseconds between two removals of old deliveries. */
const TIDYING = MINUTE;
/** When the server stops: milliseconds for open requests to finish, and for everything. */
const PATIENCE = 2 * SECOND;
const LONGEST_END = 3 * SECOND;

interface DelivererContext {
  readonly database: Database;
  readonly config: WebhooksConfig;
  readonly enabled: () => readonly Webhook[];
  readonly entries: () => Entries | undefined;
  readonly log: (line: string, error?: unknown) => void;
}

/** The pause of a webhook that has failed. */
interface Backoff {
  readonly until: number;
  readonly pause: number;
}

export class Deliverer {
  readonly #context: DelivererContext;
  readonly #lease: NamedLease;
  /** Open deliveries by id. */
  readonly #underWay = new Map<number, { readonly webhook: number; readonly done: Promise<void> }>();
  /** Serialises the decisions which delivery waits for which. */
  readonly #states = new Semaphore(1);
  readonly #backoffs = new Map<number, Backoff>();
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  readonly #sleeper = new Sleeper();
  /** Whether deliveries were added since the current round began. */
  #isCalled = false;
  #tidied = 0;
  #isClosed = false;

  constructor(context: DelivererContext) {
    this.#context = context;
    this.#lease = new NamedLease(context.database, 'webhooks');
  }

  /** Starts to send. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Starts a round at once. */
  call(): void {
    this.#isCalled = true;
    this.#sleeper.wake();
  }

  /** Stops: open requests get a moment to finish; another process sends the rest again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sleeper.wake();
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timers = [setTimeout(() => this.#end.abort(), PATIENCE), setTimeout(resolve, LONGEST_END)];
    await Promise.race([this.#finish(), waited]);
    for (const timer of timers) clearTimeout(timer);
  }

  async #finish(): Promise<void> {
    await this.#running;
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    await this.#lease.end().catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isCalled = false;
      let pause = WAIT;
      try {
        pause = await this.#round();
      } catch {
        // the database is unavailable: the next round tries again
      }
      if (!this.#isCalled && !this.#isClosed) await this.#sleeper.sleep(pause);
    }
  }

  /** Starts the due deliveries. Returns the milliseconds until the next round. */
  async #round(): Promise<number> {
    const enabled = this.#context.enabled();
    // enabling a webhook starts a round
    if (enabled.length === 0) return IDLE_WAIT;
    if (!(await this.#lease.hold())) return IDLE_WAIT;
    await this.#tidy();
    const now = Date.now();
    const ids = enabled.map(({ id }) => id);
    const next = await nextDue(this.#context.database, ids);
    for (const webhook of enabled) {
      // another process may have taken the lease by now
      if (!this.#lease.isHeld) return SHORTEST_WAIT;
      if ((next.get(webhook.id) ?? Number.POSITIVE_INFINITY) <= now) await this.#begin(webhook, now);
    }
    return next.size === 0 ? IDLE_WAIT : this.#pauseUntil([...next.values()]);
  }

  /** Milliseconds until a delivery is due or the pause of a webhook ends. */
  #pauseUntil(due: readonly number[]): number {
    const now = Date.now();
    const backoffs = [...this.#backoffs.values()].map(({ until }) => until);
    const times = [...due, ...backoffs].filter((time) => time > now);
    return Math.max(SHORTEST_WAIT, Math.min(WAIT, ...times.map((time) => time - now)));
  }

  async #begin(webhook: Webhook, now: number): Promise<void> {
    const backoff = this.#backoffs.get(webhook.id);
    if (backoff && backoff.until > now) return;
    const open = [...this.#underWay.values()].filter((one) => one.webhook === webhook.id).length;
    const most = (backoff ? 1 : AT_ONCE) - open;
    if (most <= 0) return;
    const free = await this.#states.run(() => this.#free(webhook.id, now, most));
    for (const delivery of free) {
      const done = this.#attempt(webhook, delivery).finally(() => {
        this.#underWay.delete(delivery.id);
        this.call();
      });
      this.#underWay.set(delivery.id, { webhook: webhook.id, done });
    }
  }

  /** Up to `most` deliveries that may be sent now. Newer ones about the same documents wait for them. */
  async #free(webhook: number, now: number, most: number): Promise<Delivery[]> {
    const { database } = this.#context;
    for (let page = 0; ; page++) {
      const { free, behind, isLast } = await duePage(database, webhook, now);
      if (behind.length > 0) await database.transaction((tx) => putBehind(tx, behind));
      const ids = free.filter((id) => !this.#underWay.has(id)).slice(0, most);
      if (ids.length < most && behind.length > 0 && !isLast && page < MOST_PAGES) continue;
      return ids.length === 0 ? [] : deliveriesOf(database, ids);
    }
  }

  async #attempt(webhook: Webhook, delivery: Delivery): Promise<void> {
    try {
      const built = delivery.body === undefined ? await this.#bodyOf(delivery) : { body: delivery.body };
      const triedAt = Date.now();
      const { body } = built;
      const message = { id: `${webhook.id}-${delivery.id}-${delivery.changedAt}`, event: delivery.event };
      const sent =
        body === undefined
          ? { ok: false, status: undefined, answer: built.failure, milliseconds: 0 }
          : await send(webhook, { ...message, body }, this.#context.config, this.#end.signal);
      // stopping the server is no failure of the webhook
      if (!sent.ok && this.#end.signal.aborted) return;
      // nor is a body that could not be built
      if (body !== undefined) this.#noteResult(webhook, sent.ok);
      await this.#store(webhook, delivery, { ...sent, body, triedAt });
    } catch (error) {
      // the delivery is still stored as waiting
      this.#noteResult(webhook, false);
      this.#warn(webhook, 'the result of a delivery could not be stored', error);
    }
  }

  /** Stores the result of an attempt. */
  async #store(
    webhook: Webhook,
    delivery: Delivery,
    { ok, status, answer, ...sent }: Sent & Pick<Attempt, 'body' | 'triedAt'>,
  ): Promise<void> {
    const pause = PAUSES[delivery.attempts];
    const state = ok ? 'sent' : pause === undefined ? 'failed' : 'waiting';
    const nextAt = Date.now() + Math.round((pause ?? 0) * (1 + JITTER * Math.random()));
    const attempts = delivery.attempts + 1;
    const attempt: Attempt = { ...sent, state, attempts, nextAt, answer, answerStatus: status };
    await this.#states.run(() => this.#context.database.transaction((tx) => noteAttempt(tx, delivery, attempt)));
    if (state === 'failed') {
      this.#warn(webhook, `a delivery was given up after ${attempts} attempts: ${status ?? firstLine(answer)}`);
    }
  }

  /** Builds a body that was not stored with the delivery, or says why it cannot. A removed entry is shown by its ids. */
  async #bodyOf(delivery: Delivery): Promise<{ body: string } | { body?: undefined; failure: string }> {
    const { entries: current, config } = this.#context;
    const entries = current();
    if (!entries) return { failure: 'no project is loaded' };
    const { event, uid, changedAt: at } = delivery;
    try {
      const stored = await entries.read(delivery, config.populateRelations ? 'all' : 'without relations');
      const entry = stored ?? { json: idsOf(delivery), isShortened: false };
      return { body: bodyOf(entries, { event, at, uid, entry }) };
    } catch (error) {
      const reason = error instanceof ContentError ? `: ${error.message}` : '';
      return { failure: `the entry could not be read${reason}` };
    }
  }

  /** Pauses a webhook that failed, and ends the pause of one that answered. */
  #noteResult({ id }: Webhook, ok: boolean): void {
    if (ok) {
      this.#backoffs.delete(id);
      return;
    }
    const pause = Math.min(LONGEST_BACKOFF, (this.#backoffs.get(id)?.pause ?? FIRST_BACKOFF / 2) * 2);
    this.#backoffs.set(id, { until: Date.now() + pause, pause });
  }

  async #tidy(): Promise<void> {
    if (Date.now() - this.#tidied < TIDYING) return;
    this.#tidied = Date.now();
    const givenUp = await this.#states.run(() => tidyDeliveries(this.#context.database));
    if (givenUp > 0) this.#context.log(`warning: webhooks: ${givenUp} deliveries were given up: too many were waiting`);
  }

  #warn({ id, name }: Webhook, message: string, error?: unknown): void {
    this.#context.log(`warning: webhook ${id} ${JSON.stringify(name)}: ${message}`, error);
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;
