/**
 * The account on which the current work is done: all database work of a request counts as its caller's. The account
 * follows the work through every layer (AsyncLocalStorage), so none of them passes it along. It affects only the order
 * of work.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The account of the server's own work. */
const OWN = 'server';

const account = new AsyncLocalStorage<string>();

/** Runs work on a caller's account. Requests with equal keys share their turns. */
export function onAccountOf<T>(caller: string, work: () => T): T {
  return account.run(caller, work);
}

/** The key of the caller on whose account the current work is done. */
export function currentAccount(): string {
  return account.getStore() ?? OWN;
}
