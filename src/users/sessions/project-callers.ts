/** The callers of one project: what its code closes is taken from what they were granted (access/grants.ts). */
import type { Grants } from '../../access/grants.ts';
import type { Caller, ContextOf, KnownCallers } from './callers.ts';

export class ProjectCallers implements KnownCallers {
  readonly #callers: KnownCallers;
  readonly #closed: Grants['closed'];
  /** By the caller that all projects share. */
  readonly #limited = new WeakMap<Caller, Caller>();

  constructor(callers: KnownCallers, closed: Grants['closed']) {
    this.#callers = callers;
    this.#closed = closed;
  }

  async identify(authorization: string | undefined, contextOf?: ContextOf): Promise<Caller> {
    return this.#limit(await this.#callers.identify(authorization, contextOf));
  }

  known(authorization: string | undefined): Caller | undefined {
    const caller = this.#callers.known(authorization);
    return caller && this.#limit(caller);
  }

  #limit(caller: Caller): Caller {
    const known = this.#limited.get(caller);
    if (known) return known;
    const { grants } = caller;
    // what may be seen differs from what the same grants show to code that embeds the server
    const limited = { ...caller, grants: { ...grants, key: `${grants.key}\nclosed`, closed: this.#closed } };
    this.#limited.set(caller, limited);
    return limited;
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

  mayBeGood(authorization: string | undefined): Promise<boolean> {
    return this.#callers.mayBeGood(authorization);
  }
}
