/**
 * Codes that are mailed to prove that somebody reads an account's mail. Each is valid once; the database stores hashes,
 * so who reads it cannot use them.
 */
import { createHash, randomBytes } from 'node:crypto';
import { execute, query } from '../../content/writing/system-rows.ts';
import type { Queryable, Row } from '../../db/queryable.ts';
import type { Transaction } from '../../db/transaction.ts';
import { slot, sql } from '../../sql/fragment.ts';

/** How long a code that resets a password is valid, in milliseconds. */
export const RESET_LIFESPAN = 3_600_000;

const BYTES = 32;
/** Longer strings are not codes: those of the reference have up to 128 characters. */
const LENGTH = 256;

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Takes the place of an account where there is none: no row has this id, and its codes are never valid. */
export const NOBODY_ID = 0;

/** Makes a code that resets an account's password; earlier ones are void. */
export async function makeResetCode(tx: Transaction, userId: number, now = Date.now()): Promise<string> {
  const code = randomBytes(BYTES).toString('hex');
  await execute(
    tx,
    sql`insert into "galley_accounts" ("user_id", "reset_hash", "reset_until")
        values (${slot(0)}, ${slot(1)}, ${slot(2)})
        on conflict ("user_id") do update
        set "reset_hash" = excluded."reset_hash", "reset_until" = excluded."reset_until"`,
    [userId, hashOf(code), tx.dialect.encodeTime(now + RESET_LIFESPAN)],
  );
  return code;
}

/** The account whose password a code resets; undefined for a code that is unknown, used or too old. */
export async function findResetCode(db: Queryable, code: string, now = Date.now()): Promise<number | undefined> {
  if (code.length > LENGTH) return undefined;
  const [row] = await query(
    db,
    sql`select "user_id" from "galley_accounts" where "reset_hash" = ${slot(0)} and "reset_until" > ${slot(1)}`,
    [hashOf(code), db.dialect.encodeTime(now)],
  );
  return accountOf(row);
}

/** The account that a row with a code is of. */
function accountOf(row: Row | undefined): number | undefined {
  const id = Number(row?.[0] ?? NOBODY_ID);
  return id === NOBODY_ID ? undefined : id;
}

/** Uses a code up; false when it was used meanwhile. Run it in the transaction that sets the password. */
export async function useResetCode(tx: Transaction, userId: number, code: string): Promise<boolean> {
  const used = await execute(
    tx,
    sql`update "galley_accounts" set "reset_hash" = null, "reset_until" = null
        where "user_id" = ${slot(0)} and "reset_hash" = ${slot(1)} returning "id"`,
    [userId, hashOf(code)],
  );
  return used.length > 0;
}

/** Makes the reset code of an account void: its password, or its address, is another one now. */
export async function dropResetCode(tx: Transaction, userId: number): Promise<void> {
  await execute(
    tx,
    sql`update "galley_accounts" set "reset_hash" = null, "reset_until" = null where "user_id" = ${slot(0)}`,
    [userId],
  );
}

/** Makes a code that confirms an account's address; earlier ones are void, those of the reference included. */
export async function makeConfirmationCode(tx: Transaction, userId: number): Promise<string> {
  const code = randomBytes(BYTES).toString('hex');
  await dropConfirmationCode(tx, userId);
  await execute(
    tx,
    sql`insert into "galley_accounts" ("user_id", "confirmation_hash") values (${slot(0)}, ${slot(1)})
        on conflict ("user_id") do update set "confirmation_hash" = excluded."confirmation_hash"`,
    [userId, hashOf(code)],
  );
  return code;
}

/** The account whose address a code confirms, the codes that the reference mailed included. */
export async function findConfirmationCode(db: Queryable, code: string): Promise<number | undefined> {
  if (code.length > LENGTH || code.includes('\0') || !code.isWellFormed()) return undefined;
  const [row] = await query(
    db,
    sql`select "user_id" from "galley_accounts" where "confirmation_hash" = ${slot(0)}
        union all select "id" from "up_users" where "confirmation_token" = ${slot(1)}`,
    [hashOf(code), code],
  );
  return accountOf(row);
}

/** Makes the confirmation code of an account void: it was used, or the address is another one now. */
export async function dropConfirmationCode(tx: Transaction, userId: number): Promise<void> {
  await execute(tx, sql`update "galley_accounts" set "confirmation_hash" = null where "user_id" = ${slot(0)}`, [
    userId,
  ]);
  await execute(
    tx,
    sql`update "up_users" set "confirmation_token" = null where "id" = ${slot(0)} and "confirmation_token" is not null`,
    [userId],
  );
}

/** Forgets what is kept of an account that is deleted. */
export async function dropAccount(tx: Transaction, userId: number): Promise<void> {
  await execute(tx, sql`delete from "galley_accounts" where "user_id" = ${slot(0)}`, [userId]);
  await execute(tx, sql`delete from "galley_sessions" where "user_id" = ${slot(0)}`, [userId]);
}
