/**
 * The hash of an account's password, for code that signs somebody in by itself (`validatePassword(text, user.password)`).
 * It is a property that nothing lists: code which hands the account on, copies it, or answers with it hands on no hash.
 */
import type { Queryable } from '../../../db/interface/queryable.ts';
import { USER_UID } from '../../../schema/catalog.ts';
import { findById } from '../../../users/accounts/account-rows.ts';

/** Gives one account that was read its hash; whatever else was read stays as it is. @param id its row, where it has none. */
export async function withHash<T>(db: Queryable, uid: string, found: T, id?: number): Promise<T> {
  if (uid !== USER_UID) return found;
  const user: unknown = Array.isArray(found) && found.length === 1 ? found[0] : found;
  if (typeof user !== 'object' || user === null || Array.isArray(user)) return found;
  const row = id ?? (user as { readonly id?: unknown }).id;
  const account = typeof row === 'number' ? await findById(db, row) : undefined;
  if (account) Object.defineProperty(user, 'password', { value: account.password, configurable: true, writable: true });
  return found;
}

/** Names of fields without that of the hash, which is no field. */
export function withoutHash(uid: string, names: readonly unknown[]): readonly unknown[] {
  return uid === USER_UID ? names.filter((name) => name !== 'password') : names;
}
