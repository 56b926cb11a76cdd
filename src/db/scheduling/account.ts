/**
 * On whose account the current work is done. Everything that a request asks of the database counts as its caller's,
 * however many layers lie between; none of them needs to know. It decides when something is done, never what.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The account of whatever the server does by itself. */
const OWN = 'server';

const account = new AsyncLocalStorage<string>();

/** Does work on a caller's account. Requests with an equal key share their turns. */
export function onAccountOf<T>(caller: string, work: () => T): T {
  return account.run(caller, work);
}

/** The key of the caller on whose account work is done. */
export function currentAccount(): string {
  return account.getStore() ?? OWN;
}
