/**
 * Checks the bodies of the account endpoints and reports all mistakes together, in the reference's words and order
 * (docs/reference/accounts.md).
 */
import { isTooLong, PASSWORD_BYTES } from '../../content/validation/password-hashing.ts';
import { EMAIL } from '../../content/validation/validate-scalar.ts';
import { validation } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { errorField, withheld, writeLogLine } from '../../log-line.ts';

export type Body = Readonly<Record<string, unknown>>;

/** The project's rule for new passwords; a string or false refuses one. */
export type PasswordRule = ((password: string) => unknown) | undefined;

/** A body as an object; a missing body is empty. @throws ContentError 400 for a list. */
export function bodyOf(body: unknown): Body {
  if (body === undefined || body === null) return {};
  if (typeof body === 'object' && !Array.isArray(body)) return body as Body;
  const failures = new Failures();
  failures.addWrongType(undefined, 'object', body);
  throw failures.error();
}

/** Characters of texts that are only looked up. */
const LONGEST = 1024;

const SECRET: ReadonlySet<string> = new Set(['password', 'passwordConfirmation', 'currentPassword', 'code']);

type Check = (value: string, body: Body) => string | undefined;

/** Collects the mistakes in a body's texts. */
class Texts {
  readonly failures = new Failures();
  readonly #body: Body;

  constructor(body: Body) {
    this.#body = body;
  }

  /** A required text; '' after a failure. */
  required(key: string, ...checks: readonly Check[]): string {
    const value = this.#body[key];
    const report = SECRET.has(key) ? this.failures.withoutValues() : this.failures;
    const failed = (message: string): string => {
      report.add(at(key), message, value);
      return '';
    };
    if (value === undefined || value === '') return failed(`${key} is a required field`);
    if (typeof value !== 'string') {
      report.addWrongType(at(key), 'string', value);
      return '';
    }
    for (const check of checks) {
      const message = check(value, this.#body);
      if (message !== undefined) return failed(message);
    }
    return value;
  }

  /** Throws the failures, if there are any. */
  finish(): void {
    this.failures.throwAny();
  }
}

const isAddress: Check = (value) =>
  value.length <= LONGEST && EMAIL.test(value) ? undefined : 'email must be a valid email';
const isShortEnough: Check = (value) =>
  isTooLong(value) ? `Password must be less than ${PASSWORD_BYTES + 1} bytes` : undefined;
const isRepeated: Check = (value, body) => (value === body['password'] ? undefined : 'Passwords do not match');
/** Usernames appear in mails, logs and lists, on one line. */
export const hasNoControls: Check = (value) =>
  /\p{Cc}/u.test(value) ? 'username must not contain control characters' : undefined;
const isLookedUp: Check = (value) => (value.length <= LONGEST ? undefined : 'The text is too long');

/** `POST /auth/local`. */
export function loginBody(raw: unknown): { identifier: string; password: string } {
  const texts = new Texts(bodyOf(raw));
  const body = { identifier: texts.required('identifier', isLookedUp), password: texts.required('password') };
  texts.finish();
  return body;
}

/**
 * `POST /auth/local/register`. The type limits the username's length.
 *
 * @param allowed attributes that the project allows besides the three.
 */
export async function registerBody(raw: unknown, allowed: readonly string[], rule: PasswordRule) {
  const body = bodyOf(raw);
  const known = ['username', 'password', 'email', ...allowed];
  const invalid = Object.keys(body).filter((key) => !known.includes(key));
  if (invalid.length > 0) throw validation(`Invalid parameters: ${invalid.join(', ')}`);
  const texts = new Texts(body);
  const email = texts.required('email', isAddress);
  const username = texts.required('username', hasNoControls);
  const password = texts.required('password', isShortEnough);
  await checkRule(texts, password, rule);
  texts.finish();
  return { ...body, email: email.toLowerCase(), username, password };
}

/** `POST /auth/forgot-password`. Other keys are refused. */
export function forgotBody(raw: unknown): { email: string } {
  const body = bodyOf(raw);
  const texts = new Texts(body);
  const email = texts.required('email', isAddress);
  refuseOthers(texts, body, ['email']);
  texts.finish();
  return { email };
}

/** `POST /auth/send-email-confirmation`. */
export function confirmationRequestBody(raw: unknown): { email: string } {
  const texts = new Texts(bodyOf(raw));
  const email = texts.required('email', isAddress);
  texts.finish();
  return { email };
}

/** `POST /auth/reset-password`. */
export async function resetBody(raw: unknown, rule: PasswordRule): Promise<{ password: string; code: string }> {
  const { password, proof } = await newPassword(raw, rule, 'code');
  return { password, code: proof };
}

/** `POST /auth/change-password`. */
export async function changeBody(
  raw: unknown,
  rule: PasswordRule,
): Promise<{ password: string; currentPassword: string }> {
  const { password, proof } = await newPassword(raw, rule, 'currentPassword');
  return { password, currentPassword: proof };
}

/** A new password with its repetition, and the key that permits it. */
async function newPassword(
  raw: unknown,
  rule: PasswordRule,
  key: string,
): Promise<{ password: string; proof: string }> {
  const body = bodyOf(raw);
  const texts = new Texts(body);
  texts.required('passwordConfirmation', isRepeated);
  const password = texts.required('password', isShortEnough);
  await checkRule(texts, password, rule);
  const proof = texts.required(key);
  refuseOthers(texts, body, ['password', 'passwordConfirmation', key]);
  texts.finish();
  return { password, proof };
}

/** The `confirmation` parameter of `GET /auth/email-confirmation`. */
export function confirmationParam(params: Body): string {
  const texts = new Texts(params);
  const code = texts.required('confirmation');
  texts.finish();
  return code;
}

function refuseOthers({ failures }: Texts, body: Body, known: readonly string[]): void {
  const others = Object.keys(body).filter((key) => !known.includes(key));
  if (others.length > 0) failures.add(undefined, `this field has unspecified keys: ${others.join(', ')}`);
}

/** Applies the project's rule. A deliberate error of the rule is a refusal. */
async function checkRule({ failures }: Texts, password: string, rule: PasswordRule): Promise<void> {
  if (!rule || password === '') return;
  try {
    if (!(await rule(password))) failures.add(at('password'), 'Password validation failed.');
  } catch (error) {
    const refused = refusalIn(error);
    if (refused === undefined) logFailure(error);
    failures.add(at('password'), refused ?? 'An error occurred.');
  }
}

/** Errors that Node throws for faulty code. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError, AggregateError];

/** The message of a deliberate refusal; undefined for errors of programs and the system, which must not be sent. */
function refusalIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { message, code } = error as { message?: unknown; code?: unknown };
  if (MISTAKES.some((mistake) => error instanceof mistake) || code !== undefined) return undefined;
  return typeof message === 'string' && message !== '' ? message : undefined;
}

/** Logs the kind and place of an error, but not its message, which may contain the password. */
function logFailure(error: unknown): void {
  writeLogLine('error', 'validatePassword of users-permissions failed', errorField(withheld(error)));
}
