/** The document whose versions a caller asks for, as far as the caller is shown it. */
import type { Viewer } from '../access/view.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import { notFound } from '../errors.ts';
import type { RawObject } from '../query/params.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { VersionAddress } from './version.ts';

/** More locales than a project has. */
const LOCALES = 1000;

/**
 * The address of the versions of a document. Of a document with locales whose rows the viewer is not all shown, only
 * locales with a row that the viewer is shown: rights by locale are conditions on rows.
 *
 * @param documentId undefined: there is no document.
 * @throws ContentError 404 if the viewer is shown no row of the document.
 */
export async function shownDocument(
  reader: Pick<DocumentReader, 'list'>,
  type: ContentType,
  viewer: Viewer,
  documentId: string | undefined,
): Promise<VersionAddress> {
  if (documentId === undefined) throw notFound();
  const fields = ['documentId', ...(type.localized ? ['locale'] : [])];
  const params: RawObject = { fields, filters: { documentId }, locale: '*', status: 'draft' };
  const page = { mode: 'offset', offset: 0, limit: LOCALES, withCount: false } as const;
  const { data } = await reader.list(type, viewer, params, { page });
  const rows = JSON.parse(data) as { readonly locale?: string }[];
  if (rows.length === 0) throw notFound();
  const isWhole = !type.localized || viewer.view.of(type).rows === undefined;
  return { uid: type.uid, documentId, ...(isWhole ? {} : { locales: rows.map(({ locale }) => String(locale)) }) };
}
