/**
 * The account on which the current work is done, and its actor. All database work of a request counts as its caller's,
 * and every change names the actor. Both follow the work through every layer (AsyncLocalStorage), so none of them passes
 * them along. The key affects only the order of work.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Actor, SERVER } from './actor.ts';

export interface Account {
  /** Requests with equal keys share their turns. */
  readonly key: string;
  /** Of a request to project code: `public` until its caller is identified. */
  actor: Actor;
}

/** The account of work outside of requests. */
const OWN: Account = { key: 'server', actor: SERVER };

const accounts = new AsyncLocalStorage<Account>();

/** Runs work on an account. */
export function onAccount<T>(account: Account, work: () => T): T {
  return accounts.run(account, work);
}

/** Runs work on the account of a caller. The actor stays the same. */
export function onAccountOf<T>(key: string, work: () => T): T {
  return accounts.run({ key, actor: account().actor }, work);
}

/** Runs work for another actor. The account stays the same. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return accounts.run({ key: account().key, actor }, work);
}

/** The account on which the current work is done. */
export function account(): Account {
  return accounts.getStore() ?? OWN;
}

/** Sets who makes a request that began with `onAccount`, once its caller is identified. */
export function identified(actor: Actor): void {
  const current = accounts.getStore();
  if (current) current.actor = actor;
}

/** The key of the account on which the current work is done. */
export function currentAccount(): string {
  return account().key;
}

/** Who does the current work. */
export function currentActor(): Actor {
  return account().actor;
}
