/**
 * Second factors of administrators: codes of an authenticator app, each good once, and recovery codes for whoever has
 * lost it, which are kept as hashes.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import {
  compileEnableSecondFactor,
  compileOfferSecret,
  compileRenewRecoveryCodes,
  compileUseRecoveryCode,
  compileUseStep,
} from '../../sql/administrators/sessions.ts';
import { decryptSecret, encryptSecret } from '../sessions/tokens.ts';
import { base32, newTotpSecret, stepOfCode } from './totp.ts';

const TABLE = 'galley_admin_second_factors';
const RECOVERY_CODES = 10;
/** Bytes of a recovery code: 80 bits, so that a plain hash of it gives nothing away. */
const RECOVERY_BYTES = 10;

/**
 * Begins to set up a second factor with a new secret, and gives that in base32; undefined where one is on already.
 *
 * @param encryptionKey what the secret is stored encrypted with; undefined: as it is.
 */
export async function offerSecret(
  tx: Transaction,
  userId: number,
  encryptionKey: string | undefined,
): Promise<string | undefined> {
  const secret = newTotpSecret();
  const stored = encryptionKey === undefined ? secret : encryptSecret(secret, encryptionKey);
  const offered = await execute(tx, compileOfferSecret(), [userId, stored]);
  return offered.length > 0 ? secret : undefined;
}

/**
 * Turns the second factor on that was offered, and gives its recovery codes, which nothing tells again; undefined where
 * the code is not the secret's.
 */
export async function enableSecondFactor(
  tx: Transaction,
  userId: number,
  code: string,
  encryptionKey: string | undefined,
  now = Date.now(),
): Promise<readonly string[] | undefined> {
  const [row] = await selectRows(tx, TABLE, ['secret'], { user_id: userId });
  const stored = row === undefined ? undefined : String(row[0]);
  const secret = stored === undefined ? undefined : openSecret(stored, encryptionKey);
  const step = secret === undefined ? undefined : stepOfCode(secret, code, now);
  if (step === undefined) return undefined;
  const { codes, hashes } = newRecoveryCodes();
  const values = [tx.dialect.encodeTime(now), step, hashes, userId, stored!];
  const enabled = await execute(tx, compileEnableSecondFactor(), values);
  return enabled.length > 0 ? codes : undefined;
}

/** Makes recovery codes in the place of all that there were, which nothing tells again; undefined where no factor is on. */
export async function renewRecoveryCodes(tx: Transaction, userId: number): Promise<readonly string[] | undefined> {
  const { codes, hashes } = newRecoveryCodes();
  const renewed = await execute(tx, compileRenewRecoveryCodes(), [hashes, userId]);
  return renewed.length > 0 ? codes : undefined;
}

/** How many recovery codes are not used yet, and of how many; undefined where no factor is on. */
export async function recoveryCodesLeft(
  db: Queryable,
  userId: number,
): Promise<{ readonly left: number; readonly of: number } | undefined> {
  const [row] = await selectRows(db, TABLE, ['enabled_at', 'recovery_hashes'], { user_id: userId });
  if (row === undefined || row[0] === null) return undefined;
  return { left: (JSON.parse(String(row[1] ?? '[]')) as string[]).length, of: RECOVERY_CODES };
}

/** Uses up a code of the app, or a recovery code; false for one that is wrong or was used before. */
export async function useCode(
  tx: Transaction,
  userId: number,
  code: string,
  encryptionKey: string | undefined,
  now = Date.now(),
): Promise<boolean> {
  const [row] = await selectRows(tx, TABLE, ['secret', 'recovery_hashes'], { user_id: userId });
  if (!row) return false;
  const secret = openSecret(String(row[0]), encryptionKey);
  const step = secret === undefined ? undefined : stepOfCode(secret, code, now);
  if (step !== undefined) return (await execute(tx, compileUseStep(), [step, userId])).length > 0;
  const known = String(row[1] ?? '[]');
  const hashes = JSON.parse(known) as string[];
  const hash = hashOfRecoveryCode(code);
  if (!hashes.includes(hash)) return false;
  const left = JSON.stringify(hashes.filter((other) => other !== hash));
  return (await execute(tx, compileUseRecoveryCode(), [left, userId, known])).length > 0;
}

/** Removes the second factor of an administrator, on or only offered. */
export async function dropSecondFactor(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, TABLE, { user_id: userId });
}

/** Whether a second factor is on. */
export async function hasSecondFactor(db: Queryable, userId: number): Promise<boolean> {
  const [row] = await selectRows(db, TABLE, ['enabled_at'], { user_id: userId });
  return row !== undefined && row[0] !== null;
}

/** A stored secret; undefined for one that was encrypted with a key that is not the project's any more. */
function openSecret(stored: string, encryptionKey: string | undefined): string | undefined {
  if (!stored.startsWith('v1:')) return stored;
  return encryptionKey === undefined ? undefined : decryptSecret(stored, encryptionKey);
}

function newRecoveryCodes(): { readonly codes: readonly string[]; readonly hashes: string } {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  return { codes, hashes: JSON.stringify(codes.map(hashOfRecoveryCode)) };
}

/** `ABCD-EFGH-IJKL-MNOP`. */
function newRecoveryCode(): string {
  return base32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g)!.join('-');
}

function hashOfRecoveryCode(code: string): string {
  const plain = code.replaceAll(/[\s-]/g, '').toUpperCase();
  return createHash('sha256').update(plain).digest('hex');
}
