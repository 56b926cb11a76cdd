/**
 * Sessions of administrators: rows of `galley_admin_sessions`. The browser has a random token, of which the database
 * stores a hash. The token is renewed while it is used. The previous token stays valid for a moment, for requests under
 * way, and until the new one is used, since its answer may have been lost.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { AdminConfig, SessionLifespan } from '../../config/config.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { compileNoteLastUse } from '../../sql/administrators/accounts.ts';
import {
  compileDeleteExpiredSessions,
  compileDeleteOldestSessions,
  compileDeleteOtherSessions,
  compileDeleteSessionOf,
  compileNoteUse,
  compileOpenSession,
  compileRenewToken,
  compileSessionOfToken,
  compileSessionsOfAdministrator,
} from '../../sql/administrators/sessions.ts';
import { isTrue } from '../accounts/account-rows.ts';
import { passwordMark } from '../sessions/sessions.ts';

const TABLE = 'galley_admin_sessions';
const MINUTE = 60_000;

/** Sessions of one administrator; a further sign-in ends the oldest. */
const MAX_SESSIONS = 100;
/** Milliseconds of use after which a token is renewed. */
const RENEWAL = 15 * MINUTE;
/** Milliseconds that the previous token stays valid. */
export const GRACE = MINUTE;
/** Milliseconds between two updates of a session's last use. */
const NOTE = MINUTE;
/** Characters of a token. */
const TOKEN_LENGTH = 43;

/** The lifespans of sessions. */
export type Lifespans = AdminConfig['sessions'];

/** A token for the browser. */
export interface BrowserToken {
  readonly token: string;
  /** Seconds that the browser keeps it; undefined: until it closes. */
  readonly maxAge: number | undefined;
}

/** An open session. */
export interface OpenSession {
  readonly id: string;
  readonly userId: number;
  readonly passwordMark: string;
  readonly remembered: boolean;
  /** Whether the request's token is the previous one. */
  readonly isFormer: boolean;
  /** Epoch milliseconds. */
  readonly renewedAt: number;
  readonly usedAt: number;
  readonly endsAt: number;
  /** Whether the newest token has been used. */
  readonly isTokenUsed: boolean;
}

export interface AdministratorSession {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly device: string | null;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const newToken = (): string => randomBytes(32).toString('base64url');

/** Begins a session of an administrator with this password hash. Deletes sessions that have ended or are too many. */
export async function startAdministratorSession(
  tx: Transaction,
  { id: userId, password }: { id: number; password: string | null },
  { remembered, device, lifespans }: { remembered: boolean; device: string | null; lifespans: Lifespans },
  now = Date.now(),
): Promise<BrowserToken & { readonly id: string }> {
  const { encodeTime } = tx.dialect;
  await execute(tx, compileDeleteExpiredSessions(), [encodeTime(now)]);
  await execute(tx, compileDeleteOldestSessions(MAX_SESSIONS - 1), [userId]);
  const { idle, whole } = lifespanOf(lifespans, remembered);
  const [token, id] = [newToken(), randomBytes(16).toString('hex')];
  const bool = (value: boolean) => tx.dialect.encode(value, 'boolean');
  await insertRow(tx, TABLE, {
    session_id: id,
    user_id: userId,
    password_mark: passwordMark(password),
    token_hash: hashOf(token),
    former_hash: null,
    renewed_at: encodeTime(now),
    token_used: bool(false),
    remembered: bool(remembered),
    device_name: device,
    created_at: encodeTime(now),
    used_at: encodeTime(now),
    expires_at: encodeTime(now + Math.min(idle, whole)),
    ends_at: encodeTime(now + whole),
  });
  await execute(tx, compileNoteLastUse(), [userId, encodeTime(now)]);
  return { id, token, maxAge: maxAgeOf(remembered, now + whole, now) };
}

/** The session of a token, unless it has ended. The caller checks whether its administrator may sign in. */
export async function findAdministratorSession(
  db: Queryable,
  token: string,
  now = Date.now(),
): Promise<OpenSession | undefined> {
  if (token.length !== TOKEN_LENGTH) return undefined;
  const [row] = await query(db, compileSessionOfToken(), [hashOf(token), db.dialect.encodeTime(now)]);
  if (!row) return undefined;
  const [id, userId, mark, former, renewedAt, tokenUsed, remembered, usedAt, , endsAt] = row;
  return {
    id: String(id),
    userId: Number(userId),
    passwordMark: String(mark),
    isFormer: Number(former) === 1,
    renewedAt: Number(renewedAt),
    isTokenUsed: isTrue(tokenUsed),
    remembered: isTrue(remembered),
    usedAt: Number(usedAt),
    endsAt: Number(endsAt),
  };
}

/** The session of an id, unless it has ended. The caller checks whether its administrator may sign in. */
export async function findOpenSession(
  db: Queryable,
  id: string,
  now = Date.now(),
): Promise<Pick<OpenSession, 'id' | 'userId' | 'passwordMark' | 'remembered'> | undefined> {
  const [row] = await query(db, compileOpenSession(), [id, db.dialect.encodeTime(now)]);
  if (!row) return undefined;
  const [userId, mark, remembered] = row;
  return { id, userId: Number(userId), passwordMark: String(mark), remembered: isTrue(remembered) };
}

/** Whether an old token is used after the newest one was: one of them was stolen. */
export function isReplayed({ isFormer, isTokenUsed, renewedAt }: OpenSession, now = Date.now()): boolean {
  return isFormer && isTokenUsed && now > renewedAt + GRACE;
}

/**
 * Updates the last use of a session from time to time, and renews its token when due. If the database cannot be
 * written, the session stays as it is.
 */
export async function useAdministratorSession(
  database: Database,
  session: OpenSession,
  { token, lifespans }: { token: string; lifespans: Lifespans },
  now = Date.now(),
): Promise<BrowserToken | undefined> {
  const { isFormer, isTokenUsed, renewedAt, usedAt, remembered, endsAt, id, userId } = session;
  const isDue = isFormer ? !isTokenUsed && now > renewedAt + GRACE : now > renewedAt + RENEWAL;
  const isNoted = isFormer || (isTokenUsed && now < usedAt + NOTE && usedAt <= now);
  if (!isDue && isNoted) return undefined;
  const { encodeTime } = database.dialect;
  const expiry = encodeTime(Math.min(now + lifespanOf(lifespans, remembered).idle, endsAt));
  const next = newToken();
  const write = async (tx: Transaction): Promise<boolean> => {
    await execute(tx, compileNoteLastUse(), [userId, encodeTime(now)]);
    if (!isDue) {
      await execute(tx, compileNoteUse(), [encodeTime(now), expiry, id]);
      return false;
    }
    const hashes = [hashOf(next), hashOf(token)];
    const late = encodeTime(now - GRACE);
    return (await execute(tx, compileRenewToken(), [...hashes, encodeTime(now), id, expiry, late])).length > 0;
  };
  try {
    const isRenewed = await database.transaction(write, { waits: false });
    return isRenewed ? { token: next, maxAge: maxAgeOf(remembered, endsAt, now) } : undefined;
  } catch {
    return undefined;
  }
}

/** The open sessions of an administrator, by last use. */
export async function listAdministratorSessions(
  db: Queryable,
  userId: number,
  now = Date.now(),
): Promise<AdministratorSession[]> {
  const rows = await query(db, compileSessionsOfAdministrator(), [userId, db.dialect.encodeTime(now)]);
  return rows.map(([id, createdAt, usedAt, device]) => ({
    id: String(id),
    createdAt: Number(createdAt),
    lastUsedAt: Number(usedAt),
    device: device === null ? null : String(device),
  }));
}

/** Ends one session of an administrator; false if it does not exist. */
export async function endAdministratorSession(tx: Transaction, userId: number, id: string): Promise<boolean> {
  return (await execute(tx, compileDeleteSessionOf(), [userId, id])).length > 0;
}

/** Ends all other sessions of an administrator. */
export async function endOtherSessions(tx: Transaction, userId: number, id: string): Promise<void> {
  await execute(tx, compileDeleteOtherSessions(), [userId, id]);
}

/** Ends every session of an administrator. */
export async function endSessionsOfAdministrator(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, TABLE, { user_id: userId });
}

const lifespanOf = ({ remembered, passing }: Lifespans, isRemembered: boolean): SessionLifespan =>
  isRemembered ? remembered : passing;

const maxAgeOf = (remembered: boolean, endsAt: number, now: number): number | undefined =>
  remembered ? Math.floor((endsAt - now) / 1000) : undefined;
