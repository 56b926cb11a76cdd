/**
 * Fair turns at a scarce resource, such as connections or reader processes. Callers are served in rotation, each with
 * its oldest request first, so that a caller with one request does not wait behind a hundred of another. No caller, and
 * no table that another session may have locked, occupies every place at once. A request that would wait too long is
 * refused early. Libraries that limit concurrency (p-queue, fastq) have one queue for all callers.
 */
import { unavailable } from '../../errors.ts';
import { currentAccount } from '../interface/account.ts';

export interface TurnsOptions {
  /** The number of simultaneous turns. */
  readonly places: number;
  /** The most of them that one caller has. */
  readonly share: number;
  /** The most of them that read one table; all of them if left out. */
  readonly tableShare?: number;
  /** The most waiting requests of one caller. */
  readonly waitingEach: number;
  /** The most waiting requests of all callers. */
  readonly waiting: number;
  /** The longest wait, in milliseconds. */
  readonly patience: number;
}

/**
 * Milliseconds until a request that would wait too long is refused. Clients that repeat refused requests at once, on
 * many connections, would otherwise keep the server busy with refusals.
 */
const REFUSAL_DELAY = 500;
/** The weight of a new measurement in the expected time of a turn. */
const SHARE = 0.2;

interface Waiter {
  readonly table: string | undefined;
  readonly timer: NodeJS.Timeout;
  readonly begin: (end: () => void) => void;
  readonly refuse: () => void;
}

/** A caller that has a turn or waits for one. */
interface Caller {
  readonly key: string;
  /** The sequence number of its last turn, or of its arrival. */
  last: number;
  taken: number;
  readonly waiters: Waiter[];
  /** The number of its requests that are about to be refused. */
  refused: number;
  /** The expected milliseconds of one of its turns. */
  expected: number;
}

export class Turns {
  readonly #options: TurnsOptions;
  /**
   * Entries keep their place in the map. Deleting and inserting them at every turn would make the map grow again and
   * again, and each outgrown table of a map refers to the next, so old entries would be kept until a full garbage
   * collection.
   */
  readonly #callers = new Map<string, Caller>();
  #sequence = 0;
  readonly #tables = new Map<string, number>();
  #taken = 0;
  #waiting = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The number of turns taken, and of requests that wait. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting };
  }

  /**
   * Waits for a turn of the current account's caller, and runs `work` in it.
   *
   * @param table the table that `work` reads, if it is a single one: another session may have locked it, and a request
   * that waits for it occupies a place.
   * @throws ContentError 503 if too many requests wait, or the turn does not come in time; also any error of `work`.
   */
  async run<T>(table: string | undefined, work: () => T | Promise<T>): Promise<T> {
    const caller = this.#caller(currentAccount());
    const end = this.#isFree(caller, table) ? this.#begin(caller, table) : await this.#wait(caller, table);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #caller(key: string): Caller {
    let caller = this.#callers.get(key);
    if (!caller) {
      caller = { key, last: this.#sequence++, taken: 0, waiters: [], refused: 0, expected: 0 };
      this.#callers.set(key, caller);
    }
    return caller;
  }

  #isFree({ taken }: Caller, table: string | undefined): boolean {
    const { places, share, tableShare = places } = this.#options;
    if (this.#taken >= places || taken >= share) return false;
    return table === undefined || (this.#tables.get(table) ?? 0) < tableShare;
  }

  #begin(caller: Caller, table: string | undefined): () => void {
    const started = performance.now();
    caller.last = this.#sequence++;
    this.#count(caller, table, 1);
    return () => {
      const milliseconds = performance.now() - started;
      caller.expected += (milliseconds - caller.expected) * (caller.expected === 0 ? 1 : SHARE);
      this.#count(caller, table, -1);
      this.#next();
      this.#forget(caller);
    };
  }

  #count(caller: Caller, table: string | undefined, by: 1 | -1): void {
    this.#taken += by;
    caller.taken += by;
    if (table === undefined) return;
    this.#tables.set(table, (this.#tables.get(table) ?? 0) + by);
  }

  #wait(caller: Caller, table: string | undefined): Promise<() => void> {
    const { waiting, waitingEach, patience } = this.#options;
    if (caller.waiters.length + caller.refused >= waitingEach) return Promise.reject(busy());
    if (this.#expectedWait(caller) > patience) return this.#refuse(caller);
    if (this.#waiting >= waiting && !this.#makeRoom(caller)) {
      this.#forget(caller);
      return Promise.reject(busy());
    }
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        this.#leave(caller, waiter);
        this.#forget(caller);
        reject(busy());
      };
      const timer = setTimeout(refuse, patience).unref();
      const waiter: Waiter = { table, timer, begin: resolve, refuse };
      caller.waiters.push(waiter);
      this.#waiting++;
    });
  }

  /** Refuses the newest request of the caller with the most waiting requests, in favour of a caller with fewer. */
  #makeRoom({ waiters }: Caller): boolean {
    let most: Caller | undefined;
    for (const caller of this.#callers.values()) {
      if (caller.waiters.length > (most?.waiters.length ?? waiters.length + 1)) most = caller;
    }
    most?.waiters.at(-1)?.refuse();
    return most !== undefined;
  }

  /** The expected milliseconds until a caller's next request has its turn, estimated from its own requests. */
  #expectedWait({ waiters, expected }: Caller): number {
    const { places, share } = this.#options;
    const served = Math.max(1, Math.min(share, places / this.#callers.size));
    return (waiters.length * expected) / served;
  }

  #refuse(caller: Caller): Promise<never> {
    caller.refused++;
    return new Promise((_resolve, reject) => {
      setTimeout(() => {
        caller.refused--;
        this.#forget(caller);
        reject(busy());
      }, REFUSAL_DELAY);
    });
  }

  #leave({ waiters }: Caller, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    waiters.splice(waiters.indexOf(waiter), 1);
    this.#waiting--;
  }

  #forget({ key, taken, waiters, refused }: Caller): void {
    if (taken === 0 && waiters.length === 0 && refused === 0) this.#callers.delete(key);
  }

  /** Gives free places to waiting callers, the one with the longest time since its last turn first. */
  #next(): void {
    while (this.#taken < this.#options.places) {
      let next: { readonly caller: Caller; readonly waiter: Waiter } | undefined;
      for (const caller of this.#callers.values()) {
        if (next && caller.last > next.caller.last) continue;
        // a request behind one whose table has no place may go first
        const waiter = caller.waiters.find(({ table }) => this.#isFree(caller, table));
        if (waiter) next = { caller, waiter };
      }
      if (!next) return;
      const { caller, waiter } = next;
      this.#leave(caller, waiter);
      waiter.begin(this.#begin(caller, waiter.table));
    }
  }
}

const busy = () => unavailable('The server is busy with other requests');
