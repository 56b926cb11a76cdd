/**
 * The hash of an account's password, for code that signs users in (`validatePassword(text, user.password)`), and
 * whether mailed codes are pending. The properties are not enumerable, so copies and answers do not contain them.
 */
import { hashPassword } from '../../content/validation/password-hashing.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { LruCache } from '../../lru-cache.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { findPendingCodes } from '../../users/accounts/account-codes.ts';
import { findById } from '../../users/accounts/account-rows.ts';

/**
 * Adds the hash to an account that was read; other values are returned unchanged. @param id its row, where it has none.
 */
export async function withHash<T>(db: Queryable, uid: string, found: T, id?: number): Promise<T> {
  if (uid !== USER_UID) return found;
  const user: unknown = Array.isArray(found) && found.length === 1 ? found[0] : found;
  if (typeof user !== 'object' || user === null || Array.isArray(user)) return found;
  const row = id ?? (user as { readonly id?: unknown }).id;
  const account = typeof row === 'number' ? await findById(db, row) : undefined;
  if (account) {
    hide(user, 'password', account.password);
    for (const [name, code] of Object.entries(await findPendingCodes(db, account.id))) hide(user, name, code);
  }
  return found;
}

function hide(user: object, name: string, value: unknown): void {
  if (!Object.hasOwn(user, name)) Object.defineProperty(user, name, { value, configurable: true, writable: true });
}

/** Names of fields without that of the hash, which is no field. */
export function withoutHash(uid: string, names: readonly unknown[]): readonly unknown[] {
  return uid === USER_UID ? names.filter((name) => name !== 'password') : names;
}

/** Of this process, with a cap. */
const passed = new LruCache<string, true>(1000);

/**
 * The hash of a password, for code.
 *
 * @throws TypeError for a value that is not a text: a missing setting must not become a password.
 */
export async function issueHash(password: unknown): Promise<string> {
  if (typeof password !== 'string' || password === '')
    throw new TypeError('a password to be hashed must be a text that is not empty');
  const hash = await hashPassword(password);
  passed.set(hash, true);
  return hash;
}

/** Whether a text is a hash that was passed to code. */
export const isIssuedHash = (text: string): boolean => passed.get(text) === true;
