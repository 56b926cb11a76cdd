/**
 * Taking turns at a scarce resource: connections, reader processes. Callers are served in rotation, each its
 * oldest request first, so that a caller with one request does not wait behind a hundred of another. No caller, and no
 * table that somebody has locked, has every place at a time. What would wait too long is refused early. Libraries that
 * limit concurrency (p-queue, fastq) have one line for all callers.
 */
import { unavailable } from '../../errors.ts';
import { currentAccount } from './account.ts';

export interface TurnsOptions {
  /** How many have a turn at a time. */
  readonly places: number;
  /** How many of them one caller has at most. */
  readonly share: number;
  /** How many of them are for one table at most; all of them when left out. */
  readonly tableShare?: number;
  /** How many requests of one caller may wait. */
  readonly waitingEach: number;
  /** How many requests may wait in all. */
  readonly waiting: number;
  /** Milliseconds that one may wait. */
  readonly patience: number;
}

/**
 * Milliseconds until a request that would wait too long is refused. Clients that send it again at once, on many
 * connections, would keep the server busy with refusals.
 */
const REFUSAL_DELAY = 500;
/** The share of a new measurement in what a turn is expected to take. */
const SHARE = 0.2;

interface Waiter {
  readonly table: string | undefined;
  readonly timer: NodeJS.Timeout;
  readonly begin: (end: () => void) => void;
  readonly refuse: () => void;
}

/** A caller, as long as it has a turn or waits for one. */
interface Party {
  readonly key: string;
  /** When it had its last turn, or came, if it had none: the place in the order of all such moments. */
  last: number;
  taken: number;
  readonly waiters: Waiter[];
  /** Requests that will be refused in a moment. */
  refused: number;
  /** Milliseconds that a turn of its takes, as far as has been seen. */
  usual: number;
}

export class Turns {
  readonly #options: TurnsOptions;
  /**
   * They are not moved in the map as they have turns: what a map has outgrown leads to what it has grown to, so that what
   * its callers were waiting with would be kept until all memory is gone through.
   */
  readonly #parties = new Map<string, Party>();
  #moments = 0;
  /** Turns by the table that they are on. */
  readonly #tables = new Map<string, number>();
  #taken = 0;
  #waiting = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** How many have a turn, and how many wait for one. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting };
  }

  /**
   * Waits for a turn of the caller on whose account this is, and runs `work` in it.
   *
   * @param table what `work` reads, where that is one table: somebody may have locked it, and whoever waits for it
   * holds a place meanwhile.
   * @throws ContentError 503 when too many wait, or the turn does not come in time; whatever `work` throws.
   */
  async run<T>(table: string | undefined, work: () => T | Promise<T>): Promise<T> {
    const party = this.#party(currentAccount());
    const end = this.#isFree(party, table) ? this.#begin(party, table) : await this.#wait(party, table);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #party(key: string): Party {
    let party = this.#parties.get(key);
    if (!party) {
      party = { key, last: this.#moments++, taken: 0, waiters: [], refused: 0, usual: 0 };
      this.#parties.set(key, party);
    }
    return party;
  }

  #isFree({ taken }: Party, table: string | undefined): boolean {
    const { places, share, tableShare = places } = this.#options;
    if (this.#taken >= places || taken >= share) return false;
    return table === undefined || (this.#tables.get(table) ?? 0) < tableShare;
  }

  #begin(party: Party, table: string | undefined): () => void {
    const started = performance.now();
    party.last = this.#moments++;
    this.#count(party, table, 1);
    return () => {
      const milliseconds = performance.now() - started;
      party.usual += (milliseconds - party.usual) * (party.usual === 0 ? 1 : SHARE);
      this.#count(party, table, -1);
      this.#next();
      this.#forget(party);
    };
  }

  #count(party: Party, table: string | undefined, by: 1 | -1): void {
    this.#taken += by;
    party.taken += by;
    if (table === undefined) return;
    this.#tables.set(table, (this.#tables.get(table) ?? 0) + by);
  }

  #wait(party: Party, table: string | undefined): Promise<() => void> {
    const { waiting, waitingEach, patience } = this.#options;
    if (party.waiters.length + party.refused >= waitingEach) return Promise.reject(busy());
    if (this.#expectedWait(party) > patience) return this.#refuse(party);
    if (this.#waiting >= waiting && !this.#makeRoom(party)) {
      this.#forget(party);
      return Promise.reject(busy());
    }
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        this.#leave(party, waiter);
        this.#forget(party);
        reject(busy());
      };
      const timer = setTimeout(refuse, patience).unref();
      const waiter: Waiter = { table, timer, begin: resolve, refuse };
      party.waiters.push(waiter);
      this.#waiting++;
    });
  }

  /** Refuses the newest request of the caller who waits with most, for one who waits with fewer. */
  #makeRoom({ waiters }: Party): boolean {
    let most: Party | undefined;
    for (const party of this.#parties.values()) {
      if (party.waiters.length > (most?.waiters.length ?? waiters.length + 1)) most = party;
    }
    most?.waiters.at(-1)?.refuse();
    return most !== undefined;
  }

  /** Milliseconds until a caller's next request has its turn, as far as its own requests show. */
  #expectedWait({ waiters, usual }: Party): number {
    const { places, share } = this.#options;
    const served = Math.max(1, Math.min(share, places / this.#parties.size));
    return (waiters.length * usual) / served;
  }

  #refuse(party: Party): Promise<never> {
    party.refused++;
    return new Promise((_resolve, reject) => {
      setTimeout(() => {
        party.refused--;
        this.#forget(party);
        reject(busy());
      }, REFUSAL_DELAY);
    });
  }

  #leave({ waiters }: Party, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    waiters.splice(waiters.indexOf(waiter), 1);
    this.#waiting--;
  }

  #forget({ key, taken, waiters, refused }: Party): void {
    if (taken === 0 && waiters.length === 0 && refused === 0) this.#parties.delete(key);
  }

  /** Gives free places to those whose turn it is: whoever had the last one longest ago. */
  #next(): void {
    while (this.#taken < this.#options.places) {
      let next: { readonly party: Party; readonly waiter: Waiter } | undefined;
      for (const party of this.#parties.values()) {
        if (next && party.last > next.party.last) continue;
        // behind one whose table is taken by others, another of the same caller may go on
        const waiter = party.waiters.find(({ table }) => this.#isFree(party, table));
        if (waiter) next = { party, waiter };
      }
      if (!next) return;
      const { party, waiter } = next;
      this.#leave(party, waiter);
      waiter.begin(this.#begin(party, waiter.table));
    }
  }
}

const busy = () => unavailable('The server is busy with other requests');
