/**
 * User tokens: JWTs with HS256 only, with the reference's claims and their session (docs/reference/accounts.md,
 * "Sessions").
 */
import type { UsersConfig } from '../../config/config.ts';
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import { loaded } from '../../errors.ts';
import { filledText } from '../../plain-values.ts';
import type { NewSession } from './sessions.ts';

const ALGORITHM = 'HS256';
/** The compact form (RFC 7515, section 7.1): base64url without padding. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Characters of a token. */
const LENGTH = 4096;

/** The message if tokens cannot be checked; the token may be valid. */
const UNREADABLE = 'Tokens of users cannot be created or verified at the moment';

/** The claims of a valid token. */
export interface UserClaims {
  readonly userId: number;
  /** Undefined for a token without session, as in the reference. */
  readonly sessionId: string | undefined;
  /** Epoch seconds; undefined if the token has none. */
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
}

export interface RefreshClaims {
  readonly userId: number;
  readonly id: string;
  readonly refreshId: string;
}

type Claims = Readonly<Record<string, unknown>>;

export class UserTokens {
  readonly #key: Uint8Array;
  readonly #config: Pick<UsersConfig, 'jwtManagement' | 'jwtLifespan' | 'sessions'>;

  constructor(secret: string, config: Pick<UsersConfig, 'jwtManagement' | 'jwtLifespan' | 'sessions'>) {
    this.#key = new TextEncoder().encode(secret);
    this.#config = config;
  }

  /** Whether access tokens are short-lived and renewed by refresh tokens. */
  get refreshes(): boolean {
    return this.#config.jwtManagement === 'refresh';
  }

  /** The access token of a session, which ends with the session at the latest. */
  access({ id, userId, expiresAt }: NewSession, now = Date.now()): Promise<string> {
    const { jwtLifespan, sessions } = this.#config;
    // it is valid as long as its session
    if (!this.refreshes) return this.#sign({ id: userId, sid: id }, now, jwtLifespan);
    const claims = { userId: String(userId), sessionId: id, type: 'access' };
    return this.#sign(claims, now, Math.min(sessions.accessTokenLifespan, Math.floor((expiresAt - now) / 1000)));
  }

  /** The token that renews a session once. */
  refresh({ id, userId, refreshId, expiresAt }: NewSession, now = Date.now()): Promise<string> {
    const claims = { userId: String(userId), sessionId: id, type: 'refresh', jti: refreshId };
    return this.#sign(claims, now, Math.floor((expiresAt - now) / 1000));
  }

  /** The claims of an access token; undefined if it is malformed, expired, or of the other mode. */
  async verifyAccess(token: string): Promise<UserClaims | undefined> {
    const claims = await this.#verify(token);
    if (!claims) return undefined;
    const { id, sid, type, iat, exp } = claims;
    const times = { issuedAt: numberOf(iat), expiresAt: numberOf(exp) };
    if (this.refreshes) {
      const userId = rowId(claims['userId']);
      const sessionId = filledText(claims['sessionId']);
      return type === 'access' && userId !== undefined && sessionId ? { userId, sessionId, ...times } : undefined;
    }
    const userId = typeof id === 'number' ? rowId(id) : undefined;
    return userId === undefined ? undefined : { userId, sessionId: filledText(sid), ...times };
  }

  /** The claims of a refresh token; undefined for any other text. */
  async verifyRefresh(token: string): Promise<RefreshClaims | undefined> {
    const claims = await this.#verify(token);
    if (!this.refreshes || claims?.['type'] !== 'refresh') return undefined;
    const userId = rowId(claims['userId']);
    const id = filledText(claims['sessionId']);
    const refreshId = filledText(claims['jti']);
    return userId !== undefined && id && refreshId ? { userId, id, refreshId } : undefined;
  }

  async #sign(claims: Record<string, unknown>, now: number, lifespan: number): Promise<string> {
    const { SignJWT } = await loaded(import('jose/jwt/sign'), UNREADABLE);
    const issuedAt = Math.floor(now / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifespan)
      .sign(this.#key);
  }

  async #verify(token: string): Promise<Claims | undefined> {
    if (token.length > LENGTH || !COMPACT.test(token)) return undefined;
    const { jwtVerify } = await loaded(import('jose/jwt/verify'), UNREADABLE);
    try {
      return (await jwtVerify(token, this.#key, { algorithms: [ALGORITHM] })).payload;
    } catch {
      return undefined;
    }
  }
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function rowId(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) && (number as number) > 0 && (number as number) <= MAX_ROW_ID
    ? (number as number)
    : undefined;
}
