/**
 * Mailed codes that prove access to an account's mail. Each is valid once. The database stores hashes, so its readers
 * cannot use them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { deleteRows, execute, query, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import {
  compileAccountOfConfirmationCode,
  compileAccountOfResetCode,
  compileDropReferenceCode,
  compileSetConfirmationCode,
  compileSetResetCode,
  compileUseResetCode,
} from '../../sql/accounts/accounts.ts';

/** Milliseconds that a code for resetting a password is valid. */
export const RESET_LIFESPAN = 3_600_000;

const BYTES = 32;
/** Characters of a code; those of the reference have up to 128. */
const LENGTH = 256;

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Stands for a missing account: no row has this id, and its codes are never valid. */
export const NOBODY_ID = 0;

/** Creates a code for resetting an account's password; earlier ones become invalid. */
export async function makeResetCode(tx: Transaction, userId: number): Promise<string> {
  const code = randomBytes(BYTES).toString('hex');
  await setResetCode(tx, userId, code);
  return code;
}

/** Stores the code for resetting an account's password, valid from now; earlier ones become invalid. */
export async function setResetCode(tx: Transaction, userId: number, code: string, now = Date.now()): Promise<void> {
  const until = tx.dialect.encodeTime(now + RESET_LIFESPAN);
  await execute(tx, compileSetResetCode(), [userId, hashOf(code), until]);
}

/** The account whose password a code resets; undefined for an unknown, used or expired code. */
export async function findResetCode(db: Queryable, code: string, now = Date.now()): Promise<number | undefined> {
  if (code.length > LENGTH) return undefined;
  const [row] = await query(db, compileAccountOfResetCode(), [hashOf(code), db.dialect.encodeTime(now)]);
  return accountOf(row);
}

/** The account of a row with a code. */
function accountOf(row: Row | undefined): number | undefined {
  const id = Number(row?.[0] ?? NOBODY_ID);
  return id === NOBODY_ID ? undefined : id;
}

/** The pending codes of an account under the names of its attributes: their hashes, or those of the reference; null: none. */
export async function findPendingCodes(db: Queryable, userId: number) {
  const columns = ['reset_hash', 'reset_until', 'confirmation_hash'];
  const [[reset, until, confirmation] = []] = await selectRows(db, 'galley_accounts', columns, { user_id: userId });
  const [[ofReference] = []] = await selectRows(db, 'up_users', ['confirmation_token'], { id: userId });
  return {
    resetPasswordToken: until === null || until === undefined ? null : (reset ?? null),
    confirmationToken: confirmation ?? ofReference ?? null,
  };
}

/** Uses a code; false if it was used meanwhile. Runs in the transaction that sets the password. */
export async function useResetCode(tx: Transaction, userId: number, code: string): Promise<boolean> {
  const used = await execute(tx, compileUseResetCode(), [userId, hashOf(code)]);
  return used.length > 0;
}

/** Invalidates the reset code of an account, after a change of its password or address. */
export async function dropResetCode(tx: Transaction, userId: number): Promise<void> {
  await updateRows(tx, 'galley_accounts', { reset_hash: null, reset_until: null }, { user_id: userId });
}

/** Creates a code for confirming an account's address; earlier ones become invalid, including the reference's. */
export async function makeConfirmationCode(tx: Transaction, userId: number): Promise<string> {
  const code = randomBytes(BYTES).toString('hex');
  await setConfirmationCode(tx, userId, code);
  return code;
}

/** Stores the code for confirming an account's address; earlier ones become invalid, including the reference's. */
export async function setConfirmationCode(tx: Transaction, userId: number, code: string): Promise<void> {
  await dropConfirmationCode(tx, userId);
  await execute(tx, compileSetConfirmationCode(), [userId, hashOf(code)]);
}

/** The account whose address a code confirms, including codes mailed by the reference. */
export async function findConfirmationCode(db: Queryable, code: string): Promise<number | undefined> {
  if (code.length > LENGTH || code.includes('\0') || !code.isWellFormed()) return undefined;
  const [row] = await query(db, compileAccountOfConfirmationCode(), [hashOf(code), code]);
  return accountOf(row);
}

/** Invalidates the confirmation code of an account, after its use or a change of the address. */
export async function dropConfirmationCode(tx: Transaction, userId: number): Promise<void> {
  await updateRows(tx, 'galley_accounts', { confirmation_hash: null }, { user_id: userId });
  await execute(tx, compileDropReferenceCode(), [userId]);
}

/** Deletes the codes of a deleted account. */
export async function dropAccount(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, 'galley_accounts', { user_id: userId });
  await deleteRows(tx, 'galley_sessions', { user_id: userId });
}
