/** The mails to accounts that administrators change: the core-store entry of the reference. */
import { EMAIL } from '../../content/validation/validate-scalar.ts';
import { readSetting, storeSetting } from '../../db/interface/core-store.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { cut } from '../../errors.ts';
import { at, atMost, because, Failures, NO_EMAIL, plainText, type Sentence } from '../../failures.ts';
import { objectOrEmpty } from '../../plain-values.ts';
import { MAILS, TEMPLATES, type TemplateName, templateIn } from '../accounts/account-settings.ts';
import { DEFAULT_TEMPLATES, defaultEntry, PLACEHOLDER_SENDER } from './mail-templates.ts';

/** A template as administrators see it. Empty texts are defaults. */
export interface TemplateTexts {
  readonly from_name: string;
  readonly from_email: string;
  readonly response_email: string;
  /** The subject. */
  readonly object: string;
  /** In HTML. */
  readonly message: string;
}

/** The variables that a template may contain, as in the reference. */
const VARIABLES = ['URL', 'ADMIN_URL', 'SERVER_URL', 'CODE', 'USER', 'USER.email', 'USER.username', 'TOKEN'];

const VARIABLE = new RegExp(`^=\\s*(?:${VARIABLES.join('|').replaceAll('.', '\\.')})\\s*%>`);
/** Characters of a name or a subject, and of a message. */
const LONGEST = { line: 300, message: 20_000 };

export async function readTemplates(db: Queryable): Promise<Record<TemplateName, TemplateTexts>> {
  const entry = await readSetting(db, MAILS);
  return { reset_password: textsOf(entry, 'reset_password'), email_confirmation: textsOf(entry, 'email_confirmation') };
}

function textsOf(entry: Readonly<Record<string, unknown>>, name: TemplateName): TemplateTexts {
  const { fromName, fromAddress, replyTo, subject, message } = templateIn(entry, name);
  const isSender = fromAddress !== PLACEHOLDER_SENDER;
  return {
    from_name: isSender ? (fromName ?? '') : '',
    from_email: isSender ? (fromAddress ?? '') : '',
    response_email: replyTo ?? '',
    object: subject ?? DEFAULT_TEMPLATES[name].subject,
    message: message ?? DEFAULT_TEMPLATES[name].message,
  };
}

/**
 * Changes a template. Texts that the body leaves out stay unchanged, and so do unknown keys in the database.
 *
 * @throws ContentError 400 with the paths of all wrong values.
 */
export async function changeTemplate(tx: Transaction, name: TemplateName, body: unknown): Promise<void> {
  await tx.lock(() => [{ key: 'galley mail templates', shared: false }]);
  const change = textsIn(objectOrEmpty(body));
  const entry: Record<string, unknown> = { ...defaultEntry(), ...(await readSetting(tx, MAILS)) };
  const template = objectOrEmpty(entry[name]);
  const options = objectOrEmpty(template['options']);
  const { from_name, from_email, ...others } = change;
  const from = {
    ...objectOrEmpty(options['from']),
    ...(from_name === undefined ? {} : { name: from_name }),
    ...(from_email === undefined ? {} : { email: from_email }),
  };
  entry[name] = { ...template, options: { ...options, from, ...others } };
  await storeSetting(tx, MAILS, entry);
  tx.recordAction({ action: 'settings.update', type: 'settings', id: `mail ${name}`, fields: Object.keys(change) });
}

export const isTemplateName = (name: string): name is TemplateName => (TEMPLATES as readonly string[]).includes(name);

const CHECKS: Readonly<Record<keyof TemplateTexts, (text: string) => Sentence | undefined>> = {
  from_name: lineProblem,
  from_email: addressProblem,
  response_email: addressProblem,
  object: (text) => lineProblem(text) ?? variableProblem(text),
  message: (text) => (text.length > LONGEST.message ? atMost(LONGEST.message) : variableProblem(text)),
};

function textsIn(body: Readonly<Record<string, unknown>>): Partial<TemplateTexts> {
  const failures = new Failures();
  const texts: Partial<Record<keyof TemplateTexts, string>> = {};
  for (const [key, problemOf] of Object.entries(CHECKS) as [keyof TemplateTexts, (typeof CHECKS)['message']][]) {
    const value = body[key];
    if (value === undefined) continue;
    if (typeof value !== 'string' || !value.isWellFormed()) {
      failures.addWrongType(at(key), 'string', value);
      continue;
    }
    const problem = problemOf(value);
    if (problem !== undefined) failures.add(at(key), problem, value);
    texts[key] = value;
  }
  failures.throwAny();
  return texts;
}

function lineProblem(text: string): Sentence | undefined {
  return text.length > LONGEST.line || /\p{Cc}/u.test(text) ? plainText(text, LONGEST.line) : undefined;
}

function addressProblem(text: string): Sentence | undefined {
  if (text === '') return undefined;
  return text.length > LONGEST.line || !EMAIL.test(text) ? NO_EMAIL : undefined;
}

/** Refuses what the reference refuses: code, and values besides the variables. */
function variableProblem(text: string): Sentence | undefined {
  const code = text
    .split('<%')
    .slice(1)
    .find((part) => !VARIABLE.test(part));
  const part = code === undefined ? /\$\{[^{}]*\}/.exec(text)?.[0] : `<%${code.split('%>', 1)[0]}%>`;
  if (part === undefined) return undefined;
  const shown = cut(part, 40);
  return because(`Invalid template: ${shown} is none of its variables`, 'template', { part: shown });
}
