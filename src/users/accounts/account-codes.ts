/**
 * Codes that are mailed to prove that somebody reads an account's mail. Each is valid once; the database stores hashes,
 * so who reads it cannot use them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { deleteRows, execute, query, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import {
  compileAccountOfConfirmationCode,
  compileAccountOfResetCode,
  compileDropReferenceCode,
  compileSetConfirmationCode,
  compileSetResetCode,
  compileUseResetCode,
} from '../../sql/accounts/accounts.ts';

/** How long a code that resets a password is valid, in milliseconds. */
export const RESET_LIFESPAN = 3_600_000;

const BYTES = 32;
/** Longer strings are not codes: those of the reference have up to 128 characters. */
const LENGTH = 256;

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Takes the place of an account where there is none: no row has this id, and its codes are never valid. */
export const NOBODY_ID = 0;

/** Makes a code that resets an account's password; earlier ones are void. */
export async function makeResetCode(tx: Transaction, userId: number): Promise<string> {
  const code = randomBytes(BYTES).toString('hex');
  await setResetCode(tx, userId, code);
  return code;
}

/** Sets the code that resets an account's password, valid from now; earlier ones are void. */
export async function setResetCode(tx: Transaction, userId: number, code: string, now = Date.now()): Promise<void> {
  const until = tx.dialect.encodeTime(now + RESET_LIFESPAN);
  await execute(tx, compileSetResetCode(), [userId, hashOf(code), until]);
}

/** The account whose password a code resets; undefined for a code that is unknown, used or too old. */
export async function findResetCode(db: Queryable, code: string, now = Date.now()): Promise<number | undefined> {
  if (code.length > LENGTH) return undefined;
  const [row] = await query(db, compileAccountOfResetCode(), [hashOf(code), db.dialect.encodeTime(now)]);
  return accountOf(row);
}

/** The account that a row with a code is of. */
function accountOf(row: Row | undefined): number | undefined {
  const id = Number(row?.[0] ?? NOBODY_ID);
  return id === NOBODY_ID ? undefined : id;
}

/** Uses a code up; false when it was used meanwhile. Run it in the transaction that sets the password. */
export async function useResetCode(tx: Transaction, userId: number, code: string): Promise<boolean> {
  const used = await execute(tx, compileUseResetCode(), [userId, hashOf(code)]);
  return used.length > 0;
}

/** Makes the reset code of an account void: its password, or its address, is another one now. */
export async function dropResetCode(tx: Transaction, userId: number): Promise<void> {
  await updateRows(tx, 'galley_accounts', { reset_hash: null, reset_until: null }, { user_id: userId });
}

/** Makes a code that confirms an account's address; earlier ones are void, those of the reference included. */
export async function makeConfirmationCode(tx: Transaction, userId: number): Promise<string> {
  const code = randomBytes(BYTES).toString('hex');
  await setConfirmationCode(tx, userId, code);
  return code;
}

/** Sets the code that confirms an account's address; earlier ones are void, those of the reference included. */
export async function setConfirmationCode(tx: Transaction, userId: number, code: string): Promise<void> {
  await dropConfirmationCode(tx, userId);
  await execute(tx, compileSetConfirmationCode(), [userId, hashOf(code)]);
}

/** The account whose address a code confirms, the codes that the reference mailed included. */
export async function findConfirmationCode(db: Queryable, code: string): Promise<number | undefined> {
  if (code.length > LENGTH || code.includes('\0') || !code.isWellFormed()) return undefined;
  const [row] = await query(db, compileAccountOfConfirmationCode(), [hashOf(code), code]);
  return accountOf(row);
}

/** Makes the confirmation code of an account void: it was used, or the address is another one now. */
export async function dropConfirmationCode(tx: Transaction, userId: number): Promise<void> {
  await updateRows(tx, 'galley_accounts', { confirmation_hash: null }, { user_id: userId });
  await execute(tx, compileDropReferenceCode(), [userId]);
}

/** Forgets what is kept of an account that is deleted. */
export async function dropAccount(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, 'galley_accounts', { user_id: userId });
  await deleteRows(tx, 'galley_sessions', { user_id: userId });
}
