/**
 * Bodies of `POST` and `PUT /users`: first the reference's own checks of the account's four fields, then the ordinary
 * ones of content (behaviour-media-access.md, "Users").
 */
import { EMAIL, wrongType } from '../content/validate-scalar.ts';
import { type FieldFailure, invalidKey, validation, validationFailure } from '../errors.ts';
import type { WrittenData } from '../query/body.ts';
import type { ContentType } from '../schema/catalog.ts';
import { type Body, bodyOf, hasNoControls } from './account-bodies.ts';

/** The server's own; whoever could set them would log in as somebody else. */
const OWN = ['resetPasswordToken', 'confirmationToken'];

/**
 * The attributes of a new account. Keys that the type does not have are ignored, as the reference does, and so are
 * those that tell of a record what it is: clients send records back.
 *
 * @throws ContentError 400 with the path of each field that is missing or wrong.
 */
export function createdUser(raw: unknown, type: ContentType): WrittenData {
  const body = bodyOf(raw);
  const failures: FieldFailure[] = [];
  const text = (key: string): boolean => {
    const value = body[key];
    if (value === undefined || value === '')
      failures.push({ path: [key], message: `${key} is a required field`, value });
    else if (typeof value !== 'string') failures.push(wrongText(key, value));
    return failures.length === 0;
  };
  if (text('email')) checkEmail(body, failures);
  text('username');
  if (typeof body['username'] === 'string') checkUsername(body, failures);
  text('password');
  checkRequiredRole(body, failures);
  if (failures.length > 0) throw validationFailure(failures.map(withoutSecret));
  return { ...attributesOf(body, type), ...role(body), ...email(body), provider: 'local' };
}

/**
 * The changed attributes of an account; other keys are ignored as in `createdUser`.
 *
 * @param isLocal whether the account logs in with a password.
 * @throws ContentError 400 with the path of each field that is wrong.
 */
export function changedUser(raw: unknown, type: ContentType, isLocal: boolean): WrittenData {
  if (raw === undefined)
    throw validationFailure([{ path: [], message: wrongType('this', 'object', null), value: null }]);
  const body = bodyOf(raw);
  const failures: FieldFailure[] = [];
  for (const key of ['email', 'username']) {
    const value = body[key];
    if (value === undefined) continue;
    if (typeof value !== 'string') failures.push(wrongText(key, value));
    else if (value === '') failures.push({ path: [key], message: `${key} must be at least 1 characters`, value });
    else if (key === 'email') checkEmail(body, failures);
    else checkUsername(body, failures);
  }
  const { password } = body;
  if (password !== undefined && password !== null && typeof password !== 'string') {
    failures.push({ path: ['password'], message: 'Password must be at least 1 character' });
  }
  checkChangedRole(body, failures);
  if (failures.length > 0) throw validationFailure(failures);
  if (isLocal && 'password' in body && !password) throw validation('password.notNull');
  return { ...attributesOf(body, type), ...role(body), ...email(body) };
}

/** @throws ContentError 400 for what no caller may say: who wrote a row. */
function attributesOf(body: Body, type: ContentType): WrittenData {
  for (const key of ['createdBy', 'updatedBy']) {
    if (key in body) throw invalidKey({ key, path: key, source: 'body' });
  }
  return Object.fromEntries(Object.entries(body).filter(([key]) => type.attributes.has(key) && !OWN.includes(key)));
}

/** Addresses are kept in lower case, so that one cannot be had twice. */
const email = ({ email }: Body) => (typeof email === 'string' ? { email: email.toLowerCase() } : {});
/** Digits in a text are a row id, here alone. */
const role = ({ role }: Body) =>
  role === undefined ? {} : { role: typeof role === 'string' && /^\d{1,9}$/.test(role) ? Number(role) : role };

function checkEmail(body: Body, failures: FieldFailure[]): void {
  const value = body['email'] as string;
  if (!EMAIL.test(value)) failures.push({ path: ['email'], message: 'email must be a valid email', value });
}

function checkUsername(body: Body, failures: FieldFailure[]): void {
  const value = body['username'] as string;
  const message = hasNoControls(value, body);
  if (message !== undefined) failures.push({ path: ['username'], message, value });
}

function wrongText(key: string, value: unknown): FieldFailure {
  return { path: [key], message: wrongType(key, 'string', value), value };
}

function withoutSecret({ path, message, value }: FieldFailure): FieldFailure {
  if (path[0] !== 'password') return { path, message, value };
  return { path, message: message.replace(/, but the final value was: `[\s\S]*`\.$/, '.') };
}

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A role is named by row id or document id, or connected. */
function checkRequiredRole({ role }: Body, failures: FieldFailure[]): void {
  const fail = (path: string[], message: string, value: unknown) => failures.push({ path, message, value });
  if (role === undefined || role === '') fail(['role'], 'role is a required field', role);
  else if (isObject(role)) {
    const { connect } = role;
    if (connect === undefined) fail(['role', 'connect'], 'role.connect is a required field', connect);
    else if (Array.isArray(connect) && connect.length === 0) {
      fail(['role', 'connect'], 'Users must have a role', connect);
    } else checkEntries('connect', connect, failures);
  } else checkRoleId(role, failures);
}

function checkChangedRole({ role }: Body, failures: FieldFailure[]): void {
  if (role === undefined) return;
  if (!isObject(role)) {
    checkRoleId(role, failures);
    return;
  }
  const { connect, disconnect, set } = role;
  const count = (entries: unknown): number => (Array.isArray(entries) ? entries.length : 0);
  if (connect !== undefined) checkEntries('connect', connect, failures);
  if (disconnect !== undefined) checkEntries('disconnect', disconnect, failures);
  const loses = (key: string, value: unknown) =>
    failures.push({ path: ['role', key], message: 'Cannot remove role', value });
  if (count(disconnect) > 0 && count(connect) === 0) loses('disconnect', disconnect);
  if (set !== undefined && (set === null || (Array.isArray(set) && set.length === 0))) loses('set', set);
}

function checkRoleId(role: unknown, failures: FieldFailure[]): void {
  if ((Number.isInteger(role) && (role as number) >= 0) || (typeof role === 'string' && role !== '')) return;
  const kind = typeof role === 'object' ? 'object' : 'strapiID';
  failures.push({ path: ['role'], message: wrongType('role', kind, role), value: role });
}

function checkEntries(key: string, entries: unknown, failures: FieldFailure[]): void {
  const path = ['role', key];
  if (!Array.isArray(entries)) {
    failures.push({ path, message: wrongType(path.join('.'), 'array', entries), value: entries });
    return;
  }
  for (const [index, entry] of (entries as unknown[]).entries()) {
    if (isObject(entry) && (entry['id'] != null || entry['documentId'] != null)) continue;
    const message = 'Relation entry must include an id or documentId';
    failures.push({ path: [...path, String(index)], message, value: entry });
  }
}
