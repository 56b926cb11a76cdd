/** The rows of a document, and what the write path does to them as wholes. */
import type { ContentType } from '../../schema/catalog.ts';
import { compileFirstDocumentId } from '../../sql/content-rows.ts';
import { forgetPendingTargets } from '../links/pending-links.ts';
import { announceRemoval, recordChange } from './changes.ts';
import { removeAllEntries } from './components.ts';
import { removeLinksOf } from './rows/row-removal.ts';
import { layoutOfModel, type ReadContext, type WriteContext } from './write-context.ts';

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

/** Removes rows of a document with everything that belongs to them, every link to them, and what waits for them. */
export async function removeRows(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  rows: readonly DocumentRow[],
): Promise<void> {
  await removeRowsAlone(context, type, documentId, rows, 'deleted');
  for (const locale of new Set(rows.map((row) => row.locale))) {
    await forgetPendingTargets(context, type.uid, documentId, locale);
  }
}

/** Removes rows with everything that belongs to them and every link to them. What waits for their document stays. */
export async function removeRowsAlone(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  rows: readonly DocumentRow[],
  kind: 'deleted' | 'unpublished',
): Promise<void> {
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return;
  if (context.tx.tellsRemovals) await announceRemoval(context, type, documentId, rows, kind);
  await removeAllEntries(context, type, ids);
  await removeLinksOf(context, type, ids);
  await context.tables.delete(layoutOfModel(context, type).table, { id: ids });
  for (const row of rows) recordChange(context, { type, documentId, ...row }, kind, row.id, undefined);
}
