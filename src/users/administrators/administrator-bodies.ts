/** Checks the bodies of requests about the caller's own account, and reports all mistakes at once. */
import { isTooLong, PASSWORD_BYTES } from '../../content/validation/password-hashing.ts';
import { validation } from '../../errors.ts';
import { at, atMost, because, Failures, NO_EMAIL, REQUIRED } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import { type Reason, reason } from '../../reasons.ts';

type Body = Readonly<Record<string, unknown>>;

/** Characters of a text column. */
const LENGTH = 255;
const LANGUAGE_LENGTH = 35;
/** Ids in a list. */
const MOST_IDS = 200;
/** Characters of a code: recovery codes have 19, and users may type spaces. */
const CODE_LENGTH = 64;
const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]+$/;

export interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly code: string | undefined;
  readonly remember: boolean;
}

export interface FirstAdministrator {
  readonly token: string;
  readonly firstname: string;
  readonly lastname: string | null;
  readonly email: string;
  readonly password: string;
}

export interface Profile {
  readonly firstname: string;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly preferedLanguage: string | null;
}

/** A person to be invited. */
export interface NewPerson {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  /** Row ids. */
  readonly roles: readonly number[];
  /** Whether the link is mailed. */
  readonly isMailed: boolean;
}

/** Changes of a person; missing values stay as they are. */
export interface PersonChange {
  readonly email?: string;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly username?: string | null;
  /** Row ids. */
  readonly roles?: readonly number[];
}

/** Collects the mistakes in the texts of a body. */
class Fields {
  readonly #failures = new Failures();
  readonly #body: Body;

  constructor(raw: unknown) {
    if (!isObject(raw)) {
      throw validation('The request needs a JSON object as its body');
    }
    this.#body = raw as Body;
  }

  /** A required text. @param isSecret whether messages leave out its value. */
  text(key: string, length: number, isSecret = false): string {
    const value = this.#body[key];
    const failures = isSecret ? this.#failures.withoutValues() : this.#failures;
    if (value === undefined || value === null || value === '') failures.add(at(key), REQUIRED);
    else if (typeof value !== 'string') failures.addWrongType(at(key), 'string', value);
    else if (value.length > length) failures.add(at(key), atMost(length));
    else if (/\p{Cc}/u.test(value) || !value.isWellFormed()) {
      failures.add(at(key), because(`${key} must not contain control characters`, 'characters'));
    } else return value;
    return '';
  }

  /** An optional text; null if it is missing or empty. */
  optional(key: string, length: number): string | null {
    const value = this.#body[key];
    return value === undefined || value === null || value === '' ? null : this.text(key, length);
  }

  flag(key: string): boolean {
    const value = this.#body[key];
    if (value !== undefined && value !== null && typeof value !== 'boolean') {
      this.#failures.addWrongType(at(key), 'boolean', value);
    }
    return value === true;
  }

  /** An address, in lower case as the reference stores it. */
  email(key: string): string {
    const value = this.text(key, LENGTH).trim().toLowerCase();
    if (value !== '' && !EMAIL.test(value)) this.#failures.add(at(key), NO_EMAIL, value);
    return value;
  }

  /** A new password. */
  password(key: string): string {
    const value = this.text(key, LENGTH, true);
    const weak = value === '' ? undefined : weakness(value);
    if (weak) this.#failures.withoutValues().add(at(key), { said: `${key} ${weak.said}`, why: weak.why });
    return value;
  }

  /** A list of row ids, at least one; undefined if it is missing. */
  ids(key: string): readonly number[] | undefined {
    const value = this.#body[key];
    if (value === undefined) return undefined;
    const isList = Array.isArray(value) && value.length <= MOST_IDS && value.every((id) => Number.isSafeInteger(id));
    if (!isList) this.#failures.add(at(key), `${key} must be a list of ids`);
    else if (value.length === 0) this.#failures.add(at(key), because(`${key} cannot be empty`, 'required'));
    return isList ? [...new Set(value as number[])] : [];
  }

  requiredIds(key: string): readonly number[] {
    const ids = this.ids(key);
    if (ids === undefined) this.#failures.add(at(key), REQUIRED);
    return ids ?? [];
  }

  has(key: string): boolean {
    return this.#body[key] !== undefined;
  }

  finish(): void {
    this.#failures.throwAny();
  }
}

/** What a password lacks by the reference's rules; undefined for a valid one. */
export function weakness(password: string): { readonly said: string; readonly why: Reason } | undefined {
  if (password.length < 8) return { said: 'must be at least 8 characters', why: reason('tooShort', { limit: 8 }) };
  if (isTooLong(password)) {
    return { said: `must be less than ${PASSWORD_BYTES + 1} bytes`, why: reason('bytes', { limit: PASSWORD_BYTES }) };
  }
  if (!/[a-z]/.test(password)) return { said: 'must contain at least one lowercase character', why: reason('noLower') };
  if (!/[A-Z]/.test(password)) return { said: 'must contain at least one uppercase character', why: reason('noUpper') };
  if (!/\d/.test(password)) return { said: 'must contain at least one number', why: reason('noDigit') };
  return undefined;
}

/** An e-mail address in lower case; undefined for an invalid one. */
export function addressOf(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  return address.length <= LENGTH && EMAIL.test(address) && !/\p{Cc}/u.test(address) ? address : undefined;
}

/** @throws ContentError 400 for a wrong body, as all of these functions. */
export function signInBody(raw: unknown): SignIn {
  const fields = new Fields(raw);
  const body = {
    email: fields.text('email', LENGTH).trim().toLowerCase(),
    password: fields.text('password', LENGTH, true),
    code: fields.optional('code', CODE_LENGTH) ?? undefined,
    remember: fields.flag('remember'),
  };
  fields.finish();
  return body;
}

export function firstAdministratorBody(raw: unknown): FirstAdministrator {
  const fields = new Fields(raw);
  const body = {
    token: fields.text('token', LENGTH, true),
    firstname: fields.text('firstname', LENGTH),
    lastname: fields.optional('lastname', LENGTH),
    email: fields.email('email'),
    password: fields.password('password'),
  };
  fields.finish();
  return body;
}

/** A token alone, to check whether it is valid. */
export function tokenBody(raw: unknown): string {
  const fields = new Fields(raw);
  const token = fields.text('token', LENGTH, true);
  fields.finish();
  return token;
}

/** The body of a request that accepts an invitation. */
export function invitedBody(raw: unknown): Omit<FirstAdministrator, 'email'> {
  const fields = new Fields(raw);
  const body = {
    token: fields.text('token', LENGTH, true),
    firstname: fields.text('firstname', LENGTH),
    lastname: fields.optional('lastname', LENGTH),
    password: fields.password('password'),
  };
  fields.finish();
  return body;
}

/** A new password, with the token that permits it. */
export function newPasswordBody(raw: unknown): { readonly token: string; readonly password: string } {
  const fields = new Fields(raw);
  const body = { token: fields.text('token', LENGTH, true), password: fields.password('password') };
  fields.finish();
  return body;
}

export function emailBody(raw: unknown): string {
  const fields = new Fields(raw);
  const email = fields.email('email');
  fields.finish();
  return email;
}

export function profileBody(raw: unknown): Profile {
  const fields = new Fields(raw);
  const body = {
    firstname: fields.text('firstname', LENGTH),
    lastname: fields.optional('lastname', LENGTH),
    username: fields.optional('username', LENGTH),
    preferedLanguage: fields.optional('preferedLanguage', LANGUAGE_LENGTH),
  };
  fields.finish();
  return body;
}

export function passwordChangeBody(raw: unknown): { readonly currentPassword: string; readonly password: string } {
  const fields = new Fields(raw);
  const body = {
    currentPassword: fields.text('currentPassword', LENGTH, true),
    password: fields.password('password'),
  };
  fields.finish();
  return body;
}

export function codeBody(raw: unknown): string {
  const fields = new Fields(raw);
  const code = fields.text('code', CODE_LENGTH, true);
  fields.finish();
  return code;
}

export function passwordAndCodeBody(raw: unknown): { readonly password: string; readonly code: string } {
  const fields = new Fields(raw);
  const body = { password: fields.text('password', LENGTH, true), code: fields.text('code', CODE_LENGTH, true) };
  fields.finish();
  return body;
}

export function passwordBody(raw: unknown): string {
  const fields = new Fields(raw);
  const password = fields.text('password', LENGTH, true);
  fields.finish();
  return password;
}

/** The body of a request that invites a person. */
export function newPersonBody(raw: unknown): NewPerson {
  const fields = new Fields(raw);
  const body = {
    email: fields.email('email'),
    firstname: fields.optional('firstname', LENGTH),
    lastname: fields.optional('lastname', LENGTH),
    roles: fields.requiredIds('roles'),
    isMailed: fields.flag('mail'),
  };
  fields.finish();
  return body;
}

/** The body of a request that changes a person. */
export function personChangeBody(raw: unknown): PersonChange {
  const fields = new Fields(raw);
  const roles = fields.ids('roles');
  const body = {
    ...(fields.has('email') && { email: fields.email('email') }),
    ...(fields.has('firstname') && { firstname: fields.optional('firstname', LENGTH) }),
    ...(fields.has('lastname') && { lastname: fields.optional('lastname', LENGTH) }),
    ...(fields.has('username') && { username: fields.optional('username', LENGTH) }),
    ...(roles && { roles }),
  };
  fields.finish();
  return body;
}

/** Whether the link of a new invitation is mailed. */
export function mailBody(raw: unknown): boolean {
  const fields = new Fields(raw);
  const isMailed = fields.flag('mail');
  fields.finish();
  return isMailed;
}
