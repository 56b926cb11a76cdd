/**
 * Keeps the rights of listeners up to date. No change is sent while rights may have changed and were not looked up again:
 * changes by this process count at once, those by others within a moment or when the database reports them.
 */
import type { Database } from '../db/interface/database.ts';
import { ContentError } from '../errors.ts';
import type { Caller, KnownCallers } from '../users/sessions/callers.ts';
import type { Throttle } from './throttle.ts';

/** A listener's credentials. */
export interface Admitted {
  readonly authorization: string | undefined;
  /** Epoch milliseconds after which its credentials no longer count; null: never. */
  readonly expiresAt: number | null;
}

interface RightsContext<L extends Admitted> {
  readonly database: Pick<Database, 'generation'>;
  readonly callers: Pick<KnownCallers, 'identify' | 'epoch'>;
  readonly throttle: Throttle;
  readonly listeners: ReadonlySet<L>;
  /** Sets what a listener may see; the caller is undefined if the credentials were refused. */
  readonly update: (listener: L, caller: Caller | undefined) => void;
}

/** Milliseconds between two checks for changes by other processes: the minimum, and the share of each set of credentials. */
const CHECK = 1000;
const CHECK_EACH = 5;
/** Credentials that are looked up at once. */
const AT_ONCE = 20;

export class Rights<L extends Admitted> {
  readonly #context: RightsContext<L>;
  /** When the rights were last looked up, and the state of callers and database that they belong to. */
  #checkedAt = 0;
  #epoch = -1;
  #generation = Number.NaN;
  /** The number of different credentials. */
  #credentials = 0;
  /** When the first credentials expire. */
  #expiry = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(context: RightsContext<L>) {
    this.#context = context;
  }

  /** Whether the rights are up to date. */
  get areCurrent(): boolean {
    const { callers, database } = this.#context;
    const now = Date.now();
    if (callers.epoch !== this.#epoch || now >= this.#expiry) return false;
    if (now - this.#checkedAt < Math.max(CHECK, this.#credentials * CHECK_EACH)) return true;
    try {
      return database.generation() === this.#generation;
    } catch {
      // a database that does not answer may have changed
      return false;
    }
  }

  /** Looks the rights up unless they are current. Returns whether they are now: not while the database is unavailable. */
  async refresh(): Promise<boolean> {
    if (this.areCurrent) return true;
    this.#running ??= this.#lookUpAll().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
    return this.areCurrent;
  }

  /** The caller of credentials, current when the promise resolves. */
  async identify(authorization: string | undefined): Promise<Caller> {
    const { callers } = this.#context;
    for (;;) {
      const { epoch } = callers;
      const caller = await callers.identify(authorization);
      if (epoch === callers.epoch) return caller;
    }
  }

  /** Notes when the credentials of a new listener expire. */
  expireAt(time: number | null): void {
    this.#expiry = Math.min(this.#expiry, time ?? Number.POSITIVE_INFINITY);
  }

  async #lookUpAll(): Promise<void> {
    const { database, callers, throttle, listeners } = this.#context;
    try {
      const { epoch } = callers;
      const generation = database.generation();
      const checkedAt = Date.now();
      const all = [...Map.groupBy(listeners, ({ authorization }) => authorization)];
      let isComplete = true;
      for (let first = 0; first < all.length; first += AT_ONCE) {
        await throttle.turn();
        const began = performance.now();
        const some = all.slice(first, first + AT_ONCE);
        const results = await Promise.all(some.map(([own, of]) => this.#lookUp(own, of)));
        isComplete &&= results.every(Boolean);
        throttle.worked(performance.now() - began);
      }
      if (!isComplete) return;
      this.#credentials = all.length;
      this.#expiry = Number.POSITIVE_INFINITY;
      for (const { expiresAt } of listeners) this.expireAt(expiresAt);
      this.#checkedAt = checkedAt;
      this.#generation = generation;
      this.#epoch = epoch;
    } catch {
      // the database is unavailable: the rights stay out of date
    }
  }

  /** Returns whether the lookup succeeded. */
  async #lookUp(authorization: string | undefined, listeners: readonly L[]): Promise<boolean> {
    let caller: Caller | undefined;
    try {
      caller = await this.identify(authorization);
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) return false;
    }
    for (const listener of listeners) this.#context.update(listener, caller);
    return true;
  }
}
