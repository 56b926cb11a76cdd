/** The direction and language of the text of a field, by the locale of the document or by the text itself. */
import { createContext, use } from 'react';
import { directionOf } from '../language/direction.ts';
import type { Attribute, Model } from './values/model.ts';

/** The attributes of an element with such a text. */
export interface TextDirection {
  readonly dir: 'auto' | 'rtl';
  readonly lang?: string;
}

const AUTO: TextDirection = { dir: 'auto' };

const TextDirectionContext = createContext<TextDirection>(AUTO);

/** Provided by every field of the document; nested fields inherit it. */
export const TextDirectionProvider = TextDirectionContext;

export function useTextDirection(): TextDirection {
  return use(TextDirectionContext);
}

/** Values that apply to all locales have no language. */
export function textDirectionOf(
  model: Model,
  attribute: Pick<Attribute, 'localized'> | undefined,
  locale: string | null,
): TextDirection {
  if (locale === null || !attribute?.localized || !('localized' in model && model.localized)) return AUTO;
  const direction = directionOf(locale);
  if (direction === undefined) return AUTO;
  return { dir: direction === 'rtl' ? 'rtl' : 'auto', lang: locale };
}
