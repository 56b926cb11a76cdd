/**
 * Sessions: rows of `galley_sessions`, one a login, that user tokens name (docs/reference/accounts.md, "Sessions"). A
 * token without one, as the reference issues them, counts until `galley_accounts.tokens_from` says otherwise.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import Bowser from 'bowser';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { at, validationFailure } from '../../failures.ts';
import {
  compileDeleteExpired,
  compileDeleteOldest,
  compileDeleteSession,
  compileOpenSessions,
  compileRenew,
  compileRenewable,
  compileSetTokensFrom,
} from '../../sql/accounts/sessions.ts';
import { bodyOf } from '../accounts/account-bodies.ts';

/** Sessions of one account; a login beyond them ends the oldest. */
export const MAX_SESSIONS = 1000;

/** What is known of the device of a login. */
export interface Device {
  readonly id: string | null;
  readonly name: string | null;
}

/** How long a session lives, in seconds: from its last use on, and altogether. */
export interface Lifespan {
  readonly idle: number;
  readonly whole: number;
}

export interface NewSession {
  readonly id: string;
  readonly userId: number;
  /** Names the refresh token that is valid next. */
  readonly refreshId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A session that has just begun. */
export interface BegunSession extends NewSession {
  /** Whether others, which were still good, had to end for it. */
  readonly endedOthers: boolean;
}

export interface SessionEntry {
  readonly id: string;
  readonly deviceId: string | null;
  readonly deviceName: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly activeAt: number;
}

/**
 * Distinguishes a stored password from another one. A session belongs to the password it began with: also when another
 * program, such as Strapi on the same database, sets a new one.
 */
export function passwordMark(hash: unknown): string {
  return createHash('sha256').update(String(hash)).digest('hex').slice(0, 32);
}

const randomId = (): string => randomBytes(16).toString('hex');

/** Begins a session, and clears away sessions that are over or too many. Run it in a transaction. */
export async function startSession(
  tx: Transaction,
  userId: number,
  device: Device,
  { idle, whole }: Lifespan,
  now = Date.now(),
): Promise<BegunSession> {
  const { encodeTime } = tx.dialect;
  await execute(tx, compileDeleteExpired(), [encodeTime(now)]);
  const ended = await execute(tx, compileDeleteOldest(MAX_SESSIONS - 1), [userId]);
  const [account] = await selectRows(tx, 'up_users', ['password'], { id: userId });
  const session = {
    id: randomId(),
    userId,
    refreshId: randomId(),
    expiresAt: now + Math.min(idle, whole) * 1000,
  };
  await insertRow(tx, 'galley_sessions', {
    session_id: session.id,
    user_id: userId,
    password_mark: passwordMark(account?.[0]),
    refresh_id: session.refreshId,
    device_id: device.id,
    device_name: device.name,
    created_at: encodeTime(now),
    active_at: encodeTime(now),
    expires_at: encodeTime(session.expiresAt),
    ends_at: encodeTime(now + whole * 1000),
  });
  return { ...session, endedOthers: ended.length > 0 };
}

/**
 * Exchanges a refresh token for the next one of its session: each is valid once. Undefined when it is not, or the
 * session is over. Run it in a transaction.
 */
export async function renewSession(
  tx: Transaction,
  { id, userId, refreshId }: { id: string; userId: number; refreshId: string },
  { idle }: Lifespan,
  now = Date.now(),
): Promise<NewSession | undefined> {
  const { encodeTime } = tx.dialect;
  const [row] = await query(tx, compileRenewable(), [id, userId, refreshId, encodeTime(now)]);
  if (!row || row[1] !== passwordMark(row[2])) return undefined;
  const next = { id, userId, refreshId: randomId(), expiresAt: Math.min(Number(row[0]), now + idle * 1000) };
  // of two requests with one token the second finds it used
  const values = [next.refreshId, encodeTime(now), encodeTime(next.expiresAt), id, refreshId];
  const updated = await execute(tx, compileRenew(), values);
  return updated.length > 0 ? next : undefined;
}

/** The sessions of an account that are not over, the one used last first. */
export async function listSessions(db: Queryable, userId: number, now = Date.now()): Promise<SessionEntry[]> {
  const rows = await query(db, compileOpenSessions(), [userId, db.dialect.encodeTime(now)]);
  return rows.map(([id, deviceId, deviceName, createdAt, activeAt]) => ({
    id: String(id),
    deviceId: deviceId === null ? null : String(deviceId),
    deviceName: deviceName === null ? null : String(deviceName),
    createdAt: Number(createdAt),
    activeAt: Number(activeAt),
  }));
}

/** Ends one session of an account; false when it has no such session. */
export async function endSession(tx: Transaction, userId: number, id: string): Promise<boolean> {
  const ended = await execute(tx, compileDeleteSession(), [userId, id]);
  return ended.length > 0;
}

/** Ends the sessions that an account has on one device. */
export async function endSessionsOf(tx: Transaction, userId: number, deviceId: string): Promise<void> {
  await deleteRows(tx, 'galley_sessions', { user_id: userId, device_id: deviceId });
}

/**
 * Ends every session of an account, and makes tokens void that name none: after a change of its password, when it is
 * blocked or deleted, at a logout from everywhere. Run it in a transaction.
 */
export async function endAllSessions(tx: Transaction, userId: number, now = Date.now()): Promise<void> {
  await deleteRows(tx, 'galley_sessions', { user_id: userId });
  await execute(tx, compileSetTokensFrom(), [userId, tx.dialect.encodeTime(now)]);
}

/** Characters of the name that a client gives its device. */
const DEVICE_LENGTH = 255;

/**
 * The device that the body of a login names as `deviceId`; without one each login is a device of its own.
 *
 * @param name what the client's program calls itself.
 * @throws ContentError 400 for a name that is too long, or that no column could store.
 */
export function deviceOf(raw: unknown, name: string | null): Device {
  const { deviceId } = bodyOf(raw);
  if (typeof deviceId !== 'string' || deviceId === '') return { id: randomUUID(), name };
  if (isDeviceId(deviceId)) return { id: deviceId, name };
  const message = `deviceId must be a string of at most ${DEVICE_LENGTH} characters`;
  throw validationFailure(at('deviceId'), message);
}

/** Whether a string can be the id of a device. */
export function isDeviceId(text: string): boolean {
  return text.length <= DEVICE_LENGTH && !text.includes('\0') && text.isWellFormed();
}

/** Characters of `User-Agent` that are looked at: patterns may take quadratic time. */
const LOOKED_AT = 1024;

const KNOWN = new Set([...Object.values(Bowser.BROWSER_MAP), ...Object.values(Bowser.OS_MAP)]);

/** `Firefox on Linux`, as far as a `User-Agent` header says so; null when it says neither. */
export function deviceName(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, LOOKED_AT));
  // what is not known is quoted from the header, and would be the client's own words
  const known = [browser.name, os.name].filter((name) => name !== undefined && KNOWN.has(name));
  return known.join(' on ') || null;
}
