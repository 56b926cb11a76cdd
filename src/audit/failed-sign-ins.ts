/**
 * Failed sign-ins, of which there may be any number: the first of a network in a minute gets an entry at once, and the
 * others of that minute one entry together. Beyond a number of such entries in an hour, all others count together.
 */
import { currentAccount, currentActor, onAccount } from '../db/interface/account.ts';
import type { FailedSignIn, NewAction } from '../db/interface/action.ts';
import { type Actor, SERVER } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** First failures of an hour that have entries of their own. */
const FIRST = 300;
/** Accounts that an entry names. */
const ACCOUNTS = 10;

/** Failures of a network since its first one in a minute. */
interface Repeated {
  readonly action: FailedSignIn['action'];
  readonly actor: Actor;
  readonly reasons: Set<string>;
  readonly accounts: Map<string, NonNullable<FailedSignIn['account']>>;
  count: number;
}

interface Context {
  readonly database: Database;
  readonly log: (line: string, error?: unknown) => void;
}

export class FailedSignIns {
  readonly #context: Context;
  readonly #repeated = new Map<string, Repeated>();
  /** Entries that wait to be written, and the work that writes them. */
  readonly #waiting: NewAction[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hour = 0;
  #first = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Notes a failure of the current caller. It waits for nothing, so that its time reveals nothing. */
  note(failed: FailedSignIn): void {
    const { action, reason, account } = failed;
    const actor = currentActor();
    const key = `${action} ${currentAccount()}`;
    const repeated = this.#repeated.get(key) ?? this.#begin(key, failed, actor);
    if (!repeated) return;
    repeated.count += 1;
    repeated.reasons.add(reason);
    if (account && repeated.accounts.size < ACCOUNTS) repeated.accounts.set(account.id, account);
  }

  /** Writes the entry of a first failure. Returns the failures with which another one is counted. */
  #begin(key: string, failed: FailedSignIn, actor: Actor): Repeated | undefined {
    const hour = Math.floor(Date.now() / HOUR);
    if (hour !== this.#hour) [this.#hour, this.#first] = [hour, 0];
    this.#timer ??= setTimeout(() => this.#flush(), MINUTE).unref();
    const { action, reason, account } = failed;
    const none = { action, reasons: new Set<string>(), accounts: new Map(), count: 0 };
    if (this.#first === FIRST) {
      const others = `${action} others`;
      const counted = this.#repeated.get(others) ?? { ...none, actor: { ...actor, address: null } };
      this.#repeated.set(others, counted);
      return counted;
    }
    this.#first += 1;
    this.#repeated.set(key, { ...none, actor });
    this.#write({ ...none, actor, reasons: new Set([reason]), accounts: new Map(account && [[account.id, account]]) });
    return undefined;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const repeated = [...this.#repeated.values()];
    this.#repeated.clear();
    for (const one of repeated) if (one.count > 0) this.#write(one);
  }

  #write({ action, actor, reasons, accounts, count }: Repeated): void {
    const named = [...accounts.values()];
    const [only] = named.length === 1 ? named : [];
    const more = {
      reasons: [...reasons],
      ...(named.length > 1 && { accounts: named.map(({ name }) => name) }),
      ...(count > 0 && { count }),
    };
    const { type = null, id = null, name } = only ?? {};
    this.#waiting.push({ action, type, id, name, more, by: actor });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes the entries that wait, all of them together: an attack does not take the turns of others. */
  async #writeAll(): Promise<void> {
    const { database, log } = this.#context;
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.splice(0);
      try {
        await onAccount({ key: 'audit', actor: SERVER }, () =>
          database.transaction(async (tx) => {
            for (const entry of entries) tx.recordAction(entry);
          }),
        );
      } catch (error) {
        log('warning: failed sign-ins could not be recorded', error);
      }
    }
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
  }
}
