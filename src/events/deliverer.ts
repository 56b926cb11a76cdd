/**
 * Sends webhooks what waits for them. One process of many does so, whichever has the lease. Of each document one
 * delivery at a time is under way, the oldest, so that what happened to it arrives in its order; what fails is tried
 * again, each time after a longer pause, for most of a day.
 */
import type { WebhooksConfig } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { type Delivery, dueDeliveries, nextDue, noteAttempt, tidyDeliveries } from './deliveries.ts';
import type { Entries } from './entries.ts';
import { NamedLease } from './lease.ts';
import { bodyOf } from './outbox.ts';
import { send } from './sender.ts';
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
/** Milliseconds that what is under way gets to end when the server does. */
const PATIENCE = 2 * SECOND;

interface Parts {
  readonly database: Database;
  readonly config: WebhooksConfig;
  readonly enabled: () => readonly Webhook[];
  readonly entries: () => Entries | undefined;
  readonly log: (line: string) => void;
}

/** A webhook that has failed. */
interface Rest {
  readonly until: number;
  readonly pause: number;
}

export class Deliverer {
  readonly #parts: Parts;
  readonly #lease: NamedLease;
  /** Deliveries under way by id, and whose document it is. */
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #resting = new Map<number, Rest>();
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  #wake = () => {};
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
    this.#wake();
  }

  /** Ends it: what is under way gets a moment, and is otherwise sent again by whoever comes next. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    const timer = setTimeout(() => this.#end.abort(), PATIENCE);
    await this.#running;
    await Promise.all(this.#underWay.values());
    clearTimeout(timer);
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
      if (!this.#isCalled && !this.#isClosed) await this.#sleep(pause);
    }
  }

  /** Begins what is due. Gives after how many milliseconds to look again. */
  async #round(): Promise<number> {
    const enabled = this.#parts.enabled();
    // whoever makes one calls
    if (enabled.length === 0) return STANDING_BY;
    if (!(await this.#lease.hold())) return STANDING_BY;
    await this.#tidy();
    for (const webhook of enabled) await this.#begin(webhook);
    const due = await nextDue(
      this.#parts.database,
      enabled.map(({ id }) => id),
    );
    return due === undefined ? STANDING_BY : this.#pauseUntil(due);
  }

  /** Milliseconds until something is due, or a webhook has rested. */
  #pauseUntil(due: number): number {
    const now = Date.now();
    const times = [due, ...[...this.#resting.values()].map(({ until }) => until)].filter((time) => time > now);
    return Math.max(SHORTEST_LOOK, Math.min(LOOK, ...times.map((time) => time - now)));
  }

  async #begin(webhook: Webhook): Promise<void> {
    const now = Date.now();
    const rest = this.#resting.get(webhook.id);
    if (rest && rest.until > now) return;
    // those under way are due as well, and so are those that ended while they were looked for
    const begun = new Set(this.#underWay.keys());
    const due = await dueDeliveries(this.#parts.database, webhook.id, now, AT_ONCE * 2);
    const isFree = ({ id }: Delivery) => !begun.has(id);
    const places = AT_ONCE - due.filter((delivery) => !isFree(delivery)).length;
    for (const delivery of due.filter(isFree).slice(0, rest ? 1 : Math.max(0, places))) {
      const done = this.#attempt(webhook, delivery).finally(() => {
        this.#underWay.delete(delivery.id);
        this.call();
      });
      this.#underWay.set(delivery.id, done);
    }
  }

  async #attempt(webhook: Webhook, delivery: Delivery): Promise<void> {
    const { database, config } = this.#parts;
    try {
      const body = delivery.body ?? (await this.#bodyOf(delivery));
      if (body === undefined) return;
      const message = { id: `${webhook.id}-${delivery.id}-${delivery.changedAt}`, event: delivery.event, body };
      const triedAt = Date.now();
      const { ok, status, answer, milliseconds } = await send(webhook, message, config, this.#end.signal);
      // what was cut off by the end is not told as a failure
      if (!ok && this.#end.signal.aborted) return;
      this.#note(webhook, ok);
      const pause = PAUSES[delivery.attempts];
      const state = ok ? 'sent' : pause === undefined ? 'failed' : 'waiting';
      const nextAt = Date.now() + Math.round((pause ?? 0) * (1 + CHANCE * Math.random()));
      const attempts = delivery.attempts + 1;
      await database.transaction((tx) =>
        noteAttempt(tx, delivery.id, {
          state,
          attempts,
          nextAt,
          triedAt,
          body,
          answerStatus: status,
          answer,
          milliseconds,
        }),
      );
      if (state === 'failed')
        this.#tell(webhook, `a delivery was given up after ${attempts} attempts: ${status ?? answer}`);
    } catch (error) {
      // it is still written down as waiting
      this.#note(webhook, false);
      this.#tell(webhook, `a delivery could not be made: ${(error as Error).message}`);
    }
  }

  /** The body of a change that was not made with it; undefined while no project is in place. */
  async #bodyOf(delivery: Delivery): Promise<string | undefined> {
    const { entries: current, config } = this.#parts;
    const entries = current();
    if (!entries) return undefined;
    const { event, uid, changedAt: at, documentId, locale, row } = delivery;
    const shown = config.populateRelations ? 'all' : 'without relations';
    // it may be gone by now
    const gone = () => JSON.stringify({ id: row, documentId, locale });
    const entry = (await entries.read(delivery, shown)) ?? gone();
    return bodyOf(entries, { event, at, uid, entry });
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
    const givenUp = await this.#parts.database.transaction(tidyDeliveries);
    if (givenUp > 0) this.#parts.log(`warning: webhooks: ${givenUp} deliveries were given up: too many were waiting`);
  }

  #tell({ id, name }: Webhook, what: string): void {
    this.#parts.log(`warning: webhook ${id} ${JSON.stringify(name)}: ${what}`);
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
