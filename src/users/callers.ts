/**
 * Who is calling: an `Authorization` header becomes a Caller (behaviour-media-access.md, "Access"). Looked up once and
 * kept until the database changes under it.
 */
import { jwtVerify } from 'jose';
import { FULL_ACCESS, type Grants, grantsOf, READ_ONLY } from '../access/grants.ts';
import type { Config } from '../config/config.ts';
import type { Store } from '../content/system-rows.ts';
import { runStatement } from '../content/system-rows.ts';
import type { Database } from '../db/database.ts';
import { ContentError } from '../errors.ts';
import { Recent } from '../recent.ts';
import { slot, sql } from '../sql/fragment.ts';
import { accessKeyOf } from './tokens.ts';

export interface Caller {
  readonly grants: Grants;
  /** Row id of the account, for callers with a user token. */
  readonly userId: number | undefined;
  /** Epoch milliseconds after which the credentials no longer count; null: never. */
  readonly expiresAt: number | null;
  /** What is said to a caller that comes too late. */
  readonly expiredMessage: string;
}

/** Credentials kept. */
const CALLERS = 1000;
/** Longer credentials are nobody's. */
const CREDENTIALS_LENGTH = 4096;

const INVALID = 'Missing or invalid credentials';
const unauthorized = (message: string) => new ContentError('UnauthorizedError', message);

export class Callers {
  readonly #database: Database;
  readonly #config: Pick<Config, 'apiTokenSalt' | 'jwtSecret'>;
  readonly #jwtKey: Uint8Array;
  readonly #known = new Recent<string, Caller>(CALLERS);
  #public: Caller | undefined;
  #generation = Number.NaN;

  constructor(database: Database, config: Pick<Config, 'apiTokenSalt' | 'jwtSecret'>) {
    this.#database = database;
    this.#config = config;
    this.#jwtKey = new TextEncoder().encode(config.jwtSecret);
  }

  /**
   * The caller of a header. Without one, or with one that is not two words of which the first is `bearer`, the public.
   *
   * @throws ContentError 401 for credentials that are unknown, expired, or of a blocked account.
   */
  async identify(authorization: string | undefined): Promise<Caller> {
    const generation = this.#database.generation();
    if (generation !== this.#generation) {
      this.forget();
      this.#generation = generation;
    }
    const credentials = credentialsOf(authorization);
    if (credentials === undefined) {
      this.#public ??= await this.#publicCaller();
      return this.#public;
    }
    let caller = this.#known.get(credentials);
    if (!caller) {
      caller = await this.#lookUp(credentials);
      this.#known.set(credentials, caller);
    }
    if (caller.expiresAt !== null && caller.expiresAt <= Date.now()) throw unauthorized(caller.expiredMessage);
    return caller;
  }

  /** Forgets everyone: the database has changed, and tokens, roles or accounts may have changed with it. */
  forget(): void {
    this.#known.clear();
    this.#public = undefined;
  }

  get #store(): Store {
    return { executor: this.#database, dialect: this.#database.dialect };
  }

  async #publicCaller(): Promise<Caller> {
    const rows = await runStatement(this.#store, sql`select "id" from "up_roles" where "type" = ${slot(0)}`, [
      'public',
    ]);
    const role = rows[0]?.[0];
    return forever(role === undefined ? grantsOf([]) : await this.#roleGrants(Number(role)));
  }

  async #lookUp(credentials: string): Promise<Caller> {
    if (credentials.length > CREDENTIALS_LENGTH) throw unauthorized(INVALID);
    return (await this.#apiToken(credentials)) ?? (await this.#user(credentials));
  }

  async #apiToken(secret: string): Promise<Caller | undefined> {
    const [token] = await runStatement(
      this.#store,
      sql`select "id", "type", "expires_at" from "strapi_api_tokens"
          where "access_key" = ${slot(0)} and ("kind" is null or "kind" = 'content-api')`,
      [accessKeyOf(secret, this.#config.apiTokenSalt)],
    );
    if (!token) return undefined;
    const [id, type, expiresAt] = token;
    return {
      grants: await this.#tokenGrants(Number(id), String(type)),
      userId: undefined,
      expiresAt: expiresAt === null ? null : Number(expiresAt),
      expiredMessage: 'Token expired',
    };
  }

  async #tokenGrants(id: number, type: string): Promise<Grants> {
    if (type === 'full-access') return FULL_ACCESS;
    if (type === 'read-only') return READ_ONLY;
    const rows = await runStatement(
      this.#store,
      sql`select p."action" from "strapi_api_token_permissions" p
          join "strapi_api_token_permissions_token_lnk" l on l."api_token_permission_id" = p."id"
          where l."api_token_id" = ${slot(0)}
          union select "action" from "galley_permissions" where "token_id" = ${slot(0)}`,
      [id],
    );
    return grantsOf(rows.map(([action]) => String(action)));
  }

  async #user(jwt: string): Promise<Caller> {
    const claims = await this.#claims(jwt);
    const id = claims?.['id'];
    if (!claims || typeof id !== 'number') throw unauthorized(INVALID);
    const [user] = await runStatement(
      this.#store,
      sql`select u."blocked", l."role_id" from "up_users" u
          left join "up_users_role_lnk" l on l."user_id" = u."id" where u."id" = ${slot(0)}`,
      [id],
    );
    // a token outlives its account: then it is known, and no longer good
    if (!user || isTrue(user[0])) throw unauthorized('Invalid credentials');
    const [, role] = user;
    return {
      grants: role === null ? grantsOf([]) : await this.#roleGrants(Number(role)),
      userId: id,
      expiresAt: typeof claims.exp === 'number' ? claims.exp * 1000 : null,
      expiredMessage: INVALID,
    };
  }

  async #claims(jwt: string): Promise<{ [claim: string]: unknown; exp?: number } | undefined> {
    try {
      return (await jwtVerify(jwt, this.#jwtKey, { algorithms: ['HS256'] })).payload;
    } catch {
      return undefined;
    }
  }

  async #roleGrants(role: number): Promise<Grants> {
    const rows = await runStatement(
      this.#store,
      sql`select p."action" from "up_permissions" p
          join "up_permissions_role_lnk" l on l."permission_id" = p."id" where l."role_id" = ${slot(0)}
          union select "action" from "galley_permissions" where "role_id" = ${slot(0)}`,
      [role],
    );
    return grantsOf(rows.map(([action]) => String(action)));
  }
}

const forever = (grants: Grants): Caller => ({ grants, userId: undefined, expiresAt: null, expiredMessage: INVALID });

/** Engines give booleans as numbers or as booleans. */
const isTrue = (value: unknown): boolean => value === true || value === 1;

/** The second of exactly two words of which the first is `bearer` in any letter case. */
function credentialsOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme, credentials, ...rest] = authorization.trim().split(/\s+/);
  return scheme?.toLowerCase() === 'bearer' && credentials !== undefined && rest.length === 0 ? credentials : undefined;
}
