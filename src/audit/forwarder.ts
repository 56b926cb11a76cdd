/**
 * Sends the log of actions to a webhook and to a syslog server. The log itself is the queue, so nothing waits anywhere
 * else: a target has a position in the log, and of several processes the one with the lease sends what follows it. A
 * batch that may have arrived is sent again, so targets may receive an entry twice, with the same id.
 */
import { onAccount } from '../db/interface/account.ts';
import { SERVER } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';
import { NamedLease } from '../db/interface/named-lease.ts';
import { writersOf } from '../events/change-log.ts';
import { Sleeper } from '../sleep.ts';
import type { Entry } from './entry.ts';
import { entriesOf, forwardedTo, lastEntry, noteForwarded } from './stored-entries.ts';

/** Entries of one batch. */
const BATCH = 100;
/** Milliseconds between two rounds: while entries wait for other transactions, and otherwise. */
const SHORT_WAIT = 100;
const WAIT = 2000;
/** Milliseconds that a target which failed is left alone: the first time, and the longest. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds to finish when the server stops. */
const PATIENCE = 2000;

/** A receiver of entries. */
export interface Target {
  /** `webhook https://…`: another address is another target, which begins at the end of the log. */
  readonly name: string;
  /** @throws Error if the entries may not have arrived. */
  send(entries: readonly Entry[], signal: AbortSignal): Promise<void>;
  close(): void;
}

interface ForwarderContext {
  readonly database: Database;
  readonly targets: readonly Target[];
  readonly log: (line: string, error?: unknown) => void;
}

/** A target with its state in this process. */
interface ForwardedTarget {
  readonly target: Target;
  position: number | undefined;
  pause: number;
  until: number;
}

/** An end of the log after which all earlier entries are known, once the transactions before a number are over. */
interface Horizon {
  readonly last: number;
  readonly begun: number;
}

export class Forwarder {
  readonly #context: ForwarderContext;
  readonly #lease: NamedLease;
  readonly #targets: readonly ForwardedTarget[];
  readonly #sleeper = new Sleeper();
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  #isCalled = false;
  #horizon: Horizon | undefined;
  #settled = 0;

  constructor(context: ForwarderContext) {
    this.#context = context;
    this.#lease = new NamedLease(context.database, 'audit');
    this.#targets = context.targets.map((target) => ({ target, position: undefined, pause: 0, until: 0 }));
  }

  /** Begins the log of new targets at its present end. */
  async begin(): Promise<void> {
    for (const { target } of this.#targets) await this.#positionOf(target);
  }

  start(): void {
    this.#running ??= onAccount({ key: 'audit', actor: SERVER }, () => this.#run());
  }

  /** Starts a round at once. */
  call(): void {
    this.#isCalled = true;
    this.#sleeper.wake();
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#end.abort(), PATIENCE);
    this.#isClosing = true;
    this.#sleeper.wake();
    await this.#running;
    clearTimeout(timer);
    for (const { target } of this.#targets) target.close();
    await this.#lease.end().catch(() => undefined);
  }

  #isClosing = false;

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#isCalled = false;
      let wait = WAIT;
      try {
        wait = await this.#round();
      } catch {
        // the database is unavailable: the next round tries again
        this.#forget();
      }
      if (!this.#isCalled && !this.#isClosing) await this.#sleeper.sleep(wait);
    }
  }

  /** Sends what is there. Returns the milliseconds until the next round. */
  async #round(): Promise<number> {
    if (!(await this.#lease.hold())) {
      // the process that has the lease moves the positions
      this.#forget();
      return WAIT;
    }
    const isSettled = await this.#settle();
    const waits = await Promise.all(this.#targets.map((one) => this.#feed(one)));
    return Math.min(isSettled ? WAIT : SHORT_WAIT, ...waits);
  }

  #forget(): void {
    for (const one of this.#targets) one.position = undefined;
  }

  /**
   * Finds up to which id the log is complete: where transactions may commit in another order than they drew their ids, an
   * entry may still appear before a later one. Returns whether that is the end of the log.
   */
  async #settle(): Promise<boolean> {
    const { database } = this.#context;
    const over = await writersOf(database, 'over');
    if (this.#horizon && (over ?? 0) >= this.#horizon.begun) {
      this.#settled = this.#horizon.last;
      this.#horizon = undefined;
    }
    const last = await lastEntry(database);
    if (over === undefined) this.#settled = last;
    // later transactions draw greater ids
    else if (last > this.#settled) this.#horizon ??= { last, begun: (await writersOf(database, 'begun'))! };
    return this.#settled >= last;
  }

  /** Sends the next entries to a target. Returns the milliseconds until it can receive more. */
  async #feed(one: ForwardedTarget): Promise<number> {
    const { database, log } = this.#context;
    const { target } = one;
    one.position ??= await this.#positionOf(target);
    while (one.position < this.#settled && !this.#isClosing && this.#lease.isHeld) {
      const now = Date.now();
      if (now < one.until) return one.until - now;
      const { entries } = await entriesOf(database, {}, { order: 'oldest first', after: one.position, most: BATCH });
      const batch = entries.filter(({ id }) => id <= this.#settled);
      try {
        if (batch.length > 0) await target.send(batch, this.#end.signal);
      } catch (error) {
        if (this.#end.signal.aborted) return WAIT;
        const reason = error instanceof Error ? error.message : String(error);
        if (one.pause === 0)
          log(`warning: the log of actions does not reach ${target.name}, and is sent later: ${reason}`);
        one.pause = Math.min(LONGEST_PAUSE, one.pause * 2 || FIRST_PAUSE);
        one.until = Date.now() + one.pause;
        return one.pause;
      }
      if (one.pause > 0) log(`warning: the log of actions reaches ${target.name} again`);
      one.pause = 0;
      const position = batch.at(-1)?.id ?? this.#settled;
      await database.transaction((tx) => noteForwarded(tx, target.name, position));
      one.position = position;
    }
    return WAIT;
  }

  /** A new target receives what happens from now on. */
  async #positionOf({ name }: Target): Promise<number> {
    const { database } = this.#context;
    const stored = await forwardedTo(database, name);
    if (stored !== undefined) return stored;
    const position = await lastEntry(database);
    await database.transaction((tx) => noteForwarded(tx, name, position));
    return position;
  }
}
