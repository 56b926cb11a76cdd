/** Writes states of versions that the history has recorded, or that were read, back in a transaction. */
import type { Viewer } from '../access/view.ts';
import type { StepWriter } from '../content/documents/writer.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout/layout.ts';
import { restoredData } from './restoring.ts';
import type { Content } from './version.ts';
import { readOwnVersion } from './versions.ts';

export interface EarlierStates {
  readonly layout: Layout;
  readonly reader: Pick<DocumentReader, 'shown'>;
  /** Shows everything, to read and write versions as a whole. */
  readonly whole: Viewer;
}

/** A document in a locale. */
export interface EarlierVersion {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
}

/** The content of a version of the history. @throws ContentError 404 for one that is no longer stored. */
export async function recordedContent(
  db: Queryable,
  { type: { uid }, documentId }: EarlierVersion,
  version: number,
): Promise<Content> {
  return (await readOwnVersion(db, { uid, documentId }, version)).content;
}

/** Writes a content as the draft of a version, or publishes it. Links to what no longer exists are left out. */
export async function writeContent(
  { layout, reader, whole }: EarlierStates,
  tx: Transaction,
  steps: StepWriter,
  { type, documentId, locale }: EarlierVersion,
  content: Content,
  status: 'draft' | 'published',
): Promise<void> {
  const restoring = { db: tx, layout, shown: reader.shown(tx, whole) };
  const { data } = await restoredData(restoring, whole.view, type, content);
  const request = {
    ...{ type, viewer: whole, status, data, locale: locale ?? undefined, isRestoring: true },
    ...{ shape: { fields: ['documentId'] }, mayLocalize: false },
  };
  await steps.update(request, documentId);
}
