/**
 * Sends webhooks what waits for them. One process of many does so, whichever has the lease. Of each document one
 * delivery at a time is under way, the oldest, so that what happened to it arrives in its order; what fails is tried
 * again, each time after a longer pause, for most of a day.
 */

import { randomBytes } from 'node:crypto';
import type { WebhooksConfig } from '../../config/config.ts';
import type { Database } from '../../db/interface/database.ts';
import { execute, query } from '../../db/interface/statements.ts';
import { ContentError } from '../../errors.ts';
import { Semaphore } from '../../semaphore.ts';
import { Sleeper } from '../../sleep.ts';
import { compileEndNamedLease, compileNamedLeaseTaken, compileTakeNamedLease } from '../../sql/events/webhooks.ts';
import { type Entries, nameOf } from '../entries.ts';
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
/** Pauses behind the attempts; after the last attempt a delivery is given up. */
export const PAUSES: readonly number[] = [
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
];
/** Parts of a pause that are left to chance, so that what failed together does not come back together. */
const CHANCE = 0.1;
/** Deliveries that are under way at once, to one webhook. */
const AT_ONCE = 4;
/** Pages of due deliveries that are looked at for them in one round. */
const MOST_PAGES = 20;
/** Pauses of a webhook that fails, whichever document it was told of: the first, and the longest. */
const FIRST_REST = SECOND / 4;
const LONGEST_REST = 30 * SECOND;
/**
 * How long nothing is looked for, at least, and at most while something waits; how long where nothing does, or another
 * process sends; how often old ones are forgotten.
 */
const SHORTEST_LOOK = 20;
const LOOK = SECOND / 2;
const STANDING_BY = 5 * SECOND;
const TIDYING = MINUTE;
/** Milliseconds that what is under way gets to end when the server does, and a database that does not answer. */
const PATIENCE = 2 * SECOND;
const LONGEST_END = 3 * SECOND;

interface Parts {
  readonly database: Database;
  readonly config: WebhooksConfig;
  readonly enabled: () => readonly Webhook[];
  readonly entries: () => Entries | undefined;
  readonly log: (line: string, error?: unknown) => void;
}

/** A webhook that has failed. */
interface Rest {
  readonly until: number;
  readonly pause: number;
}

export class Deliverer {
  readonly #parts: Parts;
  readonly #lease: NamedLease;
  /** Deliveries under way by id. */
  readonly #underWay = new Map<number, { readonly webhook: number; readonly done: Promise<void> }>();
  /** One at a time decides what waits for what. */
  readonly #states = new Semaphore(1);
  readonly #resting = new Map<number, Rest>();
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  readonly #sleeper = new Sleeper();
  /** Whether something was written while it looked. */
  #isCalled = false;
  #tidied = 0;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lease = new NamedLease(parts.database, 'webhooks');
  }

  /** Begins to send. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Has it look at once. */
  call(): void {
    this.#isCalled = true;
    this.#sleeper.wake();
  }

  /** Ends it: what is under way gets a moment, and is otherwise sent again by whoever comes next. */
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
      let pause = LOOK;
      try {
        pause = await this.#round();
      } catch {
        // the database is away: it is asked again
      }
      if (!this.#isCalled && !this.#isClosed) await this.#sleeper.sleep(pause);
    }
  }

  /** Begins what is due. Gives after how many milliseconds to look again. */
  async #round(): Promise<number> {
    const enabled = this.#parts.enabled();
    // whoever makes one calls
    if (enabled.length === 0) return STANDING_BY;
    if (!(await this.#lease.hold())) return STANDING_BY;
    await this.#tidy();
    const now = Date.now();
    const ids = enabled.map(({ id }) => id);
    const next = await nextDue(this.#parts.database, ids);
    for (const webhook of enabled) {
      // another process may send by now
      if (!this.#lease.isHeld) return SHORTEST_LOOK;
      if ((next.get(webhook.id) ?? Number.POSITIVE_INFINITY) <= now) await this.#begin(webhook, now);
    }
    return next.size === 0 ? STANDING_BY : this.#pauseUntil([...next.values()]);
  }

  /** Milliseconds until something is due, or a webhook has rested. */
  #pauseUntil(due: readonly number[]): number {
    const now = Date.now();
    const rests = [...this.#resting.values()].map(({ until }) => until);
    const times = [...due, ...rests].filter((time) => time > now);
    return Math.max(SHORTEST_LOOK, Math.min(LOOK, ...times.map((time) => time - now)));
  }

  async #begin(webhook: Webhook, now: number): Promise<void> {
    const rest = this.#resting.get(webhook.id);
    if (rest && rest.until > now) return;
    const isUnderWay = [...this.#underWay.values()].filter((one) => one.webhook === webhook.id).length;
    const places = (rest ? 1 : AT_ONCE) - isUnderWay;
    if (places <= 0) return;
    const free = await this.#states.run(() => this.#free(webhook.id, now, places));
    for (const delivery of free) {
      const done = this.#attempt(webhook, delivery).finally(() => {
        this.#underWay.delete(delivery.id);
        this.call();
      });
      this.#underWay.set(delivery.id, { webhook: webhook.id, done });
    }
  }

  /** So many deliveries that may be sent. Those that are due behind others of their documents wait for these. */
  async #free(webhook: number, now: number, places: number): Promise<Delivery[]> {
    const { database } = this.#parts;
    for (let page = 0; ; page++) {
      const { free, behind, isLast } = await duePage(database, webhook, now);
      if (behind.length > 0) await database.transaction((tx) => putBehind(tx, behind));
      const ids = free.filter((id) => !this.#underWay.has(id)).slice(0, places);
      if (ids.length < places && behind.length > 0 && !isLast && page < MOST_PAGES) continue;
      return ids.length === 0 ? [] : deliveriesOf(database, ids);
    }
  }

  async #attempt(webhook: Webhook, delivery: Delivery): Promise<void> {
    try {
      const made = delivery.body === undefined ? await this.#bodyOf(delivery) : { body: delivery.body };
      const triedAt = Date.now();
      const { body } = made;
      const message = { id: `${webhook.id}-${delivery.id}-${delivery.changedAt}`, event: delivery.event };
      const sent =
        body === undefined
          ? { ok: false, status: undefined, answer: made.failure, milliseconds: 0 }
          : await send(webhook, { ...message, body }, this.#parts.config, this.#end.signal);
      // what was cut off by the end is not told as a failure
      if (!sent.ok && this.#end.signal.aborted) return;
      // a webhook is not to blame for what it was not sent
      if (body !== undefined) this.#note(webhook, sent.ok);
      await this.#written(webhook, delivery, { ...sent, body, triedAt });
    } catch (error) {
      // it is still written down as waiting
      this.#note(webhook, false);
      this.#tell(webhook, 'a delivery could not be noted', error);
    }
  }

  /** Writes down what an attempt came to. */
  async #written(
    webhook: Webhook,
    delivery: Delivery,
    { ok, status, answer, ...sent }: Sent & Pick<Attempt, 'body' | 'triedAt'>,
  ): Promise<void> {
    const pause = PAUSES[delivery.attempts];
    const state = ok ? 'sent' : pause === undefined ? 'failed' : 'waiting';
    const nextAt = Date.now() + Math.round((pause ?? 0) * (1 + CHANCE * Math.random()));
    const attempts = delivery.attempts + 1;
    const attempt: Attempt = { ...sent, state, attempts, nextAt, answer, answerStatus: status };
    await this.#states.run(() => this.#parts.database.transaction((tx) => noteAttempt(tx, delivery, attempt)));
    if (state === 'failed') {
      this.#tell(webhook, `a delivery was given up after ${attempts} attempts: ${status ?? firstLine(answer)}`);
    }
  }

  /** The body of a change that was not made with it, or why it cannot be made now. What is gone is told by what names it. */
  async #bodyOf(delivery: Delivery): Promise<{ body: string } | { body?: undefined; failure: string }> {
    const { entries: current, config } = this.#parts;
    const entries = current();
    if (!entries) return { failure: 'no project is in place' };
    const { event, uid, changedAt: at } = delivery;
    try {
      const found = await entries.read(delivery, config.populateRelations ? 'all' : 'without relations');
      const entry = found ?? { json: nameOf(delivery), isShortened: false };
      return { body: bodyOf(entries, { event, at, uid, entry }) };
    } catch (error) {
      const reason = error instanceof ContentError ? `: ${error.message}` : '';
      return { failure: `the entry could not be read${reason}` };
    }
  }

  /** Has a webhook that fails rest, and one that answers go on. */
  #note({ id }: Webhook, ok: boolean): void {
    if (ok) {
      this.#resting.delete(id);
      return;
    }
    const pause = Math.min(LONGEST_REST, (this.#resting.get(id)?.pause ?? FIRST_REST / 2) * 2);
    this.#resting.set(id, { until: Date.now() + pause, pause });
  }

  async #tidy(): Promise<void> {
    if (Date.now() - this.#tidied < TIDYING) return;
    this.#tidied = Date.now();
    const givenUp = await this.#states.run(() => tidyDeliveries(this.#parts.database));
    if (givenUp > 0) this.#parts.log(`warning: webhooks: ${givenUp} deliveries were given up: too many were waiting`);
  }

  #tell({ id, name }: Webhook, what: string, error?: unknown): void {
    this.#parts.log(`warning: webhook ${id} ${JSON.stringify(name)}: ${what}`, error);
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;

// MERGED lease.ts: What one process of many does: whoever has the lease, until it gives it back or no longer renews it.

/** Milliseconds that a lease is good for, and after which it is renewed. Clocks may differ by what is in between. */
const GOOD = 15_000;
const RENEWED = 5_000;

export class NamedLease {
  readonly #database: Database;
  readonly #name: string;
  readonly #owner = randomBytes(12).toString('hex');
  #until = 0;
  #renewAt = 0;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Whether it has the lease for another moment. */
  get isHeld(): boolean {
    return Date.now() < this.#until - RENEWED;
  }

  /** Takes the lease or keeps it. Gives whether this process has it. */
  async hold(): Promise<boolean> {
    const now = Date.now();
    if (now < this.#renewAt) return true;
    // a process that waits for its turn does not write
    if (
      this.#until <= now &&
      (await query(this.#database, compileNamedLeaseTaken(), [this.#name, this.#owner, now])).length
    )
      return false;
    const values = [this.#name, this.#owner, now + GOOD, this.#owner, now];
    const rows = await this.#database.transaction((tx) => execute(tx, compileTakeNamedLease(), values));
    this.#until = rows.length > 0 ? now + GOOD : 0;
    this.#renewAt = rows.length > 0 ? now + RENEWED : 0;
    return rows.length > 0;
  }

  /** Gives it back, so that another process need not wait for its end. */
  async end(): Promise<void> {
    if (this.#until === 0) return;
    this.#until = 0;
    this.#renewAt = 0;
    await this.#database.transaction((tx) => execute(tx, compileEndNamedLease(), [this.#name, this.#owner]));
  }
}
