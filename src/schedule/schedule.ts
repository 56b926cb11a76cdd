/**
 * Does scheduled work when it is due, exactly once with any number of processes. A process claims one item for a moment.
 * It then does the work in one transaction, which ends the item first: that fails if another process has the claim by
 * now. Others leave the item alone as long as that transaction lasts. Work that fails is rolled back, and another
 * transaction stores the reason, whether or not the claim has run out; it is done again by hand only. If a process ends
 * in between, its claim runs out and another process does the work.
 */
import { randomBytes } from 'node:crypto';
import { onAccount, onAccountOf } from '../db/interface/account.ts';
import type { Database } from '../db/interface/database.ts';
import { executeInPieces } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, cut } from '../errors.ts';
import type { JsonObject } from '../plain-values.ts';
import { shownFailures } from '../reasons.ts';
import { compileForgetItems } from '../sql/schedule.ts';
import type { Clock } from './clock.ts';
import {
  claimItem,
  endItem,
  failItem,
  nextTime,
  putOffItem,
  recordItemAction,
  type ScheduledItem,
  setItemState,
} from './items.ts';

/** What a kind of work consists of. */
export interface DueWork {
  /**
   * Begins with an item, on the account of the actor that has scheduled it, with what needs no transaction: the rights
   * of the actor are checked here, since they may have been withdrawn.
   *
   * @throws ContentError for a failure, which is stored with its message and details; 503 has it tried again.
   */
  begin(item: ScheduledItem): Promise<BegunWork>;
  /** Called in the transaction that stores a failure, and after its commit. */
  failed?(tx: Transaction, item: ScheduledItem, failure: Failure): Promise<(() => void) | undefined>;
}

export interface BegunWork {
  /**
   * Does the work in a transaction that ends the item, on the account of the actor.
   *
   * @returns a note if the subject does not exist any more, so that there is nothing to do.
   * @throws ContentError as `begin`.
   */
  readonly run: (tx: Transaction) => Promise<Gone | undefined>;
  /**
   * Whether it runs project code, whose effects may be irreversible: a conflict with another transaction then ends the
   * attempt.
   */
  readonly once?: boolean;
}

/** Nothing was left to do. */
export interface Gone {
  readonly gone: JsonObject;
}

/** Why work has failed, without anything internal. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  /** The failures of values, each with its path and, for the administration's app, its reason. */
  readonly errors?: readonly unknown[];
  /** The reason for the administration's app. */
  readonly reason?: JsonObject;
  /** Whether the server is at fault, so that its log has the error. */
  readonly isInternal?: true;
}

interface ScheduleContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: (line: string, error?: unknown) => void;
}

/** Milliseconds for which a claim is valid: until the work has begun. */
const CLAIM = 5000;
/** Milliseconds until the next look for due work that other processes are doing. */
const BUSY = 500;
/** Milliseconds after which the time of the next item is read again, whatever happens. */
const LOOK_AGAIN = 30_000;
/** Milliseconds between two looks for commits of other processes, where that takes no statement. */
const LOOK = 250;
/** Milliseconds until the next attempt if the database is unavailable. */
const UNAVAILABLE = 500;
/** Attempts at work that gets no turn, and the pause after the first, which doubles. */
const ATTEMPTS = 10;
const PAUSE = 250;
/** Milliseconds for which ended work is stored, and between two removals. */
export const KEPT = 90 * 24 * 60 * 60_000;
const TIDYING = 60 * 60_000;
const LONGEST_TIDYING = 2000;

export class Schedule {
  readonly #context: ScheduleContext;
  readonly #owner = randomBytes(12).toString('hex');
  #works: ReadonlyMap<string, DueWork> = new Map();
  #isStarted = false;
  #isClosed = false;
  #isPaused = false;
  #isCalled = false;
  #running: Promise<void> | undefined;
  /** The work of one item. */
  #current: Promise<void> = Promise.resolve();
  #cancelTimer: () => void = () => {};
  #tidied = Number.NEGATIVE_INFINITY;
  #generation = Number.NaN;
  #poll: NodeJS.Timeout | undefined;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(context: ScheduleContext) {
    this.#context = context;
  }

  get clock(): Clock {
    return this.#context.clock;
  }

  /**
   * Sets what does the work of each kind; work of other kinds waits. Resolves when no work is done by others any more.
   */
  async serve(works: ReadonlyMap<string, DueWork>): Promise<void> {
    this.#works = works;
    this.call();
    await this.#current;
  }

  /** Begins no work until `resume`. Resolves when no work is being done. */
  pause(): Promise<void> {
    this.#isPaused = true;
    return this.#current;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.call();
  }

  /** Starts to do work that is due. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { database } = this.#context;
    this.#unsubscribe.push(database.subscribe({ afterCachedChange: () => this.call() }));
    if (database.bell) this.#unsubscribe.push(database.bell.onChange(() => this.call()));
    else this.#poll = setInterval(() => this.#lookForCommits(), LOOK).unref();
    this.call();
  }

  /** Stops. Work that has begun is finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    clearInterval(this.#poll);
    this.#cancelTimer();
    await this.#running;
  }

  /** Looks for due work at once. */
  call(): void {
    if (!this.#isStarted || this.#isClosed) return;
    this.#isCalled = true;
    this.#running ??= onAccountOf('schedule', () => this.#run());
  }

  #lookForCommits(): void {
    try {
      const generation = this.#context.database.generation();
      if (generation !== this.#generation) this.call();
      this.#generation = generation;
    } catch {
      // the database is unavailable: the next look tries again
    }
  }

  async #run(): Promise<void> {
    while (this.#isCalled && !this.#isClosed) {
      this.#isCalled = false;
      const next = await this.#round().catch(() => this.#now + UNAVAILABLE);
      this.#cancelTimer();
      if (!this.#isClosed) this.#cancelTimer = this.clock.at(next, () => this.call());
    }
    this.#running = undefined;
  }

  /** Does all work that is due. Returns the time of the next round. */
  async #round(): Promise<number> {
    const { database } = this.#context;
    const kinds = [...this.#works.keys()];
    while (kinds.length > 0 && !this.#isClosed && !this.#isPaused) {
      const next = await nextTime(database, kinds);
      if (next === undefined || next > this.#now) {
        await this.#tidy();
        return Math.min(next ?? Number.POSITIVE_INFINITY, this.#now + LOOK_AGAIN);
      }
      const [now, owner] = [this.#now, this.#owner];
      const item = await database.transaction((tx) => claimItem(tx, kinds, { owner, now, until: now + CLAIM }));
      if (!item) return Math.min((await nextTime(database, kinds, now)) ?? Number.POSITIVE_INFINITY, now + BUSY);
      this.#current = this.#perform(item);
      await this.#current;
    }
    return this.#now + LOOK_AGAIN;
  }

  get #now(): number {
    return this.clock.now();
  }

  async #perform(item: ScheduledItem): Promise<void> {
    if (this.#isClosed || this.#isPaused) return;
    const { database } = this.#context;
    const work = this.#works.get(item.kind);
    if (!work) return;
    const account = { key: 'schedule', actor: item.by };
    try {
      await onAccount(account, async () => {
        const { run, once = false } = await work.begin(item);
        await database.transaction((tx) => this.#workIn(tx, item, run), { once });
      });
    } catch (error) {
      await this.#fail(item, work, error);
    }
  }

  /** Does the work of an item and ends it, unless another process has claimed it. */
  async #workIn(tx: Transaction, item: ScheduledItem, run: BegunWork['run']): Promise<void> {
    if (!(await endItem(tx, item, this.#owner, this.#now))) return;
    // the state of the item may change behind the work
    tx.isShared = true;
    const outcome = await run(tx);
    if (outcome) await setItemState(tx, item.id, 'gone', outcome.gone);
  }

  /** Stores why work has failed, or puts it off if it got no turn. */
  async #fail(item: ScheduledItem, work: DueWork, error: unknown): Promise<void> {
    const { database, log } = this.#context;
    const isUnavailable = error instanceof ContentError && error.status === 503;
    if (isUnavailable && item.attempts < ATTEMPTS) {
      const until = this.#now + PAUSE * 2 ** item.attempts;
      await database.transaction((tx) => putOffItem(tx, item.id, this.#owner, until));
      return;
    }
    const failure = failureOf(error);
    const isStored = await database.transaction(async (tx) => {
      if (!(await failItem(tx, item, { ...failure }, this.#now))) return false;
      recordItemAction(tx, 'schedule.fail', item, item.by);
      const committed = await work.failed?.(tx, item, failure);
      if (committed) tx.afterCommit(committed);
      return true;
    });
    const subject = [item.contentType, item.target].filter((part) => part !== null).join(' ');
    const line = `warning: scheduled work ${item.id} (${item.kind} ${subject}) failed: ${failure.message}`;
    if (isStored) log(line, failure.isInternal ? error : undefined);
  }

  async #tidy(): Promise<void> {
    if (this.#now - this.#tidied < TIDYING) return;
    this.#tidied = this.#now;
    const end = Date.now() + LONGEST_TIDYING;
    await executeInPieces(this.#context.database, compileForgetItems(), [this.#now - KEPT], end);
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ContentError)) {
    return { name: 'InternalServerError', message: 'An internal error occurred', isInternal: true };
  }
  const { name, message, details, reason, status } = error;
  // a reader of the failure may not see the values
  const errors = shownFailures(details?.['errors']).map((one) => {
    const { value: _value, ...shown } = one as JsonObject;
    return shown;
  });
  return {
    name,
    message: cut(message, ContentError.messageLength),
    ...(errors.length > 0 ? { errors } : {}),
    ...(reason ? { reason: { ...reason } } : {}),
    ...(status >= 500 ? { isInternal: true as const } : {}),
  };
}
