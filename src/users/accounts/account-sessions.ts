/** Sessions of accounts for clients: begins, renews, lists and ends them. */
import type { Config } from '../../config/config.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, notFound } from '../../errors.ts';
import type { Caller, Callers } from '../sessions/callers.ts';
import {
  type BegunSession,
  type Device,
  endAllSessions,
  endSession,
  endSessionsOf,
  isDeviceId,
  type Lifespan,
  listSessions,
  type NewSession,
  renewSession,
  type SessionEntry,
  startSession,
} from '../sessions/sessions.ts';
import type { UserTokens } from '../sessions/user-tokens.ts';
import { bodyOf } from './account-bodies.ts';
import { ownAction, subjectOf } from './account-rows.ts';
import type { UserWrites } from './user-writes.ts';

export interface AccountSessionsContext {
  readonly config: Pick<Config, 'users'>;
  readonly users: UserWrites;
  readonly tokens: UserTokens;
  readonly callers: Callers;
}

/** The result of a login. */
export interface Login {
  /** Undefined if the address must be confirmed first. */
  readonly jwt: string | undefined;
  /** Undefined without refresh tokens. */
  readonly refreshToken: string | undefined;
  /** The account's record as JSON text; undefined after a renewal. */
  readonly user: string | undefined;
}

const unauthorized = (message: string) => new ContentError('UnauthorizedError', message);

export class AccountSessions {
  readonly #context: AccountSessionsContext;

  constructor(context: AccountSessionsContext) {
    this.#context = context;
  }

  /** These sessions with other tokens. */
  issuing(tokens: UserTokens): AccountSessions {
    return new AccountSessions({ ...this.#context, tokens });
  }

  /** Begins a session in the transaction of the login. */
  start(tx: Transaction, userId: number, device: Device): Promise<BegunSession> {
    return startSession(tx, userId, device, this.#lifespan);
  }

  /** The answer for a new session, after the transaction. */
  async begun(session: BegunSession, user: string): Promise<Login> {
    if (session.endedOthers) this.#context.callers.forget();
    return this.#issue(session, user);
  }

  async #issue(session: NewSession, user: string | undefined): Promise<Login> {
    const { tokens } = this.#context;
    const jwt = await tokens.access(session);
    return { jwt, refreshToken: tokens.refreshes ? await tokens.refresh(session) : undefined, user };
  }

  get #lifespan(): Lifespan {
    const { tokens, config } = this.#context;
    const { jwtLifespan, sessions } = config.users;
    if (!tokens.refreshes) return { idle: jwtLifespan, whole: jwtLifespan };
    return { idle: sessions.idleRefreshTokenLifespan, whole: sessions.maxRefreshTokenLifespan };
  }

  /**
   * Exchanges a refresh token for a new one and an access token.
   *
   * @throws ContentError 404 without refresh tokens in this project, 400 for a missing token, 401 for an invalid one.
   */
  async refresh(refreshToken: unknown): Promise<Login> {
    const { tokens, users } = this.#context;
    if (!tokens.refreshes) throw notFound();
    if (typeof refreshToken !== 'string' || refreshToken === '') {
      throw new ContentError('BadRequestError', 'Missing refresh token');
    }
    const claims = await tokens.verifyRefresh(refreshToken);
    const session =
      claims &&
      (await users.withAccount(claims.userId, async (tx, account) =>
        account.blocked ? undefined : renewSession(tx, claims, this.#lifespan),
      ));
    if (!session) throw unauthorized('Invalid refresh token');
    return this.#issue(session, undefined);
  }

  /**
   * Ends the caller's session, those of a device, or all, according to the body. If the caller's token names no
   * session, the refresh token does.
   *
   * @param cookie the refresh token of a cookie.
   * @throws ContentError 401 for callers without an account.
   */
  async logout(raw: unknown, caller: Caller, cookie: string | undefined): Promise<void> {
    const { users, tokens, callers } = this.#context;
    const userId = requireAccount(caller);
    const { scope, deviceId, refreshToken } = bodyOf(raw);
    const token = cookie ?? (typeof refreshToken === 'string' ? refreshToken : undefined);
    const named = token === undefined ? undefined : await tokens.verifyRefresh(token);
    const sessionId = named?.userId === userId ? named.id : caller.sessionId;
    await users.withAccount(userId, async (tx, account) => {
      tx.recordAction({ action: 'site.logout', ...ownAction(account) });
      if (scope !== 'all' && typeof deviceId === 'string' && deviceId !== '') {
        if (isDeviceId(deviceId)) await endSessionsOf(tx, userId, deviceId);
      } else if (scope !== 'all' && sessionId !== undefined) await endSession(tx, userId, sessionId);
      else await endAllSessions(tx, userId);
    });
    callers.forget();
  }

  /**
   * The sessions of the caller's account.
   *
   * @throws ContentError 401 for callers without an account.
   */
  async list(caller: Caller): Promise<SessionEntry[]> {
    const entries = await listSessions(this.#context.users.db, requireAccount(caller));
    // the caller's own session first, the others by last use
    return entries.sort((a, b) => Number(b.id === caller.sessionId) - Number(a.id === caller.sessionId));
  }

  /** The open sessions of an account, by last use. */
  listOf(userId: number): Promise<SessionEntry[]> {
    return listSessions(this.#context.users.db, userId);
  }

  /**
   * Ends a session of an account, or all of them.
   *
   * @param id undefined: all sessions, and tokens without a session.
   * @returns whether there was such a session.
   */
  async endOf(userId: number, id: string | undefined): Promise<boolean> {
    const { users, callers } = this.#context;
    const ended = await users.withAccount(userId, async (tx, account) => {
      if (id !== undefined && !(await endSession(tx, userId, id))) return false;
      if (id === undefined) await endAllSessions(tx, userId);
      tx.recordAction({ action: 'site.session.end', ...subjectOf(account) });
      return true;
    });
    callers.forget();
    return ended === true;
  }

  /**
   * Ends one session of the caller's account.
   *
   * @throws ContentError 401 for callers without an account, 404 for no such session.
   */
  async end(caller: Caller, id: string): Promise<void> {
    const { users, callers } = this.#context;
    const userId = requireAccount(caller);
    const ended = await users.withAccount(userId, async (tx, account) => {
      const isEnded = await endSession(tx, userId, id);
      if (isEnded) tx.recordAction({ action: 'site.session.end', ...ownAction(account) });
      return isEnded;
    });
    if (!ended) throw new ContentError('NotFoundError', 'Session not found');
    callers.forget();
  }
}

function requireAccount({ userId }: Caller): number {
  if (userId === undefined) throw unauthorized('Missing authentication');
  return userId;
}
