/** The direction and language of the text of a field, by the locale of the document or by the text itself. */
import { createContext, use } from 'react';
import { directionOf } from '../language/direction.ts';
import type { Attribute, Model } from './values/model.ts';

/** The attributes of an element with such a text. */
export interface Writing {
  readonly dir: 'auto' | 'rtl';
  readonly lang?: string;
}

const BY_ITSELF: Writing = { dir: 'auto' };

const WritingContext = createContext<Writing>(BY_ITSELF);

/** Provided by every field of the document; nested fields inherit it. */
export const WritingProvider = WritingContext;

export function useWriting(): Writing {
  return use(WritingContext);
}

/** Values that apply to all locales have no language. */
export function writingOf(
  model: Model,
  attribute: Pick<Attribute, 'localized'> | undefined,
  locale: string | null,
): Writing {
  if (locale === null || !attribute?.localized || !('localized' in model && model.localized)) return BY_ITSELF;
  const direction = directionOf(locale);
  if (direction === undefined) return BY_ITSELF;
  return { dir: direction === 'rtl' ? 'rtl' : 'auto', lang: locale };
}
