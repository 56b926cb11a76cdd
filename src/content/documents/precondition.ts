/**
 * Preconditions of writes: a caller that read a version may refuse to write over another one
 * (docs/reference/extensions.md, "Entity tags").
 */
import { ContentError } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type DocumentRows, inLocale } from '../rows/document-rows.ts';

/** Versions of which the document must have one; `any`: it must be there at all; `none`: it must not be there. */
export type Precondition = 'any' | 'none' | readonly number[];

/** The version of a document in a locale: the newest `updatedAt` of its rows; undefined when it has none there. */
export function versionOf({ rows }: DocumentRows, type: ContentType, locale: string | null): number | undefined {
  const times = rows.filter((row) => inLocale(row, type, locale)).map((row) => row.updatedAt);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Holds a document, read in the transaction that will write it, to a precondition.
 *
 * @throws ContentError 412 when it is not met in one of the locales.
 */
export function requireVersion(
  precondition: Precondition | undefined,
  document: DocumentRows,
  type: ContentType,
  locales: readonly (string | null)[],
): void {
  if (precondition === undefined) return;
  const met = locales.every((locale) => {
    const version = versionOf(document, type, locale);
    if (version === undefined || precondition === 'none') return version === undefined && precondition === 'none';
    return precondition === 'any' || precondition.includes(version);
  });
  if (!met || locales.length === 0) throw new ContentError('PreconditionFailedError', 'The document has changed');
}
