/** Parameters of writes, besides their data, checked in the order of their errors. */
import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../../access/view.ts';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { validation } from '../../errors.ts';
import { parseBody, type WrittenData } from '../../query/body.ts';
import type { LocaleChoice } from '../../query/content-query.ts';
import { isEmptyList, type RawObject, type RawValue, singleValue } from '../../query/params.ts';
import { parseLocale, parseLocales, parseStatus } from '../../query/parse.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { preconditionOf } from '../protocol/entity-tag.ts';
import { answerLimit } from '../protocol/v4-format.ts';
import type { HttpContext } from './context.ts';
import type { StrictParams } from './strict-params.ts';

/** The unchecked parts of a write. */
export interface RawWrite {
  readonly locale: RawValue;
  readonly status: RawValue;
  readonly data: () => WrittenData;
  /** Of the answer. */
  readonly shape: RawObject;
}

/**
 * Reads the write of a request.
 *
 * @param action the name of its core action, with the check of its parameters.
 * @throws ContentError 400 for a wrong parameter, locale or body.
 */
export async function writeRequest(
  context: HttpContext,
  type: ContentType,
  viewer: Viewer,
  request: FastifyRequest,
  [strict, action]: readonly [StrictParams, string],
): Promise<WriteRequest> {
  const params = strict.params(request, type, action);
  context.reader.check(type, viewer, params);
  const { fields, populate, locale, status } = params;
  const data = () => strict.input(parseBody(request.body), type, action);
  const write = await writeOf(context, type, viewer, { locale, status, data, shape: { fields, populate } });
  return { ...write, ...answerLimit(request), precondition: preconditionOf(request) };
}

/** The write with these parts, which come from parameters or from an operation of a batch. */
export async function writeOf(
  { locales, config }: HttpContext,
  type: ContentType,
  viewer: Viewer,
  { locale: rawLocale, status, data, shape }: RawWrite,
): Promise<WriteRequest> {
  const locale = type.localized ? parseLocale(rawLocale) : undefined;
  if (locale === '*') throw validation('Invalid locale param * provided. Document locales must be strings.');
  if (locale !== undefined) await requireLocale(locales, locale);
  return {
    type,
    viewer,
    status: parseStatus(status),
    locale,
    data: data(),
    shape,
    mayLocalize: viewer.view.may(`${type.uid}.createLocalization`) || config.rest.localizationPermission === 'update',
  };
}

/**
 * The versions of a `locale` parameter: one, several, or all.
 *
 * @throws ContentError 400 for an unknown locale.
 */
export async function namedLocales(
  { locales }: HttpContext,
  type: ContentType,
  locale: RawValue,
): Promise<LocaleChoice> {
  if (!type.localized) return { kind: 'default' };
  const choice = parseLocales(locale);
  if (choice.kind === 'some') for (const code of choice.codes) await requireLocale(locales, code);
  return choice;
}

/**
 * The locales of a DELETE; undefined for the whole document.
 *
 * @throws ContentError 400 for an empty `locale`: it might be an empty variable, which must not delete everything
 * (docs/differences.md, "Writing").
 */
export async function deletedLocales(
  context: HttpContext,
  type: ContentType,
  { locale, status }: { readonly locale: RawValue; readonly status: RawValue },
): Promise<readonly string[] | undefined> {
  if (type.draftAndPublish && singleValue(status) === 'draft') {
    throw validation('A draft cannot be deleted by itself: DELETE removes both the draft and the published version');
  }
  if (type.localized && namesNothing(locale)) {
    throw validation('locale is empty: give one locale, several, or * for all of them, or omit the parameter');
  }
  const choice = await namedLocales(context, type, locale);
  return choice.kind === 'some' ? choice.codes : undefined;
}

/** True for an empty parameter. */
const namesNothing = (value: RawValue): boolean => value === null || value === '' || isEmptyList(value);

async function requireLocale(locales: HttpContext['locales'], code: string): Promise<void> {
  if (await locales.has(code)) return;
  throw validation(`Locale "${code}" not found`, { hint: await locales.missing([code]) });
}
