/**
 * The project's locales: rows of `i18n_locale`, with the default one in the core store under
 * `plugin_i18n_default_locale`, as in Strapi 5. `createLocale`, `updateLocale` and `deleteLocale` are the operations of
 * `/i18n/locales` and `galley locale` (docs/reference/extensions.md, "Locales"), each in a transaction of the caller's.
 */
import { readEntry, storeEntry } from '../../db/interface/core-store.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { execute, insertRow, query, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { at, because, Failures, validationFailure } from '../../failures.ts';
import { isKnownCode, nearestCode } from '../../locale-codes.ts';
import { reason } from '../../reasons.ts';
import { type Catalog, LOCALE_UID } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { compileCountInLocale, compileDeleteLocale, compileRenameLocale } from '../../sql/locales.ts';
import { compileLockSetting } from '../../sql/settings.ts';
import { alignRolesIn } from '../roles/align-roles.ts';
import { type AroundRows, beginRow } from '../rows/around-rows.ts';
import { recordRowChange } from '../rows/changes.ts';
import { documentColumns } from '../rows/document-rows.ts';
import { localeLock } from '../rows/locks.ts';

export interface Locale {
  readonly id: number;
  readonly documentId: string;
  readonly code: string;
  readonly name: string;
}

const DEFAULT_KEY = 'plugin_i18n_default_locale';
/** The default locale that the reference creates. */
const FALLBACK_CODE = 'en';

/** Characters of a locale's code and name, as the columns hold them. */
const CODE_LENGTH = 255;
const NAME_LENGTH = 255;

/** Whether a text has the form of a locale code (BCP 47): `en`, `pt-BR`, `zh-Hant-TW`. */
export function isLocaleCode(code: string): boolean {
  return code.length <= CODE_LENGTH && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/.test(code);
}

/** The name that the reference's panel gives a locale: `French (fr)`. */
export function localeName(code: string): string {
  return `${languageOf(code)} (${code})`.slice(0, NAME_LENGTH);
}

function languageOf(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(code) ?? code;
  } catch {
    // well-formed, but not a tag of the standard: en-a, en-x
    return code;
  }
}

/** Makes other transactions that change locales wait until this one ends. */
async function lockLocales(tx: Transaction): Promise<void> {
  await execute(tx, compileLockSetting(), [DEFAULT_KEY]);
}

/** All locales, oldest first. */
export async function listLocales(db: Queryable): Promise<Locale[]> {
  const rows = await selectRows(db, 'i18n_locale', ['id', 'document_id', 'code', 'name'], {}, ['id']);
  return rows.map(([id, documentId, code, name]) => ({
    id: Number(id),
    documentId: String(documentId),
    code: String(code),
    name: String(name ?? code),
  }));
}

/** A locale that was added. */
export interface AddedLocale {
  readonly id: number;
  /** What roles of administrators have received: a sentence for each role and type. */
  readonly granted: readonly string[];
}

/** Adds a locale. Administrators who may work in all locales may work in it as well. The code must be new. */
export async function addLocale(tx: Transaction, code: string, name: string, now = Date.now()): Promise<AddedLocale> {
  const columns = documentColumns(tx, now);
  const id = await insertRow(tx, 'i18n_locale', { name, code, ...columns });
  recordRowChange(tx, LOCALE_UID, String(columns['document_id']), 'created', id, { name: code });
  return { id, granted: await alignRolesIn(tx) };
}

/** Renames the locale with this code. */
export async function renameLocale(tx: Transaction, code: string, name: string, now = Date.now()): Promise<void> {
  const [changed] = await execute(tx, compileRenameLocale(), [name, tx.dialect.encodeTime(now), code]);
  if (!changed) return;
  recordRowChange(tx, LOCALE_UID, String(changed[1]), 'updated', Number(changed[0]), { name: code, fields: ['name'] });
}

/** Removes the locale with this code. The caller has checked that no document is in it. */
async function removeLocale(tx: Transaction, code: string): Promise<void> {
  for (const [id, documentId] of await execute(tx, compileDeleteLocale(), [code])) {
    recordRowChange(tx, LOCALE_UID, String(documentId), 'deleted', Number(id), { name: code });
  }
  await alignRolesIn(tx);
}

/** The code of the default locale. */
export async function defaultLocale(db: Queryable): Promise<string> {
  const value = await readEntry(db, DEFAULT_KEY);
  try {
    const code: unknown = value === undefined ? undefined : JSON.parse(value);
    return typeof code === 'string' ? code : FALLBACK_CODE;
  } catch {
    return FALLBACK_CODE;
  }
}

/** Makes the locale with this code the default one. The caller has checked that it exists. */
export async function setDefaultLocale(tx: Transaction, code: string): Promise<void> {
  const before = await defaultLocale(tx);
  for (const locale of await listLocales(tx)) {
    // the one that was the default is shown otherwise as well
    const isConcerned = before !== code && (locale.code === code || locale.code === before);
    if (!isConcerned) continue;
    const details = { name: locale.code, action: 'locale.default.update' as const, fields: ['isDefault'] };
    recordRowChange(tx, LOCALE_UID, locale.documentId, 'updated', locale.id, details);
  }
  await storeEntry(tx, DEFAULT_KEY, JSON.stringify(code), 'string');
}

/** Characters of a locale's name, as in the reference's panel. */
const LONGEST_NAME = 50;

/** Wanted values of a locale, unchecked: from a request's body, or from a command. */
export interface WantedLocale {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly isDefault?: unknown;
}

/** The context for removing a locale: the types that may have documents in it, and the project code to notify. */
export interface LocaleContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly around?: AroundRows | undefined;
}

/**
 * Adds a locale. Its default name is the usual one, `French (fr)`.
 *
 * @param around the project code to notify.
 * @throws ContentError 400 with the paths of failures: a malformed or existing code, a name, `isDefault`.
 */
export async function createLocale(tx: Transaction, wanted: WantedLocale, around?: AroundRows): Promise<AddedLocale> {
  await lockLocales(tx);
  const failures = new Failures();
  const { code } = wanted;
  if (typeof code !== 'string' || !isLocaleCode(code)) {
    failures.add(at('code'), because('code must be a locale code such as en, pt-BR or zh-Hant', 'localeCode'), code);
  } else {
    // en and EN would be one language to everybody but the database
    const taken = (await listLocales(tx)).find((locale) => locale.code.toLowerCase() === code.toLowerCase());
    if (taken) failures.add(at('code'), because(`The locale ${taken.code} already exists`, 'localeTaken'), code);
  }
  checkRest(wanted, failures);
  failures.throwAny();
  const name = (wanted.name as string | undefined) ?? localeName(code as string);
  const begun = await beginRow(around, LOCALE_UID, 'create', () => ({ data: { code, name } }));
  const added = await addLocale(tx, code as string, name);
  await begun.end(added.id);
  if (wanted.isDefault === true) await setDefaultLocale(tx, code as string);
  return added;
}

/**
 * Renames a locale, or makes it the default one. Its code cannot change, since documents refer to it.
 *
 * @param around the project code to notify.
 * @throws ContentError 400 with the paths of failures.
 */
export async function updateLocale(
  tx: Transaction,
  locale: Locale,
  wanted: WantedLocale,
  around?: AroundRows,
): Promise<void> {
  await lockLocales(tx);
  const failures = new Failures();
  const { code, name, isDefault } = wanted;
  if (code !== undefined && code !== locale.code) {
    const message = `The code of a locale cannot be changed because documents refer to it: add another locale`;
    failures.add(at('code'), message, code);
  }
  checkRest(wanted, failures);
  const isChosen = (await defaultLocale(tx)) === locale.code;
  if (isDefault === false && isChosen) {
    const message = `${locale.code} is the default locale: make another one the default instead`;
    failures.add(at('isDefault'), because(message, 'localeDefault'), isDefault);
  }
  failures.throwAny();
  const { id } = locale;
  const data = name === undefined ? {} : { name };
  const begun = await beginRow(around, LOCALE_UID, 'update', () => ({ where: { id }, data }));
  if (name !== undefined && name !== locale.name) await renameLocale(tx, locale.code, name as string);
  if (isDefault === true && !isChosen) await setDefaultLocale(tx, locale.code);
  await begun.end(id);
}

/**
 * Removes a locale.
 *
 * @param around the project code to notify.
 * @throws ContentError 400 for the default locale, and for one that documents have versions in.
 */
export async function deleteLocale(
  tx: Transaction,
  { catalog, layout, around }: LocaleContext,
  locale: Locale,
): Promise<void> {
  await lockLocales(tx);
  // waits for sessions that create a version in it, and sees their versions below
  await tx.lock(() => [localeLock(locale.code, false)]);
  await requireNoDefault(tx, locale);
  const types = await documentsIn(tx, catalog, layout, locale.code);
  if (types.length > 0) {
    const documents = types.reduce((sum, { count }) => sum + count, 0);
    const listed = types.map(({ uid, count }) => `${count} of ${uid}`).join(', ');
    const message = `${locale.code} has content: ${documents} document${documents === 1 ? '' : 's'} (${listed})`;
    throw validation(message, { documents });
  }
  const { id } = locale;
  const begun = await beginRow(around, LOCALE_UID, 'delete', () => ({ where: { id } }));
  await removeLocale(tx, locale.code);
  await begun.end(id);
}

/** @throws ContentError 400 for the default locale, which cannot be removed. */
export async function requireNoDefault(db: Queryable, { code }: Locale): Promise<void> {
  if ((await defaultLocale(db)) === code) {
    const message = `${code} is the default locale: make another one the default first`;
    throw validation(message, {}, reason('localeDefault'));
  }
}

/**
 * Refuses a well-formed code that no language has, with a similar one.
 *
 * @throws ContentError 400 for such a code.
 */
export function requireKnownCode(code: unknown): void {
  if (typeof code !== 'string' || !isLocaleCode(code) || isKnownCode(code)) return;
  const hint = nearestCode(code);
  const unknown = `${code} is not the code of a language`;
  const sentence =
    hint === undefined
      ? because(unknown, 'localeCode')
      : because(`${unknown}: did you mean ${hint}?`, 'localeMeant', { code: hint });
  throw validationFailure(at('code'), sentence, code);
}

/** How many documents of each type have a version in a locale; types without any are left out. */
export async function documentsIn(
  db: Queryable,
  catalog: Catalog,
  layout: Layout,
  code: string,
): Promise<{ uid: string; count: number }[]> {
  const counts: { uid: string; count: number }[] = [];
  for (const { uid, localized } of catalog.contentTypes.values()) {
    if (!localized) continue;
    const [counted] = await query(db, compileCountInLocale(layoutOf(layout, uid).table), [code]);
    const count = Number(counted![0]);
    if (count > 0) counts.push({ uid, count });
  }
  return counts;
}

function checkRest({ name, isDefault }: WantedLocale, failures: Failures): void {
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME)) {
    failures.add(at('name'), `name must be a string of 1 to ${LONGEST_NAME} characters`, name);
  } else if (typeof name === 'string' && (name.includes('\0') || !name.isWellFormed())) {
    failures.add(at('name'), 'name must be well-formed Unicode without U+0000');
  }
  if (isDefault !== undefined && typeof isDefault !== 'boolean') {
    failures.add(at('isDefault'), 'isDefault must be true or false', isDefault);
  }
}

/** A list of all locales as project code receives it. */
export const announcedLocales = () => ({
  params: { where: {} },
  found: (locales: readonly { readonly id: number }[]) => locales.map(({ id }) => id),
});
