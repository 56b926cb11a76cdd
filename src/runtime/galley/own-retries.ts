/**
 * Reliable calls of `afterCommit` hooks: each call is recorded in the transaction of its changes, and removed once a
 * process has made it. A failed call is repeated with growing delays.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/interface/database.ts';
import { deleteRows, insertRow, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { changeSetting } from '../jobs/turns.ts';
import type { ToldChange } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';

/** A call as it is written down. Times are epoch milliseconds. */
interface Call {
  /** Whose hook it is: a uid or `*`. */
  readonly hook: string;
  readonly changes: readonly ToldChange[];
  /** How often it was tried. */
  readonly tries: number;
  /** The time of the next try: after a failure, or while another process makes the call. */
  readonly next: number;
}

/** Markers of the rows of calls among settings, and of unreadable ones, which stay for an operator. */
const KIND = 'galley_hook';
const UNREADABLE = 'galley_hook_unreadable';
/** How often a call is tried: for the last time after some two hours. */
const TRIES = 10;
const FIRST_PAUSE = 10_000;
/** Milliseconds that a call may take before it counts as failed. */
const LONGEST = 60_000;
/** Milliseconds for which a process that says nothing more is taken to make a call. */
const LEASE = LONGEST + 30_000;
/** The interval of the search for calls of other processes, or that are due again. */
const ROUND = 10_000;

export class OwnRetries {
  readonly #own: OwnCode;
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();
  /** Whether a round is to begin behind the one that is under way. */
  #isAsked = false;

  constructor(own: OwnCode, database: Database) {
    this.#own = own;
    this.#database = database;
  }

  /** Whether a hook's calls are written down. */
  has(hook: string): boolean {
    return typeof this.#own.definition.hooks.get(hook)?.afterCommit === 'object';
  }

  start(): void {
    this.#timer = setInterval(() => this.make(), ROUND).unref();
    this.make();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Writes a call down. */
  async note(tx: Transaction, hook: string, changes: readonly ToldChange[]): Promise<void> {
    const value = JSON.stringify({ hook, changes, tries: 0, next: 0 } satisfies Call);
    const key = `${KIND}_${randomUUID()}`;
    await insertRow(tx, CORE_STORE_TABLE, { key, value, type: KIND, environment: null, tag: null });
  }

  /** Makes the calls that are due, behind those that it is making. */
  make(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#round = this.#round.then(() => {
      this.#isAsked = false;
      return this.#own.runAlone('calls of afterCommit', () => this.#makeAll());
    });
  }

  async #makeAll(): Promise<void> {
    const columns = ['key', 'value'];
    for (const [key, value] of await selectRows(this.#database, CORE_STORE_TABLE, columns, { type: KIND }, ['id'])) {
      const written = callOf(String(value));
      if (!written) await this.#setAside(String(key));
      // calls that are not due cost no transaction: there may be many during an outage
      if (!written || !this.#isDue(written)) continue;
      const call = await this.#claim(String(key));
      if (call) await this.#try(String(key), call);
    }
  }

  /** Has a row that cannot be read be looked at no more. It stays, under another type. */
  async #setAside(key: string): Promise<void> {
    await this.#database.transaction((tx) => updateRows(tx, CORE_STORE_TABLE, { type: UNREADABLE }, { key }));
    this.#own.tools.log.warn(`a call of afterCommit cannot be read and is skipped: ${key} in ${CORE_STORE_TABLE}`);
  }

  #isDue({ next, hook }: Call): boolean {
    return next <= Date.now() && this.has(hook);
  }

  /** The call, if it is due and no other process is making it. */
  async #claim(key: string): Promise<Call | undefined> {
    let claimed: Call | undefined;
    await changeSetting(this.#database, { key, type: KIND }, (value) => {
      const call = value === undefined ? undefined : callOf(value);
      claimed = call && this.#isDue(call) ? { ...call, tries: call.tries + 1, next: Date.now() + LEASE } : undefined;
      return claimed && JSON.stringify(claimed);
    });
    return claimed;
  }

  async #try(key: string, call: Call): Promise<void> {
    const { afterCommit } = this.#own.definition.hooks.get(call.hook) ?? {};
    if (typeof afterCommit !== 'object') return;
    const { tries, changes } = call;
    const purpose = `afterCommit of ${call.hook}, try ${tries} of ${TRIES}`;
    const { failed } = await this.#own.runAlone(purpose, () =>
      inTime(() => afterCommit.run({ ...this.#own.tools, changes })),
    );
    await this.#database.transaction(async (tx) => {
      if (failed === undefined || tries >= TRIES) return deleteRows(tx, CORE_STORE_TABLE, { key });
      const next = Date.now() + FIRST_PAUSE * 2 ** (tries - 1);
      return updateRows(tx, CORE_STORE_TABLE, { value: JSON.stringify({ ...call, next }) }, { key });
    });
  }
}

/** A recorded call; undefined for an invalid one. */
function callOf(value: string): Call | undefined {
  try {
    const call = JSON.parse(value) as Partial<Record<keyof Call, unknown>> | null;
    const { hook, changes, tries, next } = call ?? {};
    const isCall =
      typeof hook === 'string' && Array.isArray(changes) && Number.isFinite(tries) && Number.isFinite(next);
    return isCall ? (call as Call) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for work that takes too long, which continues without an await. */
async function inTime(work: () => unknown): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it took longer than ${LONGEST / 1000} seconds`)), LONGEST).unref();
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
