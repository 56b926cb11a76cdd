/**
 * Translates error messages of the server. They are English sentences of its API. Known ones are translated, others are
 * shown as they are.
 */
import { RefusedError } from '../data/failures.ts';
import type { Text } from './messages.ts';

type Rule = readonly [sentence: RegExp, say: (t: Text, found: readonly string[]) => string];

/** Errors of values. Each begins with the name of the attribute, which the field shows anyway. */
const OF_VALUES: readonly Rule[] = [
  [/ must be defined\.$| cannot be empty$| is a required field$/, (t) => t('form.problem.required')],
  [/^Email already taken$/, (t) => t('refused.emailTaken')],
  [/^This attribute must be unique$|^Username already taken$/, (t) => t('refused.unique')],
  [/ must be at least (\d+) characters$/, (t, [limit = '']) => t('form.problem.tooShort', { limit })],
  [/ must be at most (\d+) characters$/, (t, [limit = '']) => t('form.problem.tooLong', { limit })],
  [/ must be less than (\d+) bytes$/, (t, [limit]) => t('refused.bytes', { limit: Number(limit) - 1 })],
  [/ must be at most (\d+) bytes$/, (t, [limit = '']) => t('refused.bytes', { limit })],
  [/ field must have at least (\d+) items$/, (t, [limit = '']) => t('form.problem.tooFew', { limit })],
  [/ field must have less than or equal to (\d+) items$/, (t, [limit = '']) => t('form.problem.tooMany', { limit })],
  [/ must be greater than or equal to (\S+)$/, (t, [limit = '']) => t('form.problem.tooSmall', { limit })],
  [/ must be less than or equal to (\S+)$/, (t, [limit = '']) => t('form.problem.tooLarge', { limit })],
  [/ must be between (\S+) and (\S+)$/, (t, [from = '', to = '']) => t('refused.between', { from, to })],
  [/ must be a valid email$/, (t) => t('form.problem.noEmail')],
  [/ must match the following: "\/\^\[A-Za-z0-9-_\.~\]\*\$\/"$/, (t) => t('form.problem.noUid')],
  [/ must match the following: "/, (t) => t('form.problem.noMatch')],
  [/ must be a 64-bit integer$/, (t) => t('refused.tooBig')],
  [/ must be an integer$/, (t) => t('form.problem.noInteger')],
  [/ must be a finite number$| must be a `number` type\b/, (t) => t('form.problem.noNumber')],
  [/ must be one of the following values: /, (t) => t('form.problem.noChoice')],
  [/ must be a JSON value$/, (t) => t('form.problem.noJson')],
  [/^Invalid (?:date|time|format)\b/, (t) => t('form.problem.noMoment')],
  [/ must contain at least one lowercase character$/, (t) => t('refused.noLower')],
  [/ must contain at least one uppercase character$/, (t) => t('refused.noUpper')],
  [/ must contain at least one number$/, (t) => t('refused.noDigit')],
  [
    / (?:cannot contain (?:U\+0000|lone surrogates)|must not contain control characters)$/,
    (t) => t('refused.characters'),
  ],
  [/ takes [\w, ]+: file \d+ is /, (t) => t('refused.file')],
  [/^Files are empty$/, (t) => t('refused.emptyFile')],
  [/ must be a link$/, (t) => t('refused.link')],
  [/ can be nested at most \d+ levels deep$/, (t) => t('refused.deep')],
  [/^A folder with this name already exists$/, (t) => t('refused.folderTaken')],
  [/^folder cannot be moved inside itself$/, (t) => t('refused.folderInItself')],
  [/^\d+ relation\(s\) of type \S+ associated with this entity do not exist$/, (t) => t('refused.gone')],
  [/^Document with id ".*", locale ".*" not found$/, (t) => t('refused.gone')],
  [/^Only super admins give and take the role /, (t) => t('refused.superOnly')],
  [/^Only super admins end the requirement of a second factor$/, (t) => t('refused.factorKept')],
  [/^The role (.*) permits more than your roles$/, (t, [name = '']) => t('refused.roleBeyond', { name })],
  [
    /^The role (.*) gives access to documents beyond your roles$/,
    (t, [name = '']) => t('refused.roleExtends', { name }),
  ],
  [/^You cannot change your own address$/, (t) => t('refused.ownAddress')],
  [/^This person has rights that you do not have$/, (t) => t('refused.personBeyond')],
  [/^Your roles do not permit this: (.*)$/, (t, [permission = '']) => t('refused.permissionBeyond', { permission })],
  [/^This is the last super admin who can sign in\b/, (t) => t('refused.lastSuper')],
  [/^a role .* already exists$/, (t) => t('refused.roleTaken')],
  [/^Set up a second factor first$/, (t) => t('refused.factorFirst')],
  [/^Another token has this name$/, (t) => t('refused.tokenName')],
  [/^Cannot delete \S+ role$/, (t) => t('refused.role')],
  [/^Forbidden$/, (t) => t('refused.forbidden')],
  [/ must be a valid URL$/, (t) => t('refused.url')],
  [/ is not the code of a language: did you mean (.+)\?$/, (t, [code = '']) => t('refused.localeMeant', { code })],
  [/ is not the code of a language$|^code must be a locale code such as /, (t) => t('refused.localeCode')],
  [/^The locale \S+ already exists$/, (t) => t('refused.localeTaken')],
  [/ is the default locale: make another one the default/, (t) => t('refused.localeDefault')],
];

/** Errors of whole requests. */
const OF_REQUESTS: readonly Rule[] = [
  [/^(\d+) errors occurred$/, (t, [count = '']) => t('refused.several', { count })],
  [/^Missing or invalid credentials$/, (t) => t('refused.signedOut')],
  [/^Invalid credentials$/, (t) => t('refused.credentials')],
  [/^Invalid code$/, (t) => t('refused.code')],
  [/^Invalid password$/, (t) => t('refused.password')],
];

/** Texts for statuses whose messages do not help the reader. */
const OF_STATUSES = {
  403: 'refused.forbidden',
  404: 'refused.missing',
  412: 'refused.changed',
  413: 'refused.tooLarge',
  500: 'refused.broken',
  503: 'refused.busy',
  507: 'refused.full',
} as const;

/** The standard messages of statuses. Any other message comes from the project's own code and is shown. */
const PLAIN: Readonly<Record<number, readonly string[]>> = {
  403: ['Forbidden', 'Forbidden access'],
  404: ['Not Found', 'Entity not found', 'Session not found', 'User not found'],
};

function ruleText(t: Text, rules: readonly Rule[], message: string): string | undefined {
  for (const [sentence, say] of rules) {
    const found = sentence.exec(message);
    if (found) return say(t, found.slice(1));
  }
  return undefined;
}

/** The translated error of a value, or the original message. */
export function refusalText(t: Text, message: string): string {
  return ruleText(t, OF_VALUES, message) ?? message;
}

/** The translated error of a request. */
export function failureText(t: Text, error: unknown): string {
  if (!(error instanceof RefusedError)) return t('unreachable');
  const { status, message, retryAfter = 60 } = error;
  if (status === 429) return t('refused.tooOften', { count: Math.ceil(retryAfter / 60) });
  if (error.details['siteUser'] === true) return t('refused.siteUser');
  if (PLAIN[status]?.includes(message) === false && message !== '') return refusalText(t, message);
  const known = Object.hasOwn(OF_STATUSES, status) ? t(OF_STATUSES[status as keyof typeof OF_STATUSES]) : undefined;
  return known ?? ruleText(t, OF_REQUESTS, message) ?? refusalText(t, message);
}
