/**
 * The project's locales: rows of `i18n_locale`, and the default one in the core store under
 * `plugin_i18n_default_locale`, as Strapi 5 keeps them.
 */
import type { Queryable } from '../../db/interface/queryable.ts';
import { execute, insertRow, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { LOCALE_UID } from '../../schema/catalog.ts';
import { compileDeleteLocale, compileRenameLocale } from '../../sql/locales.ts';
import { CORE_STORE_TABLE, compileLockSetting, compileSetSetting } from '../../sql/settings.ts';
import { alignRolesIn } from '../roles/align-roles.ts';
import { recordRowChange } from '../rows/changes.ts';
import { documentColumns } from '../rows/document-columns.ts';

export interface Locale {
  readonly id: number;
  readonly documentId: string;
  readonly code: string;
  readonly name: string;
}

const DEFAULT_KEY = 'plugin_i18n_default_locale';
/** What the reference makes when there is none. */
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
    // of the form, but no tag that the standard knows: en-a, en-x
    return code;
  }
}

/** Makes other transactions that change locales wait until this one ends. */
export async function lockLocales(tx: Transaction): Promise<void> {
  await execute(tx, compileLockSetting(), [DEFAULT_KEY]);
}

/** All locales, in the order in which they were made. */
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
  recordRowChange(tx, LOCALE_UID, String(columns['document_id']), 'created', id);
  return { id, granted: await alignRolesIn(tx) };
}

/** Gives the locale with this code another name. */
export async function renameLocale(tx: Transaction, code: string, name: string, now = Date.now()): Promise<void> {
  const [changed] = await execute(tx, compileRenameLocale(), [name, tx.dialect.encodeTime(now), code]);
  if (changed) recordRowChange(tx, LOCALE_UID, String(changed[1]), 'updated', Number(changed[0]));
}

/** Removes the locale with this code. The caller has made sure that nothing is in it. */
export async function removeLocale(tx: Transaction, code: string): Promise<void> {
  for (const [id, documentId] of await execute(tx, compileDeleteLocale(), [code])) {
    recordRowChange(tx, LOCALE_UID, String(documentId), 'deleted', Number(id));
  }
  await alignRolesIn(tx);
}

/** The code of the default locale. */
export async function defaultLocale(db: Queryable): Promise<string> {
  const rows = await selectRows(db, CORE_STORE_TABLE, ['value'], { key: DEFAULT_KEY }, ['id']);
  const value = rows[0]?.[0];
  if (typeof value !== 'string') return FALLBACK_CODE;
  try {
    const code: unknown = JSON.parse(value);
    return typeof code === 'string' ? code : FALLBACK_CODE;
  } catch {
    return FALLBACK_CODE;
  }
}

/** Makes the locale with this code the default one. The caller has made sure that it exists. */
export async function setDefaultLocale(tx: Transaction, code: string): Promise<void> {
  const before = await defaultLocale(tx);
  for (const locale of await listLocales(tx)) {
    // the one that was the default is shown otherwise as well
    const isConcerned = before !== code && (locale.code === code || locale.code === before);
    if (isConcerned) recordRowChange(tx, LOCALE_UID, locale.documentId, 'updated', locale.id);
  }
  const value = JSON.stringify(code);
  const updated = await execute(tx, compileSetSetting(), [value, DEFAULT_KEY]);
  if (updated.length > 0) return;
  await insertRow(tx, CORE_STORE_TABLE, { key: DEFAULT_KEY, value, type: 'string' });
}
