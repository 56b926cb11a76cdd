/** Where the site shows a document, by a pattern of the configuration. */
import type { ContentType } from '../../schema/catalog.ts';
import type { EditedDocument } from './edited-documents.ts';

/** A name in a pattern: of an attribute, or `documentId`, `locale` and `status`. */
const NAME = /\{(\w+)\}/g;

/**
 * The address of a draft: each name of the pattern replaced by the draft's value, encoded.
 *
 * @returns null where the draft has no value for one of them.
 */
export function previewUrl(pattern: string, type: ContentType, document: EditedDocument): string | null {
  const values = new Map<string, string | undefined>();
  for (const [, name = ''] of pattern.matchAll(NAME)) values.set(name, namedValue(name, type, document));
  if ([...values.values()].includes(undefined)) return null;
  return pattern.replace(NAME, (_whole, name: string) => encodeURIComponent(values.get(name)!));
}

function namedValue(
  name: string,
  type: ContentType,
  { documentId, locale, draft }: EditedDocument,
): string | undefined {
  if (draft === null) return undefined;
  if (name === 'documentId') return documentId ?? undefined;
  if (name === 'status') return 'draft';
  // of a type without locales the place stays empty
  if (name === 'locale') return locale ?? '';
  const value = type.attributes.has(name) ? draft[name] : undefined;
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}
