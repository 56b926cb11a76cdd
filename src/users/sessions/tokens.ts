/**
 * API tokens as stored by Strapi 5: an HMAC of the secret and, if the project has an encryption key, an encrypted copy.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isOwnAction } from '../../access/actions.ts';
import type { Config } from '../../config/config.ts';
import { type Person, personOfRow } from '../../content/administration/form-values.ts';
import { recordRowChange } from '../../content/rows/changes.ts';
import { documentColumns } from '../../content/rows/document-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { LruCache } from '../../lru-cache.ts';
import {
  compileDeleteToken,
  compileDescribedTokens,
  compileGrantsOfTokens,
  compileNextTokenGrantOrder,
  compileSetLastUsed,
  compileSetSecret,
  compileTokenActions,
  compileTokenPermissions,
  compileTokens,
  compileTokensNamed,
  compileTokensOfKey,
} from '../../sql/accounts/tokens.ts';

/** The uid of tokens in changes, as in the reference. */
export const TOKEN_UID = 'admin::api-token';

export const TOKEN_TYPES = ['read-only', 'full-access', 'custom'] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** The longest lifespan of a token, in days. */
export const MOST_DAYS = 10_000;
/** The most tokens that administrators can create. */
export const MOST_TOKENS = 1000;

/** The keys for tokens in the configuration. */
export type TokenKeys = Pick<Config, 'apiTokenSalt' | 'encryptionKey'>;

export interface NewToken {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type: TokenType;
  /** Actions of a custom token; empty for the others. */
  readonly permissions: readonly string[];
  /** Milliseconds that it is valid; null: forever. */
  readonly lifespan: number | null;
  /** The row id of the administrator who creates it, in `created_by_id`; none for commands and project code. */
  readonly createdBy?: number | undefined;
}

/** Changes of a token; undefined values stay. */
export interface TokenChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly type?: TokenType | undefined;
  /** All actions of a custom token. */
  readonly permissions?: readonly string[] | undefined;
}

/** A content API token as stored. */
export interface StoredToken {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly accessKey: string;
  readonly encryptedKey: string | null;
  /** Times in epoch milliseconds; null: never, or unknown. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number | null;
}

/** A token as administrators see it. */
export interface DescribedToken extends StoredToken {
  readonly description: string;
  /** The actions of a custom token, sorted; empty for the others. */
  readonly permissions: readonly string[];
  /** The administrator who created it; null if that is not recorded, as for tokens of commands and project code. */
  readonly createdBy: Person | null;
}

function tokenOf(row: Row): StoredToken {
  const [id, name, type, accessKey, encryptedKey, expiresAt, lastUsedAt, createdAt] = row;
  const time = (value: unknown) => (value === null ? null : Number(value));
  return {
    id: Number(id),
    name: String(name ?? ''),
    type: String(type),
    accessKey: String(accessKey),
    encryptedKey: encryptedKey === null ? null : String(encryptedKey),
    expiresAt: time(expiresAt),
    lastUsedAt: time(lastUsedAt),
    createdAt: time(createdAt),
  };
}

/** The `access_key` of a secret: its hexadecimal HMAC-SHA-512 with the salt. */
export function accessKeyOf(secret: string, salt: string): string {
  return createHmac('sha512', salt).update(secret).digest('hex');
}

/** An encrypted copy of a secret: `v1:iv:cipher:tag`, AES-256-GCM, all hexadecimal. */
export function encryptSecret(secret: string, encryptionKey: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(encryptionKey), iv);
  const encrypted = cipher.update(secret, 'utf8', 'hex') + cipher.final('hex');
  return ['v1', iv.toString('hex'), encrypted, cipher.getAuthTag().toString('hex')].join(':');
}

/** The secret of an encrypted copy; undefined for another form or key. */
export function decryptSecret(encrypted: string, encryptionKey: string): string | undefined {
  const [version, iv, text, tag, ...rest] = encrypted.split(':');
  if (version !== 'v1' || !iv || !text || tag?.length !== 32 || rest.length > 0) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', cipherKey(encryptionKey), Buffer.from(iv, 'hex'));
    decipher.setAuthTag(Buffer.from(tag, 'hex'));
    return decipher.update(text, 'hex', 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** The oldest content API token with a name. */
export async function findToken(db: Queryable, name: string): Promise<StoredToken | undefined> {
  const rows = await query(db, compileTokensNamed(), [name]);
  return rows.map(tokenOf)[0];
}

/**
 * Makes other creators of tokens wait until the transaction ends, so that the result of `findToken` stays true. The
 * reference's table has no constraint on names.
 */
export async function lockTokenNames(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley api token names', shared: false }]);
}

/** All content API tokens, in the order of creation. */
export async function listTokens(db: Queryable): Promise<StoredToken[]> {
  const rows = await query(db, compileTokens());
  return rows.map(tokenOf);
}

/** All content API tokens with their grants and creators, in the order of creation. */
export async function listDescribedTokens(db: Queryable): Promise<DescribedToken[]> {
  const rows = await query(db, compileDescribedTokens());
  const grants = Map.groupBy(await query(db, compileGrantsOfTokens()), ([id]) => Number(id));
  return rows.map((row) => {
    const token = tokenOf(row);
    const [description, ...creator] = row.slice(8);
    const actions = token.type === 'custom' ? (grants.get(token.id) ?? []).map(([, action]) => String(action)) : [];
    return {
      ...token,
      description: String(description ?? ''),
      permissions: [...new Set(actions)].sort(),
      createdBy: personOfRow(creator),
    };
  });
}

/** The content API token of a secret, expired or not; undefined if there is none. */
export async function findBySecret(db: Queryable, secret: string, salt: string): Promise<StoredToken | undefined> {
  const accessKey = accessKeyOf(secret, salt);
  const rows = await query(db, compileTokensOfKey(), [accessKey]);
  // the database's comparison may reveal the HMAC by its duration, but never the secret
  return rows.map(tokenOf).find((token) => isEqual(token.accessKey, accessKey));
}

/** Whether two texts are equal, in time that depends only on their length. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The actions of a custom token, including Galley's own, sorted. */
export async function listTokenActions(db: Queryable, id: number): Promise<string[]> {
  const rows = await query(db, compileTokenActions(), [id]);
  return rows.map(([action]) => String(action)).sort();
}

/** The secret of a stored token; undefined if the project's keys cannot recover it. */
export function recoverSecret(token: StoredToken, keys: TokenKeys): string | undefined {
  if (token.encryptedKey === null || keys.encryptionKey === undefined) return undefined;
  const secret = decryptSecret(token.encryptedKey, keys.encryptionKey);
  // a copy that does not match the stored HMAC would be refused
  return secret !== undefined && accessKeyOf(secret, keys.apiTokenSalt) === token.accessKey ? secret : undefined;
}

/**
 * Stores a new token with its grants. Returns its row id and its secret, 256 hexadecimal digits, which is not shown
 * again. Runs in a transaction.
 */
export async function createToken(
  tx: Transaction,
  keys: TokenKeys,
  token: NewToken,
  now = Date.now(),
): Promise<{ id: number; secret: string }> {
  const { secret, accessKey, encryptedKey } = newSecret(keys);
  const columns = documentColumns(tx, now);
  const id = await insertRow(tx, 'strapi_api_tokens', {
    name: token.name,
    description: token.description ?? '',
    kind: 'content-api',
    type: token.type,
    access_key: accessKey,
    encrypted_key: encryptedKey,
    lifespan: token.lifespan,
    expires_at: token.lifespan === null ? null : tx.dialect.encodeTime(now + token.lifespan),
    ...(token.createdBy === undefined ? {} : { created_by_id: token.createdBy, updated_by_id: token.createdBy }),
    ...columns,
  });
  recordRowChange(tx, TOKEN_UID, String(columns['document_id']), 'created', id, { name: token.name });
  await addTokenGrants(tx, id, token.permissions, now);
  return { id, secret };
}

/**
 * Changes a token. Its secret and expiry stay. A token that is no longer custom loses its grants. Runs in a
 * transaction.
 *
 * @param by the row id of the administrator who changes it.
 */
export async function updateToken(
  tx: Transaction,
  { id, type: before }: Pick<StoredToken, 'id' | 'type'>,
  { name, description, type, permissions }: TokenChange,
  by: number,
  now = Date.now(),
): Promise<void> {
  const named = Object.entries({ name, description, type }).filter(([, value]) => value !== undefined);
  const time = tx.dialect.encodeTime(now);
  await updateRows(
    tx,
    'strapi_api_tokens',
    { ...Object.fromEntries(named), updated_at: time, updated_by_id: by },
    { id },
  );
  const [row] = await selectRows(tx, 'strapi_api_tokens', ['document_id', 'name'], { id });
  const fields = [...named.map(([field]) => field), ...(permissions ? ['permissions'] : [])];
  recordRowChange(tx, TOKEN_UID, String(row?.[0]), 'updated', id, { name: String(row?.[1]), fields });
  const wanted = (type ?? before) === 'custom' ? permissions : [];
  if (wanted) await setTokenGrants(tx, id, new Set(wanted), now);
}

/** Sets the grants of a token: missing ones are added, others removed, and existing rows stay. */
async function setTokenGrants(tx: Transaction, id: number, wanted: ReadonlySet<string>, now: number): Promise<void> {
  const stored = await query(tx, compileTokenPermissions(), [id]);
  const own = await selectRows(tx, 'galley_permissions', ['id', 'action'], { token_id: id }, ['id']);
  for (const [permission, action] of stored) {
    if (wanted.has(String(action))) continue;
    await deleteRows(tx, 'strapi_api_token_permissions_token_lnk', { api_token_permission_id: Number(permission) });
    await deleteRows(tx, 'strapi_api_token_permissions', { id: Number(permission) });
  }
  for (const [grant, action] of own) {
    if (!wanted.has(String(action))) await deleteRows(tx, 'galley_permissions', { id: Number(grant) });
  }
  const present = new Set([...stored, ...own].map(([, action]) => String(action)));
  await addTokenGrants(
    tx,
    id,
    [...wanted].filter((action) => !present.has(action)),
    now,
  );
}

async function addTokenGrants(tx: Transaction, id: number, actions: Iterable<string>, now: number): Promise<void> {
  const [next] = await query(tx, compileNextTokenGrantOrder(), [id]);
  let order = Number(next![0]);
  for (const action of new Set(actions)) {
    if (isOwnAction(action)) {
      await insertRow(tx, 'galley_permissions', { token_id: id, action });
      continue;
    }
    const permission = await insertRow(tx, 'strapi_api_token_permissions', {
      action,
      ...documentColumns(tx, now),
    });
    await insertRow(tx, 'strapi_api_token_permissions_token_lnk', {
      api_token_permission_id: permission,
      api_token_id: id,
      api_token_permission_ord: order,
    });
    order += 1;
  }
}

/**
 * Replaces the secret of a token and returns it; the old one is invalid at once. Rights, name and expiry stay, unless
 * `lifespan` (milliseconds from now; null: forever) is set.
 */
export async function rotateToken(
  tx: Transaction,
  keys: TokenKeys,
  id: number,
  lifespan?: number | null,
  now = Date.now(),
): Promise<string> {
  const { secret, accessKey, encryptedKey } = newSecret(keys);
  const time = tx.dialect.encodeTime(now);
  const [changed] = await execute(tx, compileSetSecret(), [accessKey, encryptedKey, time, id]);
  if (changed) {
    const details = { name: String(changed[1]), action: 'api-token.regenerate' as const };
    recordRowChange(tx, TOKEN_UID, String(changed[0]), 'updated', id, details);
  }
  if (lifespan !== undefined) {
    const expiry = lifespan === null ? null : tx.dialect.encodeTime(now + lifespan);
    await updateRows(tx, 'strapi_api_tokens', { lifespan, expires_at: expiry }, { id });
  }
  return secret;
}

/** Deletes a token with its grants. Runs in a transaction. */
export async function revokeToken(tx: Transaction, id: number): Promise<void> {
  // not left to foreign keys, which a database may lack
  const links = 'strapi_api_token_permissions_token_lnk';
  const permissions = await selectRows(tx, links, ['api_token_permission_id'], { api_token_id: id });
  await deleteRows(tx, links, { api_token_id: id });
  for (const [permission] of permissions) {
    await deleteRows(tx, 'strapi_api_token_permissions', { id: Number(permission) });
  }
  await deleteRows(tx, 'galley_permissions', { token_id: id });
  const [token] = await execute(tx, compileDeleteToken(), [id]);
  if (token) recordRowChange(tx, TOKEN_UID, String(token[0]), 'deleted', id, { name: String(token[1]) });
}

/** A secret of 256 hexadecimal digits, and its stored form. */
function newSecret({ apiTokenSalt, encryptionKey }: TokenKeys) {
  const secret = randomBytes(128).toString('hex');
  return {
    secret,
    accessKey: accessKeyOf(secret, apiTokenSalt),
    encryptedKey: encryptionKey === undefined ? null : encryptSecret(secret, encryptionKey),
  };
}

function cipherKey(encryptionKey: string): Buffer {
  return createHash('sha256').update(encryptionKey).digest();
}

const HOUR = 3_600_000;
/** Milliseconds after which a failed write is repeated. */
const RETRY = 60_000;
/** Uses within these milliseconds are written together. */
const GATHER = 100;
/** Tokens with a cached last use. */
const TOKENS = 1000;

export class TokenUse {
  readonly #database: Database;
  /** Epoch milliseconds until which nothing is written, by row id of the token. */
  readonly #quietUntil = new LruCache<number, number>(TOKENS);
  readonly #unwritten = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Records a use. It never fails and does not wait; failed writes are repeated later.
   *
   * @param lastUsedAt epoch milliseconds, as stored when the token was read.
   */
  note(id: number, lastUsedAt: number | null): void {
    const now = Date.now();
    const quietUntil = this.#quietUntil.get(id) ?? (lastUsedAt ?? 0) + HOUR;
    // a time further ahead was stored by a wrong clock
    if (now < quietUntil && quietUntil <= now + HOUR) return;
    this.#quietUntil.set(id, now + HOUR);
    this.#unwritten.add(id);
    this.#timer ??= setTimeout(() => void this.#write(), GATHER).unref();
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const ids = [...this.#unwritten];
    this.#unwritten.clear();
    try {
      const { dialect } = this.#database;
      const now = Date.now();
      const times = [now, now - HOUR].map((time) => dialect.encodeTime(time));
      await this.#database.transaction(
        async (tx) => {
          for (const id of ids) await execute(tx, compileSetLastUsed(), [times[0]!, id, times[1]!]);
        },
        { waits: false },
      );
    } catch {
      for (const id of ids) this.#quietUntil.set(id, Date.now() + RETRY);
    }
  }
}
