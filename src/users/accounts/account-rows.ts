/** Accounts looked up in `up_users`: for a login, by their address, and for names that are taken. */

import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import { valueLock } from '../../content/rows/locks.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { isStorable } from '../../query/relation-payload.ts';
import type { ContentType } from '../../schema/catalog.ts';
import {
  compileAccountOfEmail,
  compileAccountOfId,
  compileAccountOfIdentifier,
  compileTakenNames,
} from '../../sql/accounts/accounts.ts';

/** What a login, or a mail, has to know of an account. */
export interface AccountRow {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
  /** `local` for accounts with a password. */
  readonly provider: string;
  /** The bcrypt hash; null where there is none. */
  readonly password: string | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
}

/** The account that logs in by an identifier: an e-mail address in any letter case, or the exact user name. */
export async function findByIdentifier(db: Queryable, identifier: string): Promise<AccountRow | undefined> {
  if (!isStorable(identifier)) return undefined;
  const rows = await query(db, compileAccountOfIdentifier(), [identifier.toLowerCase(), identifier]);
  return rows.map(accountOf)[0];
}

/** The account of an e-mail address in any letter case. */
export async function findByEmail(db: Queryable, email: string): Promise<AccountRow | undefined> {
  if (!isStorable(email)) return undefined;
  const rows = await query(db, compileAccountOfEmail(), [email.toLowerCase()]);
  return rows.map(accountOf)[0];
}

/** The account of a row id. */
export async function findById(db: Queryable, id: number): Promise<AccountRow | undefined> {
  if (id > MAX_ROW_ID) return undefined;
  const rows = await query(db, compileAccountOfId(), [id]);
  return rows.map(accountOf)[0];
}

function accountOf(row: readonly unknown[]): AccountRow {
  const [id, documentId, username, email, provider, password, confirmed, blocked] = row;
  return {
    id: Number(id),
    documentId: String(documentId),
    username: String(username ?? ''),
    email: String(email ?? ''),
    provider: String(provider ?? ''),
    password: password === null ? null : String(password),
    confirmed: isTrue(confirmed),
    blocked: isTrue(blocked),
  };
}

/** Engines give booleans as numbers or as booleans. */
export const isTrue = (value: unknown): boolean => value === true || value === 1;

/** Names that an account is to have; undefined ones are ignored. */
export interface WantedNames {
  readonly username: string | undefined;
  /** In lower case. */
  readonly email: string | undefined;
}

/** What of the wanted names another account has. */
export interface TakenNames {
  /** Somebody's address, and whether by an account that logs in with a password. */
  readonly email: 'local' | 'other' | undefined;
  /** Exactly this user name. */
  readonly username: 'local' | 'other' | undefined;
  /** The user name is somebody's address in any letter case, or the address is somebody's user name. */
  readonly crossed: 'local' | 'other' | undefined;
}

/**
 * Checks whether other accounts have these names (docs/reference/accounts.md, "Differences").
 *
 * @param exceptId row id of the account that is to have them.
 */
export async function findTaken(
  db: Queryable,
  { username, email }: WantedNames,
  exceptId: number | undefined,
): Promise<TakenNames> {
  const { dialect } = db;
  // null equals nothing: a name that is not given matches no account, not even one without a name
  const rows = await query(db, compileTakenNames(dialect), [
    email ?? null,
    username ?? null,
    exceptId ?? 0,
    username?.toLowerCase() ?? null,
    email === undefined ? null : dialect.foldValue(email),
  ]);
  const taken: { -readonly [name in keyof TakenNames]: TakenNames[name] } = {
    email: undefined,
    username: undefined,
    crossed: undefined,
  };
  for (const [provider, hasEmail, hasUsername] of rows) {
    const kind = provider === 'local' ? 'local' : 'other';
    const name = Number(hasEmail) === 1 ? 'email' : Number(hasUsername) === 1 ? 'username' : 'crossed';
    taken[name] = taken[name] === 'local' ? 'local' : kind;
  }
  return taken;
}

/** Makes transactions that give accounts these names, whatever their letter case, follow each other. */
export async function lockNames(tx: Transaction, type: ContentType, { username, email }: WantedNames): Promise<void> {
  const names = [username, email].filter((name) => name !== undefined);
  await tx.lock(() => names.map((name) => valueLock(type, 'identifier', null, name.toLowerCase())));
}
