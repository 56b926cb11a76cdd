/** How the texts of a field are written: by the locale of the document, or, where that says nothing, by themselves. */
import { createContext, use } from 'react';
import { directionOf } from '../language/direction.ts';
import type { Attribute, Model } from './values/model.ts';

/** Attributes of an element that shows such a text, or takes one. */
export interface Writing {
  readonly dir: 'auto' | 'rtl';
  readonly lang?: string;
}

const BY_ITSELF: Writing = { dir: 'auto' };

const WritingContext = createContext<Writing>(BY_ITSELF);

/** Given by every field of the document itself; what lies within it is written as it is. */
export const WritingProvider = WritingContext;

export function useWriting(): Writing {
  return use(WritingContext);
}

/** Values that count in all locales are written as they are: nobody knows in which one they were written. */
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
