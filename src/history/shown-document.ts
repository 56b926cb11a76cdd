/** The document whose versions a caller asks for, as far as the caller is shown it. */
import type { Viewer } from '../access/view.ts';
import type { EditingServices } from '../content/administration/document-states.ts';
import { singleDocumentId } from '../content/rows/document-rows.ts';
import { notFound } from '../errors.ts';
import type { RawObject } from '../query/params.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { VersionAddress } from './version.ts';

/** More locales than a project has. */
const LOCALES = 1000;

/**
 * The address of the versions of a document. If the viewer is not shown all rows of the type, it names only locales with
 * a row that the viewer is shown, and only versions since the last deletion: another document may have had the id before.
 *
 * @param named undefined: the document of a single type.
 * @throws ContentError 404 if the viewer is shown no row of the document.
 */
export async function shownDocument(
  { reader, writer, database }: Pick<EditingServices, 'reader' | 'writer' | 'database'>,
  type: ContentType,
  viewer: Viewer,
  named: string | undefined,
): Promise<VersionAddress> {
  const documentId = named ?? (await singleDocumentId(writer.reading(database), type));
  if (documentId === undefined) throw notFound();
  const fields = ['documentId', ...(type.localized ? ['locale'] : [])];
  const params: RawObject = { fields, filters: { documentId }, locale: '*', status: 'draft' };
  const page = { mode: 'offset', offset: 0, limit: LOCALES, withCount: false } as const;
  const { data } = await reader.list(type, viewer, params, { page });
  const rows = JSON.parse(data) as { readonly locale?: string }[];
  if (rows.length === 0) throw notFound();
  if (viewer.view.of(type).rows === undefined) return { uid: type.uid, documentId };
  const locales = type.localized ? { locales: rows.map(({ locale }) => String(locale)) } : {};
  return { uid: type.uid, documentId, isSinceDeletion: true, ...locales };
}
