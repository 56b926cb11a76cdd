/** Removal of rows of documents with everything that belongs to them. */
import type { ChangeDetails } from '../../db/interface/action.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { forgetPendingTargets } from '../relations/pending-links.ts';
import { announceRemoval, deleting, recordChange, replacing } from '../rows/changes.ts';
import { removeAllEntries, removeLinksOf } from '../rows/component-rows.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { layoutOfModel, type WriteContext } from '../rows/write-context.ts';

/** What is recorded of a removal. */
export interface RemovalDetails extends ChangeDetails {
  /** The document id of the folder with which a file is deleted. */
  readonly folder?: string | undefined;
}

/**
 * Removes rows of a document with everything that belongs to them, every link to them, and pending links to the
 * document.
 */
export async function removeRows(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  rows: readonly DocumentRow[],
  details: RemovalDetails = {},
): Promise<void> {
  await removeRowsAlone(context, type, documentId, rows, 'deleted', details);
  for (const locale of new Set(rows.map((row) => row.locale))) {
    await forgetPendingTargets(context, type.uid, documentId, locale);
  }
}

/** Removes rows with everything that belongs to them and every link to them. Pending links to the document stay. */
export async function removeRowsAlone(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  rows: readonly DocumentRow[],
  kind: 'deleted' | 'unpublished',
  { folder, ...details }: RemovalDetails = {},
): Promise<void> {
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return;
  for (const row of rows) await replacing(context, { type, documentId, ...row }, kind, row.id);
  if (kind === 'deleted') await deleting(context, type, documentId, rows, folder);
  if (context.tx.reportsRemovals) await announceRemoval(context, type, documentId, rows, kind);
  await removeAllEntries(context, type, ids);
  await removeLinksOf(
    context,
    type,
    ids,
    rows.map(({ removals }) => removals),
  );
  await context.tables.delete(layoutOfModel(context, type).table, { id: ids });
  for (const row of rows) recordChange(context, { type, documentId, ...row }, kind, row.id, undefined, details);
}
