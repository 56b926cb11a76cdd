/**
 * Sessions of accounts: rows of `galley_sessions`, one per login, to which user tokens belong
 * (docs/reference/accounts.md, "Sessions"). Tokens without a session, as in the reference, are valid from
 * `galley_accounts.tokens_from` on.
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

/** Sessions of one account; a further login ends the oldest. */
export const MAX_SESSIONS = 1000;

/** The device of a login. */
export interface Device {
  readonly id: string | null;
  readonly name: string | null;
}

/** Seconds that a session lasts: since its last use, and in total. */
export interface Lifespan {
  readonly idle: number;
  readonly whole: number;
}

export interface NewSession {
  readonly id: string;
  readonly userId: number;
  /** The id of the next valid refresh token. */
  readonly refreshId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A new session. */
export interface BegunSession extends NewSession {
  /** Whether other valid sessions were ended for it. */
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
 * Identifies a stored password. A session belongs to the password that it began with, so it also ends when another
 * program, such as Strapi, sets a new one.
 */
export function passwordMark(hash: unknown): string {
  return createHash('sha256').update(String(hash)).digest('hex').slice(0, 32);
}

const randomId = (): string => randomBytes(16).toString('hex');

/** Begins a session, and deletes sessions that have ended or are too many. Runs in a transaction. */
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
 * Exchanges a refresh token for the next one of its session; each is valid once. Undefined if it is invalid or the
 * session has ended. Runs in a transaction.
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
  // of two requests with one token, the second finds it used
  const values = [next.refreshId, encodeTime(now), encodeTime(next.expiresAt), id, refreshId];
  const updated = await execute(tx, compileRenew(), values);
  return updated.length > 0 ? next : undefined;
}

/** The open sessions of an account, by last use. */
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

/** Ends one session of an account; false if it does not exist. */
export async function endSession(tx: Transaction, userId: number, id: string): Promise<boolean> {
  const ended = await execute(tx, compileDeleteSession(), [userId, id]);
  return ended.length > 0;
}

/** Ends the sessions of an account on one device. */
export async function endSessionsOf(tx: Transaction, userId: number, deviceId: string): Promise<void> {
  await deleteRows(tx, 'galley_sessions', { user_id: userId, device_id: deviceId });
}

/**
 * Ends all sessions of an account and invalidates tokens without session: after a new password, blocking, deletion, or
 * a logout everywhere. Runs in a transaction.
 */
export async function endAllSessions(tx: Transaction, userId: number, now = Date.now()): Promise<void> {
  await deleteRows(tx, 'galley_sessions', { user_id: userId });
  await execute(tx, compileSetTokensFrom(), [userId, tx.dialect.encodeTime(now)]);
}

/** Characters of a device id chosen by a client. */
const DEVICE_LENGTH = 255;

/**
 * The device in the body of a login (`deviceId`); without it each login is its own device.
 *
 * @param name the name of the client's program.
 * @throws ContentError 400 for an id that is too long or cannot be stored.
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

/** Characters of `User-Agent` that are examined, since patterns may take quadratic time. */
const EXAMINED = 1024;

const BROWSERS: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP));
/** The systems of phones and tablets. */
const PHONES: ReadonlySet<string> = new Set(['Android', 'Bada', 'BlackBerry', 'HarmonyOS', 'iOS', 'Windows Phone']);
/** Between the browser and the system in the name of a device. */
const BETWEEN = ' on ';

/** `Firefox on Linux`, as far as a `User-Agent` header says; null if it says neither. */
export function deviceName(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, EXAMINED));
  // an unknown name would be the client's own text
  const known = [browser.name, os.name].filter(
    (name) => name !== undefined && (BROWSERS.has(name) || SYSTEMS.has(name)),
  );
  return known.join(BETWEEN) || null;
}

/** The parts of the name of a device; null without a name. */
export function deviceOfName(
  name: string | null,
): { readonly browser: string | null; readonly system: string | null; readonly isPhone: boolean } | null {
  if (name === null) return null;
  const parts = name.split(BETWEEN);
  const system = parts.find((part) => SYSTEMS.has(part)) ?? null;
  return { browser: parts.find((part) => BROWSERS.has(part)) ?? null, system, isPhone: PHONES.has(system ?? '') };
}
