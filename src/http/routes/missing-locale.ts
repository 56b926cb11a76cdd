/**
 * Reads in a locale that is not there. They find nothing, as in Strapi: a list is empty, a document is a 404
 * (docs/reference/query-parameters.md, "Locale"). The answer says why: a 404 in `details.hint`, an empty list in a header,
 * since its body has no place for it. With `rest.strictParams` the list is a 400.
 */
import type { FastifyReply } from 'fastify';
import { isNotFound, notFound, validation } from '../../errors.ts';
import { isEmptyList, parseParams } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { HttpContext } from './context.ts';

/** The header with the hint of an answer that has no place for one. */
export const HINT = 'x-galley-hint';

/** Characters that a header cannot have. */
const UNPRINTABLE = /[^\x20-\x7e]/g;

type Parts = Pick<HttpContext, 'locales' | 'config'>;

/** The locale codes that a query string names; none for the default locale and for all. */
function codesOf(type: ContentType, query: string): readonly string[] {
  if (!type.localized || !query.includes('locale')) return [];
  const { locale } = parseParams(query);
  if (locale === undefined || locale === null || locale === '' || isEmptyList(locale)) return [];
  const codes = [locale].flat().filter((code) => typeof code === 'string');
  return codes.includes('*') ? [] : codes;
}

/** Whether an empty list may have a reason to be told, which takes a look at the locales. */
export function mayMissLocale({ locales }: Parts, type: ContentType, query: string): boolean {
  const codes = codesOf(type, query);
  return codes.length > 0 && locales.hasAtOnce(codes) !== true;
}

/**
 * Tells why a list is empty, where it names a locale that is not there.
 *
 * @returns whether it did: the answer must not be remembered, as the locale may be added.
 * @throws ContentError 400 with `rest.strictParams`.
 */
export async function tellMissingLocale(
  { locales, config }: Parts,
  type: ContentType,
  query: string,
  reply: FastifyReply,
): Promise<boolean> {
  const codes = codesOf(type, query);
  const hint = codes.length === 0 ? undefined : await locales.missing(codes);
  if (hint === undefined) return false;
  if (config.rest.strictParams)
    throw validation('Invalid locale parameter', { source: 'query', param: 'locale', hint });
  reply.header(HINT, hint.replace(UNPRINTABLE, '?'));
  return true;
}

/** Reads one document; a 404 names a locale that is not there. */
export async function withMissingLocale<T>(
  { locales }: Parts,
  type: ContentType,
  query: string,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const codes = isNotFound(error) ? codesOf(type, query) : [];
    const hint = codes.length === 0 ? undefined : await locales.missing(codes);
    throw hint === undefined ? error : notFound((error as Error).message, hint);
  }
}
