/**
 * The caller of a request if an extension has replaced `getToken` or `verify` of the service `jwt`, or
 * `fetchAuthenticatedUser` of the service `user`, or if lifecycles run around reads of accounts or API tokens. As in
 * the reference, this code runs for each request.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { ContentError, forbidden } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import { USER_UID } from '../../schema/catalog.ts';
import {
  type Caller,
  type Callers,
  type ContextOf,
  CREDENTIALS_LENGTH,
  INVALID,
  type KnownCallers,
  RefusedAccount,
  unauthorized,
} from '../../users/sessions/callers.ts';
import type { NewSession } from '../../users/sessions/sessions.ts';
import { TOKEN_UID } from '../../users/sessions/tokens.ts';
import { UserTokens } from '../../users/sessions/user-tokens.ts';
import type { Lifecycles, States } from '../documents/lifecycles.ts';
import { Unsupported, unsupported } from '../guarded.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import type { Context } from '../requests/context.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Accounts } from '../strapi/accounts.ts';
import { issuedFor, lookingUp } from '../strapi/jwt.ts';
import { UnitOfWork } from '../unit-of-work.ts';

export interface AskedCallersParts {
  readonly services: ExtendedServices;
  readonly lifecycles: Lifecycles;
  readonly accounts: Accounts;
  readonly requests: AsyncLocalStorage<Context>;
  readonly log: RuntimeContext['log'];
}

/** The number of cached headers that were valid at their last check. */
const HEADERS = 1000;

/** The payload of a token that code returns. */
interface Payload {
  readonly id?: unknown;
}

/** An account as code gives it. */
interface Account {
  readonly id?: unknown;
  readonly blocked?: unknown;
  readonly role?: { readonly id?: unknown } | null;
}

type Method<T> = (argument: unknown) => Promise<T | null | undefined>;

export class ExtendedCallers implements KnownCallers {
  readonly #callers: Callers;
  readonly #parts: AskedCallersParts;
  readonly #once = new LruCache<string, true>(HEADERS);

  constructor(callers: Callers, parts: AskedCallersParts) {
    this.#callers = callers;
    this.#parts = parts;
  }

  get #getToken(): Method<Payload> | undefined {
    const { services } = this.#parts;
    const of = (member: string) => services.overriding('users-permissions', 'jwt', member);
    const service = of('getToken') ?? of('verify');
    return service && (async (ctx) => UnitOfWork.call(service['getToken'] as Method<Payload>, service, ctx));
  }

  get #fetchAccount(): Method<Account> | undefined {
    const service = this.#parts.services.overriding('users-permissions', 'user', 'fetchAuthenticatedUser');
    return (
      service && (async (id) => UnitOfWork.call(service['fetchAuthenticatedUser'] as Method<Account>, service, id))
    );
  }

  get asksCode(): boolean {
    const { lifecycles } = this.#parts;
    const isHeard = [USER_UID, TOKEN_UID].some((uid) => lifecycles.listens(uid, 'FindOne'));
    return isHeard || this.#getToken !== undefined || this.#fetchAccount !== undefined;
  }

  /** @throws ContentError 403 without the request that the code would receive. */
  async identify(authorization: string | undefined, contextOf?: ContextOf): Promise<Caller> {
    const callers = this.#callers;
    if (!this.asksCode) return callers.identify(authorization);
    const holder = await callers.identifyToken(authorization);
    if (holder) {
      await this.#throwingRefusals(() => this.#tellOf(holder));
      return holder;
    }
    // code without a request may run within another request
    if (!contextOf) throw forbidden('Code of an extension identifies callers, and does not run for this request');
    const ctx = this.#parts.requests.getStore() ?? contextOf();
    const caller = await this.#throwingRefusals(() => this.#lookUp(authorization, ctx));
    if (authorization !== undefined && authorization.length <= CREDENTIALS_LENGTH) this.#once.set(authorization, true);
    return caller;
  }

  /** Tells listeners of an API token. @throws Unsupported if they change the result. */
  async #tellOf({ token }: Caller): Promise<void> {
    const { lifecycles } = this.#parts;
    if (!lifecycles.listens(TOKEN_UID, 'FindOne')) return;
    const states: States = new Map();
    const where = { id: token?.id };
    const { params } = await lifecycles.run('beforeFindOne', TOKEN_UID, { params: { where: { ...where } } }, states);
    const result = structuredClone(token);
    const after = await lifecycles.run('afterFindOne', TOKEN_UID, { params, result }, states);
    if (!isDeepStrictEqual(params, { where }) || !isDeepStrictEqual(after.result, token))
      unsupported(`a change of API tokens that the server reads, by a lifecycle of ${TOKEN_UID}`);
  }

  async #lookUp(authorization: string | undefined, ctx: object): Promise<Caller> {
    const callers = this.#callers;
    const getToken = this.#getToken;
    const tokens = new Set<string>();
    let id: unknown;
    if (getToken) {
      const payload = await lookingUp(
        (token) => tokens.add(token),
        () => getToken(ctx),
      );
      // a request without a token is the public's, as in the reference
      if (!payload) return callers.identify(undefined);
      ({ id } = payload);
      if (id === undefined) throw unauthorized(INVALID);
    } else {
      const { userId, ...caller } = await callers.identify(authorization);
      if (userId === undefined) return { userId, ...caller };
      id = userId;
    }
    // a token of the server ends with its session, however code uses it
    const own = await callers.claimsOf(authorization, tokens);
    for (const claims of own) await callers.ofClaims(claims);
    const fetched = this.#fetchAccount;
    const account = (await (fetched ? fetched(id) : this.#parts.accounts.fetchAuthenticatedUser(id as number))) as
      | Account
      | null
      | undefined;
    if (!account || account.blocked) throw new RefusedAccount();
    const { id: userId, role } = account;
    if (typeof userId !== 'number' || typeof role?.id !== 'number') throw unauthorized(INVALID);
    const claims = own.find((one) => one.userId === userId) ?? { userId, sessionId: undefined, issuedAt: AT_ANY_TIME };
    const caller = await callers.ofClaims({ expiresAt: undefined, ...claims });
    const { grants } = await callers.ofRole(role.id);
    return { ...caller, grants, account };
  }

  /** An error of code refuses the caller; a missing member is logged. */
  async #throwingRefusals<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ContentError && (error.status === 401 || error.status >= 500)) throw error;
      if (error instanceof Unsupported)
        this.#parts.log('warn', `An extension that identifies callers: ${error.message}`);
      throw unauthorized(INVALID);
    }
  }

  /** Each request is looked up. */
  known(authorization: string | undefined): Caller | undefined {
    return this.asksCode ? undefined : this.#callers.known(authorization);
  }

  async mayBeGood(authorization: string | undefined): Promise<boolean> {
    if (this.asksCode && authorization !== undefined && this.#once.get(authorization)) return true;
    return this.#callers.mayBeGood(authorization);
  }

  get epoch(): number {
    return this.#callers.epoch;
  }

  onChange(listener: () => void): () => void {
    return this.#callers.onChange(listener);
  }
}

/** A token of another issuer is valid as long as code accepts it. */
const AT_ANY_TIME = Number.POSITIVE_INFINITY;

export class AskedTokens extends UserTokens {
  readonly #services: ExtendedServices;

  constructor({ config }: Pick<RuntimeContext, 'config'>, services: ExtendedServices) {
    super(config.jwtSecret, config.users);
    this.#services = services;
  }

  /** As in the reference, this does not run for tokens that can be renewed. */
  override async access(session: NewSession, now = Date.now()): Promise<string> {
    const service = this.refreshes ? undefined : this.#services.overriding('users-permissions', 'jwt', 'issue');
    if (!service) return super.access(session, now);
    const issue = service['issue'] as (payload: object) => unknown;
    return String(await issuedFor(session, () => issue.call(service, { id: session.userId })));
  }
}
