/** The locales of a read, as slots of its statement. */
import type { LocaleChoice } from '../../query/content-query.ts';
import type { RawObject } from '../../query/params.ts';
import { parseLocales } from '../../query/parse.ts';
import type { ContentType } from '../../schema/catalog.ts';

/** Adds the codes to the values and gives their slots; undefined where rows of every locale are meant. */
export function localeSlots(
  type: ContentType,
  choice: LocaleChoice,
  defaultLocale: string,
  values: unknown[],
): number[] | undefined {
  if (!type.localized || choice.kind === 'all') return undefined;
  const codes = choice.kind === 'some' ? choice.codes : [defaultLocale];
  return codes.map((code) => values.push(code) - 1);
}

/** Types that are not localized ignore `locale` in any form. */
export function localesOf(type: ContentType, params: RawObject): LocaleChoice {
  return type.localized ? parseLocales(params['locale']) : { kind: 'default' };
}
