/**
 * Reads in a locale that does not exist. They find nothing, as in Strapi: a list is empty, a document is a 404
 * (docs/reference/query-parameters.md, "Locale"). The response says why: a 404 in `details.hint`, an empty list in a header,
 * since its body has no place for it. With `rest.strictParams` the list is a 400.
 */
import { isEmptyList, parseParams } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { HttpContext } from '../routes/context.ts';

/** The header with the hint of a response whose body has no place for one. */
export const HINT = 'x-galley-hint';

/** Characters that a header cannot have. */
const UNPRINTABLE = /[^\x20-\x7e]/g;

/** The locale codes that a query string names; none for the default locale and for all. */
function codesOf(type: ContentType, query: string): readonly string[] {
  if (!type.localized || !query.includes('locale')) return [];
  const { locale } = parseParams(query);
  if (locale === undefined || locale === null || locale === '' || isEmptyList(locale)) return [];
  const codes = [locale].flat().filter((code) => typeof code === 'string');
  return codes.includes('*') ? [] : codes;
}

/**
 * The missing locale that a query string names, as a hint, for a read that found nothing; undefined where it names none.
 * The answer must not be cached: the locale may be added.
 */
export function missingLocale(
  { locales }: Pick<HttpContext, 'locales'>,
  type: ContentType,
  query: string,
): string | undefined | Promise<string | undefined> {
  const codes = codesOf(type, query);
  return codes.length === 0 || locales.hasAtOnce(codes) ? undefined : locales.missing(codes);
}

/** A hint as a header takes it. */
export const printable = (hint: string): string => hint.replace(UNPRINTABLE, '?');
