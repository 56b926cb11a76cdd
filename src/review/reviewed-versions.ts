/** The version of a document that is reviewed: its draft in a locale, as far as an administrator is shown it. */
import type { Viewer } from '../access/view.ts';
import type { ContentWriter } from '../content/documents/writer.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import { type DocumentRow, readRows, rowOf, singleDocumentId } from '../content/rows/document-rows.ts';
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { notFound, validation } from '../errors.ts';
import type { ContentType } from '../schema/catalog.ts';

export interface VersionContext {
  readonly database: Database;
  readonly reader: DocumentReader;
  readonly writer: Pick<ContentWriter, 'reading'>;
  readonly locales: LocaleStore;
}

/** Which document, in which locale. */
export interface VersionAddress {
  readonly type: ContentType;
  /** Undefined: the document of a single type. */
  readonly documentId: string | undefined;
  /** Undefined: the default locale. */
  readonly locale: string | undefined;
}

/** A version that exists. */
export interface Version {
  readonly type: ContentType;
  readonly documentId: string;
  /** Null on types without locales. */
  readonly locale: string | null;
}

/** A version with its row. */
export interface ReviewedVersion extends Version {
  readonly row: DocumentRow;
}

/**
 * The version at an address.
 *
 * @throws ContentError 404 for a document or version that does not exist or is hidden; 400 for an unknown locale.
 */
export async function versionAt(
  context: VersionContext,
  viewer: Viewer,
  address: VersionAddress,
): Promise<ReviewedVersion> {
  const { type } = address;
  const { database, writer } = context;
  const locale = await localeOf(context, address);
  const documentId = address.documentId ?? (await singleDocumentId(writer.reading(database), type));
  if (documentId === undefined) throw notFound();
  return findReviewedVersion(context, database, viewer, { type, documentId, locale });
}

/**
 * The version again, in a transaction.
 *
 * @throws ContentError 404 for a version that does not exist or is hidden.
 */
export async function findReviewedVersion(
  { reader, writer }: VersionContext,
  db: Queryable,
  viewer: Viewer,
  { type, documentId, locale }: Version,
): Promise<ReviewedVersion> {
  const document = await readRows(writer.reading(db), type, documentId);
  const row = rowOf(document, type, locale, !type.draftAndPublish);
  if (!row || (await reader.shown(db, viewer).hidden(type, [row])).has(row.id)) throw notFound();
  return { type, documentId, locale, row };
}

/** The locale of an address; null on types without locales. @throws ContentError 400 for an unknown one. */
export async function localeOf(
  { locales }: Pick<VersionContext, 'locales'>,
  { type, locale }: Pick<VersionAddress, 'type' | 'locale'>,
): Promise<string | null> {
  if (!type.localized) return null;
  if (locale === undefined) return locales.default();
  if (!(await locales.has(locale))) throw validation(`Locale "${locale}" not found`);
  return locale;
}
