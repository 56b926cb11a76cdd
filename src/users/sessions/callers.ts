/**
 * Identifies callers by their `Authorization` header (docs/reference/http.md, "Paths and methods"). Callers are cached
 * until the database changes. The cache is shared by all projects on the database; `ProjectCallers` removes the actions
 * that a project closes.
 */
import { FULL_ACCESS, type Grants, grantsOf, READ_ONLY } from '../../access/grants.ts';
import type { Config } from '../../config/config.ts';
import type { Change } from '../../db/interface/change.ts';
import type { Database } from '../../db/interface/database.ts';
import { query } from '../../db/interface/statements.ts';
import { ContentError } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import { ROLE_UID, USER_UID } from '../../schema/catalog.ts';
import { compileRoleGrants } from '../../sql/accounts/roles.ts';
import { compileTokenState } from '../../sql/accounts/sessions.ts';
import { isTrue } from '../accounts/account-rows.ts';
import { readSettings } from '../accounts/account-settings.ts';
import { findRoleId } from '../roles/roles.ts';
import { passwordMark } from './sessions.ts';
import { findBySecret, listTokenActions, type StoredToken, TOKEN_UID, TokenUse } from './tokens.ts';
import type { UserClaims, UserTokens } from './user-tokens.ts';

/** An API token without its secret. */
export type ShownToken = Omit<StoredToken, 'accessKey' | 'encryptedKey'>;

export interface Caller {
  readonly grants: Grants;
  /** Row id of the account; undefined without a user token. */
  readonly userId: number | undefined;
  /** The session of the token; undefined for tokens of the reference, which have none. */
  readonly sessionId: string | undefined;
  /** The API token; undefined without one. */
  readonly token: ShownToken | undefined;
  /** Epoch milliseconds at which the credentials expire; null: never. */
  readonly expiresAt: number | null;
  /** The message after expiry. */
  readonly expiredMessage: string;
  /** The account as read by the project's code, if it does. */
  readonly account?: object | undefined;
}

/** Creates the project code's context of a request. */
export type ContextOf = () => object;

/** Cached credentials, and separately as many invalid ones, which thus do not evict valid ones. */
const CALLERS = 1000;
/** Longer credentials are invalid. */
export const CREDENTIALS_LENGTH = 4096;

/** Messages for invalid credentials, and for those that are no longer valid. */
export const INVALID = 'Missing or invalid credentials';
export const unauthorized = (message: string) => new ContentError('UnauthorizedError', message);

/** The credentials are genuine, but the account or session is no longer valid. */
export class RefusedAccount extends ContentError {
  constructor() {
    super('UnauthorizedError', 'Invalid credentials');
  }
}

/** Identifies callers. */
export interface KnownCallers {
  /**
   * @param contextOf for the project's code that identifies callers; without it, these callers are unknown.
   * @throws ContentError 401 for credentials that are unknown, expired, or of a blocked account.
   */
  identify(authorization: string | undefined, contextOf?: ContextOf): Promise<Caller>;
  /** The cached caller; undefined if a lookup is needed, or the credentials may be invalid. */
  known(authorization: string | undefined): Caller | undefined;
  /** Whether a header may be valid, so that looking it up is worth a statement. */
  mayBeGood(authorization: string | undefined): Promise<boolean>;
  /** Whether the project's code identifies callers by other parts of a request. */
  readonly asksCode: boolean;
  /** Increases whenever this process changes rights or credentials of callers. */
  readonly epoch: number;
  /** Calls the listener whenever `epoch` has increased, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/** Whether a change may affect rights. New accounts and tokens have not been used yet. */
function concernsCallers({ uid, kind }: Change): boolean {
  return uid === ROLE_UID || (kind !== 'created' && (uid === USER_UID || uid === TOKEN_UID));
}

export class Callers implements KnownCallers {
  readonly asksCode = false;
  readonly #database: Database;
  readonly #config: Pick<Config, 'apiTokenSalt'>;
  readonly #tokens: UserTokens;
  readonly #tokenUse: TokenUse;
  readonly #known = new LruCache<string, Caller>(CALLERS);
  readonly #refused = new LruCache<string, ContentError>(CALLERS);
  /** Credentials that were valid at their last lookup. */
  readonly #validBefore = new LruCache<string, true>(CALLERS);
  /** Lookups in progress, shared by concurrent requests. */
  #lookups = new Map<string, Promise<Caller>>();
  #public: Caller | undefined;
  #generation = Number.NaN;
  #epoch = 0;
  readonly #listeners = new Set<() => void>();

  constructor(database: Database, config: Pick<Config, 'apiTokenSalt'>, tokens: UserTokens) {
    this.#database = database;
    this.#config = config;
    this.#tokenUse = new TokenUse(database);
    this.#tokens = tokens;
    database.subscribe({
      afterCommit: (changes) => {
        if (changes.some(concernsCallers)) this.forget();
      },
    });
  }

  /**
   * The caller of a header. Without one, or with one that does not consist of `bearer` and a word, the public.
   *
   * @throws ContentError 401 for credentials that are unknown, expired, or of a blocked account.
   */
  async identify(authorization: string | undefined): Promise<Caller> {
    const generation = this.#database.generation();
    if (generation !== this.#generation) {
      this.#drop();
      this.#generation = generation;
    }
    const credentials = credentialsOf(authorization);
    if (credentials === undefined) {
      if (this.#public) return this.#public;
      const lookups = this.#lookups;
      const caller = await this.#publicCaller();
      if (this.#isCurrent(lookups)) this.#public = caller;
      return caller;
    }
    const caller = this.#known.get(credentials) ?? (await this.#lookUpOnce(credentials));
    if (caller.expiresAt !== null && caller.expiresAt <= Date.now()) throw unauthorized(caller.expiredMessage);
    if (caller.token) this.#tokenUse.note(caller.token.id, caller.token.lastUsedAt);
    return caller;
  }

  known(authorization: string | undefined): Caller | undefined {
    if (this.#database.generation() !== this.#generation) return undefined;
    const credentials = credentialsOf(authorization);
    const caller = credentials === undefined ? this.#public : this.#known.get(credentials);
    if (caller === undefined || (caller.expiresAt !== null && caller.expiresAt <= Date.now())) return undefined;
    if (caller.token) this.#tokenUse.note(caller.token.id, caller.token.lastUsedAt);
    return caller;
  }

  /**
   * Whether a header is worth a statement: it is absent, it was valid before, or has a valid signature. Of others only
   * API tokens unknown to this process may be valid.
   */
  async mayBeGood(authorization: string | undefined): Promise<boolean> {
    const credentials = credentialsOf(authorization);
    if (credentials === undefined || this.#validBefore.get(credentials)) return true;
    return (await this.#tokens.verifyAccess(credentials)) !== undefined;
  }

  /** A caller with the rights of a role and no account. */
  async ofRole(role: number): Promise<Caller> {
    return forever(await this.#roleGrants(role));
  }

  /** The caller of an API token, expired or not. */
  async ofToken(token: StoredToken): Promise<Caller> {
    const { accessKey: _hash, encryptedKey: _secret, ...shown } = token;
    return {
      grants: await this.#tokenGrants(token),
      userId: undefined,
      sessionId: undefined,
      token: shown,
      expiresAt: token.expiresAt,
      expiredMessage: 'Token expired',
    };
  }

  /** The caller of a header with an API token; undefined for any other. @throws ContentError 401 where it has expired. */
  async identifyToken(authorization: string | undefined): Promise<Caller | undefined> {
    const credentials = credentialsOf(authorization);
    if (credentials === undefined || credentials.length > CREDENTIALS_LENGTH) return undefined;
    const token = this.known(authorization)?.token ?? (await this.#apiToken(credentials));
    return token && this.identify(authorization);
  }

  /** The claims of valid user tokens in a header and others. */
  async claimsOf(authorization: string | undefined, tokens: Iterable<string>): Promise<UserClaims[]> {
    const header = credentialsOf(authorization);
    const all = new Set(header === undefined ? tokens : [header, ...tokens]);
    const claims = await Promise.all([...all].map((token) => this.#tokens.verifyAccess(token)));
    return claims.filter((one) => one !== undefined);
  }

  #lookUpOnce(credentials: string): Promise<Caller> {
    const refusal = this.#refused.get(credentials);
    if (refusal) throw refusal;
    const lookups = this.#lookups;
    const known = lookups.get(credentials);
    if (known) return known;
    const lookup = this.#lookUp(credentials)
      .then(
        (caller) => {
          if (this.#isCurrent(lookups)) this.#known.set(credentials, caller);
          this.#validBefore.set(credentials, true);
          return caller;
        },
        (error: unknown) => {
          const refused = error instanceof ContentError && error.name === 'UnauthorizedError';
          if (refused && credentials.length <= CREDENTIALS_LENGTH && this.#isCurrent(lookups)) {
            this.#refused.set(credentials, error);
          }
          throw error;
        },
      )
      .finally(() => lookups.delete(credentials));
    lookups.set(credentials, lookup);
    return lookup;
  }

  /** Whether nothing has changed since a lookup began; otherwise its result must not be cached. */
  #isCurrent(lookups: Map<string, Promise<Caller>>): boolean {
    return lookups === this.#lookups && this.#database.generation() === this.#generation;
  }

  /**
   * Clears the cache. This happens automatically when an account, role or token changes; code that ends sessions must
   * call it.
   */
  forget(): void {
    this.#drop();
    this.#epoch += 1;
    for (const listener of this.#listeners) listener();
  }

  get epoch(): number {
    return this.#epoch;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #drop(): void {
    this.#known.clear();
    this.#refused.clear();
    this.#lookups = new Map();
    this.#public = undefined;
  }

  async #publicCaller(): Promise<Caller> {
    const role = await findRoleId(this.#database, 'public');
    return forever(role === undefined ? grantsOf([], 'public') : await this.#roleGrants(role));
  }

  async #lookUp(credentials: string): Promise<Caller> {
    if (credentials.length > CREDENTIALS_LENGTH) throw unauthorized(INVALID);
    return (await this.#apiToken(credentials)) ?? (await this.#user(credentials));
  }

  async #apiToken(secret: string): Promise<Caller | undefined> {
    const token = await findBySecret(this.#database, secret, this.#config.apiTokenSalt);
    return token && this.ofToken(token);
  }

  async #tokenGrants({ id, type }: StoredToken): Promise<Grants> {
    if (type === 'full-access') return FULL_ACCESS;
    if (type === 'read-only') return READ_ONLY;
    return grantsOf(await listTokenActions(this.#database, id));
  }

  async #user(jwt: string): Promise<Caller> {
    const claims = await this.#tokens.verifyAccess(jwt);
    if (!claims) throw unauthorized(INVALID);
    return this.ofClaims(claims);
  }

  /**
   * The caller of a token's claims.
   *
   * @throws ContentError 401 if the account may not sign in, or the session has ended.
   */
  async ofClaims({ userId, sessionId, issuedAt, expiresAt }: UserClaims): Promise<Caller> {
    const [user] = await query(this.#database, compileTokenState(), [sessionId ?? '', userId]);
    // a token may outlive its account and session
    if (!user) throw new RefusedAccount();
    const [blocked, confirmed, role, sessionEnd, tokensFrom, password, mark] = user;
    const isOpen =
      sessionId === undefined
        ? tokensFrom === null || (issuedAt ?? 0) * 1000 > Number(tokensFrom)
        : sessionEnd !== null && Number(sessionEnd) > Date.now() && mark === passwordMark(password);
    if (isTrue(blocked) || !isOpen) throw new RefusedAccount();
    if (!isTrue(confirmed) && (await readSettings(this.#database)).confirmsEmail) throw new RefusedAccount();
    return {
      grants: role === null ? grantsOf([]) : await this.#roleGrants(Number(role)),
      userId,
      sessionId,
      token: undefined,
      expiresAt: soonest(expiresAt === undefined ? null : expiresAt * 1000, sessionEnd),
      expiredMessage: INVALID,
    };
  }

  async #roleGrants(role: number): Promise<Grants> {
    const rows = await query(this.#database, compileRoleGrants(), [role]);
    const [type] = rows.find(([isType]) => Number(isType) === 1)?.slice(1) ?? [];
    const actions = rows.filter(([isType]) => Number(isType) === 0).map(([, action]) => String(action));
    return grantsOf(actions, type === undefined || type === null ? undefined : String(type));
  }
}

/** The earlier of two times; null means never. */
function soonest(expiresAt: number | null, sessionEnd: unknown): number | null {
  if (sessionEnd === null) return expiresAt;
  return Math.min(expiresAt ?? Number.POSITIVE_INFINITY, Number(sessionEnd));
}

const forever = (grants: Grants): Caller => ({
  grants,
  userId: undefined,
  sessionId: undefined,
  token: undefined,
  expiresAt: null,
  expiredMessage: INVALID,
});

/** The second of exactly two words if the first is `bearer` in any case. */
function credentialsOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme, credentials, ...rest] = authorization.trim().split(/\s+/);
  return scheme?.toLowerCase() === 'bearer' && credentials !== undefined && rest.length === 0 ? credentials : undefined;
}

export class ProjectCallers implements KnownCallers {
  readonly #callers: KnownCallers;
  readonly #closed: Grants['closed'];
  /** Limited callers by the shared ones. */
  readonly #limited = new WeakMap<Caller, Caller>();

  constructor(callers: KnownCallers, closed: Grants['closed']) {
    this.#callers = callers;
    this.#closed = closed;
  }

  async identify(authorization: string | undefined, contextOf?: ContextOf): Promise<Caller> {
    return this.limit(await this.#callers.identify(authorization, contextOf));
  }

  known(authorization: string | undefined): Caller | undefined {
    const caller = this.#callers.known(authorization);
    return caller && this.limit(caller);
  }

  /** A caller without the actions that are closed. */
  limit(caller: Caller): Caller {
    const known = this.#limited.get(caller);
    if (known) return known;
    const { grants } = caller;
    // the same grants show other data to code that embeds the server
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
