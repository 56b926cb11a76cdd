/** `/users`: creates and changes accounts by row id, for callers who manage them. */
import type { Viewer } from '../../access/view.ts';
import { EMAIL } from '../../content/validation/validate-scalar.ts';
import { ContentError, invalidKey, notFound, refusal, validation } from '../../errors.ts';
import { at, below, Failures, NO_EMAIL, REQUIRED } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import type { WrittenData } from '../../query/body.ts';
import { type ContentType, ROLE_UID } from '../../schema/catalog.ts';
import { type Body, bodyOf, hasNoControls } from './account-bodies.ts';
import type { TakenNames } from './account-rows.ts';
import { readSettings } from './account-settings.ts';
import type { UserWrites } from './user-writes.ts';

const SHAPE = { populate: 'role' } as const;

/**
 * Creates an account. Returns its record as JSON text, with the role if the caller may find roles.
 *
 * @throws ContentError 400 for wrong values and existing names.
 */
export async function createUser(users: UserWrites, raw: unknown, viewer: Viewer): Promise<string> {
  const data = createdUser(raw, users.type);
  const { uniqueEmail } = await readSettings(users.db);
  const refuseTaken = ({ email, crossed }: TakenNames) => {
    if (uniqueEmail && email) throw refusal('Email already taken');
    if (crossed) throw refusal('Username already taken');
  };
  const write = { data, actor: withRoles(viewer), viewerOf: () => viewer, shape: SHAPE, refuseTaken };
  try {
    return (await users.create(write, async () => {})).record;
  } catch (error) {
    throw asBadRequest(error);
  }
}

/**
 * Changes an account. Returns its record as JSON text, with the role if the caller may find roles.
 *
 * @throws ContentError 404 for no such account, 400 for wrong values and existing names.
 */
export async function updateUser(users: UserWrites, id: number, raw: unknown, viewer: Viewer): Promise<string> {
  const account = await users.find(id, viewer);
  if (!account) throw notFound('User not found');
  const data = changedUser(raw, users.type, account.provider === 'local');
  const { uniqueEmail } = await readSettings(users.db);
  const refuseTaken = ({ email, username, crossed }: TakenNames) => {
    if (username || crossed) throw refusal('Username already taken');
    if (uniqueEmail && email) throw refusal('Email already taken');
  };
  const write = { data, actor: withRoles(viewer), viewerOf: () => viewer, shape: SHAPE, refuseTaken };
  return (await users.update(id, write, async () => {})).record;
}

/** Callers who may write accounts may set their role, as in the reference; other relations must be visible. */
function withRoles({ view, values }: Viewer): Viewer {
  return { view: view.granting(`${ROLE_UID}.find`), values };
}

/** The reference reports invalid values of a new account in one sentence; a hint adds their paths. */
function asBadRequest(error: unknown): unknown {
  if (!(error instanceof ContentError) || error.name !== 'ValidationError' || error.details?.['key']) return error;
  const errors = (error.details?.['errors'] ?? []) as readonly { path: readonly string[]; message: string }[];
  const messages = errors
    .filter(({ path }) => path.length > 0)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
  return new ContentError('ApplicationError', error.message, messages.length > 0 ? { hint: messages.join('; ') } : {});
}

/** Values of the server that would let a caller log in as another account. */
export const SECRET_KEYS = ['resetPasswordToken', 'confirmationToken'];

/**
 * The attributes of a new account. Unknown keys are ignored, as in the reference, and so are ids, since clients send
 * records back.
 *
 * @throws ContentError 400 with the path of each missing or wrong field.
 */
function createdUser(raw: unknown, type: ContentType): WrittenData {
  const body = bodyOf(raw);
  const failures = new Failures();
  const text = (key: string): boolean => {
    const value = body[key];
    const told = key === 'password' ? failures.withoutValues() : failures;
    if (value === undefined || value === '') told.add(at(key), REQUIRED, value);
    else if (typeof value !== 'string') told.addWrongType(at(key), 'string', value);
    return failures.count === 0;
  };
  if (text('email')) checkEmail(body, failures);
  text('username');
  if (typeof body['username'] === 'string') checkUsername(body, failures);
  text('password');
  checkRequiredRole(body, failures);
  failures.throwAny();
  return { ...attributesOf(body, type), ...role(body), ...email(body), provider: 'local' };
}

/**
 * The changed attributes of an account; other keys are ignored as in `createdUser`.
 *
 * @param isLocal whether the account has a password login.
 * @throws ContentError 400 with the path of each wrong field.
 */
function changedUser(raw: unknown, type: ContentType, isLocal: boolean): WrittenData {
  const failures = new Failures();
  if (raw === undefined) failures.addWrongType(undefined, 'object', null);
  failures.throwAny();
  const body = bodyOf(raw);
  for (const key of ['email', 'username']) {
    const value = body[key];
    if (value === undefined) continue;
    if (typeof value !== 'string') failures.addWrongType(at(key), 'string', value);
    else if (value === '') failures.add(at(key), `${key} must be at least 1 characters`, value);
    else if (key === 'email') checkEmail(body, failures);
    else checkUsername(body, failures);
  }
  const { password } = body;
  if (password !== undefined && password !== null && typeof password !== 'string') {
    failures.add(at('password'), 'Password must be at least 1 character');
  }
  checkChangedRole(body, failures);
  failures.throwAny();
  if (isLocal && 'password' in body && !password) throw validation('password.notNull');
  return { ...attributesOf(body, type), ...role(body), ...email(body) };
}

/** @throws ContentError 400 for the authors of a row, which callers cannot set. */
function attributesOf(body: Body, type: ContentType): WrittenData {
  for (const key of ['createdBy', 'updatedBy']) {
    if (key in body) throw invalidKey({ key, path: key, source: 'body' });
  }
  return Object.fromEntries(
    Object.entries(body).filter(([key]) => type.attributes.has(key) && !SECRET_KEYS.includes(key)),
  );
}

/** Addresses are stored in lower case, so that each exists once. */
const email = ({ email }: Body) => (typeof email === 'string' ? { email: email.toLowerCase() } : {});
/** Digits in a string are a row id, only for roles. */
const role = ({ role }: Body) =>
  role === undefined ? {} : { role: typeof role === 'string' && /^\d{1,9}$/.test(role) ? Number(role) : role };

function checkEmail(body: Body, failures: Failures): void {
  const value = body['email'] as string;
  if (!EMAIL.test(value)) failures.add(at('email'), NO_EMAIL, value);
}

function checkUsername(body: Body, failures: Failures): void {
  const value = body['username'] as string;
  const message = hasNoControls(value, body);
  if (message !== undefined) failures.add(at('username'), message, value);
}

/** A role is given by row id or document id, or connected. */
function checkRequiredRole({ role }: Body, failures: Failures): void {
  const connection = at('role', 'connect');
  if (role === undefined || role === '') failures.add(at('role'), REQUIRED, role);
  else if (isObject(role)) {
    const { connect } = role;
    if (connect === undefined) failures.add(connection, REQUIRED, connect);
    else if (Array.isArray(connect) && connect.length === 0) {
      failures.add(connection, 'Users must have a role', connect);
    } else checkEntries('connect', connect, failures);
  } else checkRoleId(role, failures);
}

function checkChangedRole({ role }: Body, failures: Failures): void {
  if (role === undefined) return;
  if (!isObject(role)) {
    checkRoleId(role, failures);
    return;
  }
  const { connect, disconnect, set } = role;
  const count = (entries: unknown): number => (Array.isArray(entries) ? entries.length : 0);
  if (connect !== undefined) checkEntries('connect', connect, failures);
  if (disconnect !== undefined) checkEntries('disconnect', disconnect, failures);
  const loses = (key: string, value: unknown) => failures.add(at('role', key), 'Cannot remove role', value);
  if (count(disconnect) > 0 && count(connect) === 0) loses('disconnect', disconnect);
  if (set !== undefined && (set === null || (Array.isArray(set) && set.length === 0))) loses('set', set);
}

function checkRoleId(role: unknown, failures: Failures): void {
  if ((Number.isInteger(role) && (role as number) >= 0) || (typeof role === 'string' && role !== '')) return;
  const kind = typeof role === 'object' ? 'object' : 'strapiID';
  failures.addWrongType(at('role'), kind, role);
}

function checkEntries(key: string, entries: unknown, failures: Failures): void {
  const place = at('role', key);
  if (!Array.isArray(entries)) {
    failures.addWrongType(place, 'array', entries);
    return;
  }
  for (const [index, entry] of (entries as unknown[]).entries()) {
    if (isObject(entry) && (entry['id'] != null || entry['documentId'] != null)) continue;
    failures.add(below(place, index), 'Relation entry must include an id or documentId', entry);
  }
}
