/**
 * Making, changing and removing locales: what `/i18n/locales` and `galley locale` share (docs/reference/extensions.md,
 * "Locales"). Each runs in a transaction of the caller's.
 */
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { type Catalog, LOCALE_UID } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { compileCountInLocale } from '../../sql/locales.ts';
import { type AroundRows, beginRow } from '../rows/around-rows.ts';
import { localeLock } from '../rows/locks.ts';
import {
  type AddedLocale,
  addLocale,
  defaultLocale,
  isLocaleCode,
  type Locale,
  listLocales,
  localeName,
  lockLocales,
  removeLocale,
  renameLocale,
  setDefaultLocale,
} from './locales.ts';

/** Characters of a locale's name, as in the reference's panel. */
const NAME_LENGTH = 50;

/** What is wanted of a locale, unchecked: the values of a request's body, or a command's words. */
export interface WantedLocale {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly isDefault?: unknown;
}

/** What it takes to know whether documents are in a locale, and whom to tell of what is done to it. */
export interface LocaleRooms {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly around?: AroundRows | undefined;
}

/**
 * Adds a locale. Without a name it gets the usual one, `French (fr)`.
 *
 * @param around what is told of it.
 * @throws ContentError 400 with the paths of what is wrong: a code of another form or taken, a name, `isDefault`.
 */
export async function createLocale(tx: Transaction, wanted: WantedLocale, around?: AroundRows): Promise<AddedLocale> {
  await lockLocales(tx);
  const failures = new Failures();
  const { code } = wanted;
  if (typeof code !== 'string' || !isLocaleCode(code)) {
    failures.add(at('code'), 'code must be a locale code such as en, pt-BR or zh-Hant', code);
  } else {
    // en and EN would be one language to everybody but the database
    const taken = (await listLocales(tx)).find((locale) => locale.code.toLowerCase() === code.toLowerCase());
    if (taken) failures.add(at('code'), `The locale ${taken.code} already exists`, code);
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
 * Gives a locale another name, or makes it the default one. Its code stays: documents bear it.
 *
 * @param around what is told of it.
 * @throws ContentError 400 with the paths of what is wrong.
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
    failures.add(at('isDefault'), message, isDefault);
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
 * @param around what is told of it.
 * @throws ContentError 400 for the default one, and for one that documents have versions in.
 */
export async function deleteLocale(
  tx: Transaction,
  { catalog, layout, around }: LocaleRooms,
  locale: Locale,
): Promise<void> {
  await lockLocales(tx);
  // who is making a version in it is waited for, and seen below
  await tx.lock(() => [localeLock(locale.code, false)]);
  if ((await defaultLocale(tx)) === locale.code) {
    throw validation(`${locale.code} is the default locale: make another one the default first`);
  }
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

/** How many documents of each type have a version in a locale; types without any are left out. */
export async function documentsIn(
  db: Queryable,
  catalog: Catalog,
  layout: Layout,
  code: string,
): Promise<{ uid: string; count: number }[]> {
  const found: { uid: string; count: number }[] = [];
  for (const { uid, localized } of catalog.contentTypes.values()) {
    if (!localized) continue;
    const [counted] = await query(db, compileCountInLocale(layoutOf(layout, uid).table), [code]);
    const count = Number(counted![0]);
    if (count > 0) found.push({ uid, count });
  }
  return found;
}

function checkRest({ name, isDefault }: WantedLocale, failures: Failures): void {
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '' || name.length > NAME_LENGTH)) {
    failures.add(at('name'), `name must be a string of 1 to ${NAME_LENGTH} characters`, name);
  } else if (typeof name === 'string' && (name.includes('\0') || !name.isWellFormed())) {
    failures.add(at('name'), 'name must be well-formed Unicode without U+0000');
  }
  if (isDefault !== undefined && typeof isDefault !== 'boolean') {
    failures.add(at('isDefault'), 'isDefault must be true or false', isDefault);
  }
}
