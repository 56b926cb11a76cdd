/**
 * What those who listen may see, as it is now. Nothing is told while it may have changed and has not been looked up:
 * changes of this process count at once, those of others when the database tells of them or within a moment.
 */
import type { Database } from '../db/interface/database.ts';
import { ContentError } from '../errors.ts';
import type { Caller, KnownCallers } from '../users/sessions/callers.ts';
import type { Throttle } from './throttle.ts';

/** A listener with what lets it in. */
export interface Admitted {
  readonly authorization: string | undefined;
  /** Epoch milliseconds after which its credentials no longer count; null: never. */
  readonly expiresAt: number | null;
}

interface Parts<L extends Admitted> {
  readonly database: Pick<Database, 'generation'>;
  readonly callers: Pick<KnownCallers, 'identify' | 'epoch'>;
  readonly throttle: Throttle;
  readonly listeners: ReadonlySet<L>;
  /** Takes down what a listener may see; undefined: its credentials are refused. */
  readonly found: (listener: L, caller: Caller | undefined) => void;
}

/** Milliseconds between two looks for what other processes have changed: at least, and for each set of credentials. */
const LOOK = 1000;
const LOOK_EACH = 5;
/** Credentials that are looked up at once. */
const AT_ONCE = 20;

export class Rights<L extends Admitted> {
  readonly #parts: Parts<L>;
  /** When they were last looked up, and the state of callers and of the database that they are of. */
  #looked = 0;
  #epoch = -1;
  #generation = Number.NaN;
  /** How many different credentials there were. */
  #credentials = 0;
  /** When the first ones expire. */
  #expiry = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(parts: Parts<L>) {
    this.#parts = parts;
  }

  /** Whether what is known is as it is now. */
  get areCurrent(): boolean {
    const { callers, database } = this.#parts;
    const now = Date.now();
    if (callers.epoch !== this.#epoch || now >= this.#expiry) return false;
    if (now - this.#looked < Math.max(LOOK, this.#credentials * LOOK_EACH)) return true;
    try {
      return database.generation() === this.#generation;
    } catch {
      // a database that is away may have changed
      return false;
    }
  }

  /** Looks them up unless they are current. Gives whether they are then: while the database is away they are not. */
  async settle(): Promise<boolean> {
    if (this.areCurrent) return true;
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
    return this.areCurrent;
  }

  /** The caller of credentials, as it is when this resolves. */
  async identify(authorization: string | undefined): Promise<Caller> {
    const { callers } = this.#parts;
    for (;;) {
      const { epoch } = callers;
      const caller = await callers.identify(authorization);
      if (epoch === callers.epoch) return caller;
    }
  }

  /** Takes down when credentials of a listener who has just come expire. */
  expireAt(time: number | null): void {
    this.#expiry = Math.min(this.#expiry, time ?? Number.POSITIVE_INFINITY);
  }

  async #look(): Promise<void> {
    const { database, callers, throttle, listeners } = this.#parts;
    try {
      const { epoch } = callers;
      const generation = database.generation();
      const looked = Date.now();
      const all = [...Map.groupBy(listeners, ({ authorization }) => authorization)];
      let areKnown = true;
      for (let first = 0; first < all.length; first += AT_ONCE) {
        await throttle.turn();
        const began = performance.now();
        const some = all.slice(first, first + AT_ONCE);
        const known = await Promise.all(some.map(([own, of]) => this.#lookUp(own, of)));
        areKnown &&= known.every(Boolean);
        throttle.worked(performance.now() - began);
      }
      if (!areKnown) return;
      this.#credentials = all.length;
      this.#expiry = Number.POSITIVE_INFINITY;
      for (const { expiresAt } of listeners) this.expireAt(expiresAt);
      this.#looked = looked;
      this.#generation = generation;
      this.#epoch = epoch;
    } catch {
      // the database is away: whoever waits for this asks again
    }
  }

  /** Gives whether they could be looked up. */
  async #lookUp(authorization: string | undefined, listeners: readonly L[]): Promise<boolean> {
    let caller: Caller | undefined;
    try {
      caller = await this.identify(authorization);
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) return false;
    }
    for (const listener of listeners) this.#parts.found(listener, caller);
    return true;
  }
}
