/** Attributes that all locales share, where a locale that a document no longer has is created again. */
import type { View } from '../access/view.ts';
import type { ContentWriter } from '../content/documents/writer.ts';
import { siblingOf } from '../content/publication/shared-attributes.ts';
import { inLocale, readRows } from '../content/rows/document-rows.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout/layout.ts';
import { presentContent } from './content.ts';
import type { Content } from './version.ts';

/** What the other locales of a document have in common. */
export interface SharedValues {
  /** The shared attributes. */
  readonly names: ReadonlySet<string>;
  /** The present content of another locale. */
  readonly present: Content;
}

export interface SharingContext {
  readonly db: Queryable;
  readonly layout: Layout;
  readonly writer: Pick<ContentWriter, 'reading'>;
  /** Shows every attribute of every type. */
  readonly whole: View;
}

/**
 * The attributes that a version takes from the other locales of its document; undefined if its locale exists, if there is
 * no other one, or if locales share nothing.
 */
export async function sharedValues(
  { db, layout, writer, whole }: SharingContext,
  type: ContentType,
  documentId: string,
  locale: string | null,
): Promise<SharedValues | undefined> {
  const reading = writer.reading(db);
  const names = reading.plans.index.sharedAttributes(type.uid);
  if (locale === null || names.size === 0) return undefined;
  const document = await readRows(reading, type, documentId);
  const sibling = siblingOf(document, type);
  if (!sibling || document.rows.some((row) => inLocale(row, type, locale))) return undefined;
  return { names, present: await presentContent(db, layout, whole, type, sibling.id) };
}
