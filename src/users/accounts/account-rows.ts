/** Reads accounts in `up_users`: for logins, by address, and for names that exist. */
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import { valueLock } from '../../content/rows/locks.ts';
import type { NewAction } from '../../db/interface/action.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { isStorable } from '../../query/relation-payload.ts';
import { type ContentType, USER_UID } from '../../schema/catalog.ts';
import {
  compileAccountOfEmail,
  compileAccountOfId,
  compileAccountOfIdentifier,
  compileTakenNames,
} from '../../sql/accounts/accounts.ts';

/** The values of an account for logins and mails. */
export interface AccountRow {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
  /** `local` for accounts with a password. */
  readonly provider: string;
  /** The bcrypt hash; null if there is none. */
  readonly password: string | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
}

/** An account as the subject of an action. */
export const subjectOf = ({ documentId, username }: AccountRow) => ({ type: USER_UID, id: documentId, name: username });

/** What a site user does to the own account, in the log of actions. */
export const ownAction = (account: AccountRow): Omit<NewAction, 'action'> => ({
  ...subjectOf(account),
  by: { kind: 'user', id: account.id, name: account.username },
});

/** The account of an identifier: an e-mail address in any case, or the exact username. */
export async function findByIdentifier(db: Queryable, identifier: string): Promise<AccountRow | undefined> {
  if (!isStorable(identifier)) return undefined;
  const rows = await query(db, compileAccountOfIdentifier(), [identifier.toLowerCase(), identifier]);
  return rows.map(accountOf)[0];
}

/** The account of an e-mail address in any case. */
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

/** Engines return booleans as numbers or as booleans. */
export const isTrue = (value: unknown): boolean => value === true || value === 1;

/** The new names of an account; undefined ones are ignored. */
export interface NewNames {
  readonly username: string | undefined;
  /** In lower case. */
  readonly email: string | undefined;
}

/** The new names that another account has. */
export interface TakenNames {
  /** The address, and whether that account has a password. */
  readonly email: 'local' | 'other' | undefined;
  /** The same username. */
  readonly username: 'local' | 'other' | undefined;
  /** The username is another account's address in any case, or the address another account's username. */
  readonly crossed: 'local' | 'other' | undefined;
}

/**
 * Checks whether other accounts have these names (docs/reference/accounts.md, "Differences").
 *
 * @param exceptId row id of the account that gets them.
 */
export async function findTaken(
  db: Queryable,
  { username, email }: NewNames,
  exceptId: number | undefined,
): Promise<TakenNames> {
  const { dialect } = db;
  // null equals nothing, so a missing name matches no account
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

/** Serialises transactions that write these names in any case. */
export async function lockNames(tx: Transaction, type: ContentType, { username, email }: NewNames): Promise<void> {
  const names = [username, email].filter((name) => name !== undefined);
  await tx.lock(() => names.map((name) => valueLock(type, 'identifier', null, name.toLowerCase())));
}
