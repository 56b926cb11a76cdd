/**
 * API tokens as the reference stores them (behaviour-storage.md, "Accounts, tokens, locales, files"): the database
 * holds an HMAC of the secret and, when the project has an encryption key, a copy that the key opens.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { documentColumns, insertRow, runStatement, type Store } from '../content/system-rows.ts';
import { slot, sql } from '../sql/fragment.ts';
import { isOwnAction } from './actions.ts';

export const TOKEN_TYPES = ['read-only', 'full-access', 'custom'] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** The part of the configuration that keys tokens. */
export type TokenKeys = Pick<Config, 'apiTokenSalt' | 'encryptionKey'>;

export interface NewToken {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type: TokenType;
  /** Actions of a custom token; empty for the others. */
  readonly permissions: readonly string[];
  /** How long it lives, in ms; null: for ever. */
  readonly lifespan: number | null;
}

/** What `findToken` gives of a stored token. */
export interface StoredToken {
  readonly id: number;
  readonly accessKey: string;
  readonly encryptedKey: string | null;
}

/** The `access_key` of a secret: its hexadecimal HMAC-SHA-512, keyed with the salt. */
export function accessKeyOf(secret: string, salt: string): string {
  return createHmac('sha512', salt).update(secret).digest('hex');
}

/** The copy of a secret that `encryptionKey` opens: `v1:iv:cipher:tag`, AES-256-GCM, all hexadecimal. */
export function encryptSecret(secret: string, encryptionKey: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(encryptionKey), iv);
  const encrypted = cipher.update(secret, 'utf8', 'hex') + cipher.final('hex');
  return ['v1', iv.toString('hex'), encrypted, cipher.getAuthTag().toString('hex')].join(':');
}

/** The secret of such a copy; undefined when the copy is of another form or was made with another key. */
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

/** The content API token of this name, the oldest when several bear it. */
export async function findToken(store: Store, name: string): Promise<StoredToken | undefined> {
  const rows = await runStatement(
    store,
    sql`select "id", "access_key", "encrypted_key" from "strapi_api_tokens"
      where "name" = ${slot(0)} and ("kind" is null or "kind" = 'content-api') order by "id"`,
    [name],
  );
  const row = rows[0];
  if (!row) return undefined;
  return { id: Number(row[0]), accessKey: String(row[1]), encryptedKey: row[2] === null ? null : String(row[2]) };
}

/** The secret of a stored token; undefined when it cannot be recovered with the project's keys. */
export function recoverSecret(token: StoredToken, keys: TokenKeys): string | undefined {
  if (token.encryptedKey === null || keys.encryptionKey === undefined) return undefined;
  const secret = decryptSecret(token.encryptedKey, keys.encryptionKey);
  // A copy that does not belong to the stored HMAC would be refused at every request.
  return secret !== undefined && accessKeyOf(secret, keys.apiTokenSalt) === token.accessKey ? secret : undefined;
}

/**
 * Stores a new token with its grants and gives its row id and its secret, 256 hexadecimal digits, which nothing else
 * tells again. Run it in a transaction: a custom token is several rows.
 */
export async function createToken(
  store: Store,
  keys: TokenKeys,
  token: NewToken,
  now = Date.now(),
): Promise<{ id: number; secret: string }> {
  const secret = randomBytes(128).toString('hex');
  const id = await insertRow(store, 'strapi_api_tokens', {
    name: token.name,
    description: token.description ?? '',
    kind: 'content-api',
    type: token.type,
    access_key: accessKeyOf(secret, keys.apiTokenSalt),
    encrypted_key: keys.encryptionKey === undefined ? null : encryptSecret(secret, keys.encryptionKey),
    lifespan: token.lifespan,
    expires_at: token.lifespan === null ? null : store.dialect.encodeTime(now + token.lifespan),
    ...documentColumns(store, now),
  });
  let order = 0;
  for (const action of new Set(token.permissions)) {
    if (isOwnAction(action)) {
      await insertRow(store, 'galley_permissions', { token_id: id, action });
      continue;
    }
    order += 1;
    const permission = await insertRow(store, 'strapi_api_token_permissions', {
      action,
      ...documentColumns(store, now),
    });
    await insertRow(store, 'strapi_api_token_permissions_token_lnk', {
      api_token_permission_id: permission,
      api_token_id: id,
      api_token_permission_ord: order,
    });
  }
  return { id, secret };
}

function cipherKey(encryptionKey: string): Buffer {
  return createHash('sha256').update(encryptionKey).digest();
}
