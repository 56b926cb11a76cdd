/**
 * Second factors of administrators: codes of an authenticator app, each valid once, and recovery codes, stored as
 * hashes, for a lost app.
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
/** Bytes of a recovery code: with 80 bits a plain hash is safe. */
const RECOVERY_BYTES = 10;

/**
 * Offers a second factor with a new secret, returned in base32; undefined if one is enabled.
 *
 * @param encryptionKey encrypts the stored secret; undefined: it is stored unencrypted.
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
 * Enables the offered second factor. Returns its recovery codes, which are not shown again; undefined for a wrong code.
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

/** Replaces all recovery codes, which are not shown again; undefined without a second factor. */
export async function renewRecoveryCodes(tx: Transaction, userId: number): Promise<readonly string[] | undefined> {
  const { codes, hashes } = newRecoveryCodes();
  const renewed = await execute(tx, compileRenewRecoveryCodes(), [hashes, userId]);
  return renewed.length > 0 ? codes : undefined;
}

/** The number of unused recovery codes, and of all; undefined without a second factor. */
export async function recoveryCodesLeft(
  db: Queryable,
  userId: number,
): Promise<{ readonly left: number; readonly of: number } | undefined> {
  const [row] = await selectRows(db, TABLE, ['enabled_at', 'recovery_hashes'], { user_id: userId });
  if (row === undefined || row[0] === null) return undefined;
  return { left: (JSON.parse(String(row[1] ?? '[]')) as string[]).length, of: RECOVERY_CODES };
}

/** Uses a code of the app or a recovery code; false if it is wrong or was used before. */
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
  const remaining = JSON.stringify(hashes.filter((other) => other !== hash));
  return (await execute(tx, compileUseRecoveryCode(), [remaining, userId, known])).length > 0;
}

/** Removes the enabled or offered second factor of an administrator. */
export async function dropSecondFactor(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, TABLE, { user_id: userId });
}

/** Whether a second factor is enabled. */
export async function hasSecondFactor(db: Queryable, userId: number): Promise<boolean> {
  const [row] = await selectRows(db, TABLE, ['enabled_at'], { user_id: userId });
  return row !== undefined && row[0] !== null;
}

/** A stored secret; undefined if it was encrypted with another key. */
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
