/**
 * Lends the rights of a role or a token to single requests of this process, which need no secret for it: an
 * administrator explores the API as another caller. The credentials are random, known to no one else, and valid while the
 * request is being answered.
 */
import { randomBytes } from 'node:crypto';
import { type Caller, type ContextOf, type KnownCallers, unauthorized } from './callers.ts';

export class LentCallers implements KnownCallers {
  readonly #callers: KnownCallers;
  /** Lent callers by their header. */
  readonly #lent = new Map<string, Caller>();

  /** @param callers identify all other requests. */
  constructor(callers: KnownCallers) {
    this.#callers = callers;
  }

  /** Runs work with a header that identifies its requests as a caller. */
  async lend<T>(caller: Caller, work: (authorization: string) => Promise<T>): Promise<T> {
    const authorization = `Bearer ${randomBytes(32).toString('hex')}`;
    this.#lent.set(authorization, caller);
    try {
      return await work(authorization);
    } finally {
      this.#lent.delete(authorization);
    }
  }

  async identify(authorization: string | undefined, contextOf?: ContextOf): Promise<Caller> {
    const caller = this.#lentTo(authorization);
    if (!caller) return this.#callers.identify(authorization, contextOf);
    if (caller.expiresAt !== null && caller.expiresAt <= Date.now()) throw unauthorized(caller.expiredMessage);
    return caller;
  }

  /** Requests of lent callers are looked up each time: they are few. */
  known(authorization: string | undefined): Caller | undefined {
    return this.#lentTo(authorization) ? undefined : this.#callers.known(authorization);
  }

  async mayBeGood(authorization: string | undefined): Promise<boolean> {
    return this.#lentTo(authorization) !== undefined || this.#callers.mayBeGood(authorization);
  }

  get asksCode(): boolean {
    return this.#callers.asksCode;
  }

  get epoch(): number {
    return this.#callers.epoch;
  }

  onChange(listener: () => void): () => void {
    return this.#callers.onChange(listener);
  }

  #lentTo(authorization: string | undefined): Caller | undefined {
    return this.#lent.size === 0 || authorization === undefined ? undefined : this.#lent.get(authorization);
  }
}
