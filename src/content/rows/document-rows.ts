/** The rows of a document: one for each locale and state. */
import type { ContentType } from '../../schema/catalog.ts';
import { compileFirstDocumentId } from '../../sql/content-rows.ts';
import { layoutOfModel, type ReadContext } from './write-context.ts';

/** One row: a locale's draft or published version. */
export interface DocumentRow {
  readonly id: number;
  readonly locale: string | null;
  readonly published: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A document's rows. */
export interface DocumentRows {
  readonly documentId: string;
  readonly rows: readonly DocumentRow[];
}

/** The rows of a document in row order; none when it is not there. */
export async function readRows(context: ReadContext, type: ContentType, documentId: string): Promise<DocumentRows> {
  return { documentId, rows: await rowsOfSome(context, type, documentId) };
}

/** The rows of one document or of several, in row order, by one statement. */
export async function rowsOfSome(
  context: ReadContext,
  type: ContentType,
  documentIds: string | readonly string[],
): Promise<DocumentRow[]> {
  const rows = await context.tables.find(context.plans.of(type.uid).versionQuery, [documentIds]);
  return rows.map(([id, locale, publishedAt, createdAt, updatedAt]) => ({
    id: Number(id),
    locale: locale === null ? null : String(locale),
    published: publishedAt !== null,
    createdAt: Number(createdAt ?? 0),
    updatedAt: Number(updatedAt ?? 0),
  }));
}

/** The document id of a single type's document; undefined when there is none. */
export async function singleDocumentId(context: ReadContext, type: ContentType): Promise<string | undefined> {
  const { table } = layoutOfModel(context, type);
  const [row] = await context.tables.run(`single ${table}`, [], () => compileFirstDocumentId(table));
  return row === undefined ? undefined : String(row[0]);
}

/** Whether a row is of a locale; of a type without locales every row is. */
export function inLocale(row: DocumentRow, type: ContentType, locale: string | null): boolean {
  return !type.localized || row.locale === locale;
}

/** The row of a version, in a state. */
export function rowOf(
  { rows }: DocumentRows,
  type: ContentType,
  locale: string | null,
  published: boolean,
): DocumentRow | undefined {
  return rows.find((row) => inLocale(row, type, locale) && row.published === published);
}

/**
 * The time of a write: now, but later than anything the document holds, since the order of two times decides whether a
 * draft is newer than its publication.
 */
export function writeTime({ rows }: DocumentRows): number {
  return Math.max(Date.now(), ...rows.map((row) => row.updatedAt + 1));
}
