/** Records the changes of documents: each write reports which versions it has changed, and how. */
import type { WrittenRow } from '../../access/permitted.ts';
import type { ChangeDetails } from '../../db/interface/action.ts';
import type { ChangeKind, Replacement } from '../../db/interface/change.ts';
import type { Sent } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { ContentType, Model } from '../../schema/catalog.ts';
import type { DocumentRow } from './document-rows.ts';
import type { WriteContext } from './write-context.ts';

const NONE: ReadonlySet<number> = new Set();

/** A version of a document: its draft or published row in a locale. */
export interface ChangedVersion {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

/**
 * Notes that a version was changed.
 *
 * @param before the id of its row before; undefined where there was none.
 * @param after the id of its row after; undefined where there is none any more.
 * @param details undefined for a change that follows from another one.
 */
export function recordChange(
  { tx }: Pick<WriteContext, 'tx'>,
  version: ChangedVersion,
  kind: ChangeKind,
  before: number | undefined,
  after: number | undefined,
  details?: ChangeDetails,
): void {
  tx.record({ ...nameOf(version), kind, before, after, details });
}

/** Has listeners record the state of a version, which is about to be replaced or removed. */
export function replacing(
  { tx }: Pick<WriteContext, 'tx'>,
  { filled, ...version }: ChangedVersion & Pick<Replacement, 'filled'>,
  kind: Replacement['kind'],
  row: number,
  times?: Replacement['times'],
): Sent {
  return tx.replacing({ ...nameOf(version), kind, row, filled, times });
}

/**
 * Has listeners record rows of a document, a file or a folder, which are about to be deleted.
 *
 * @param folder the document id of the folder with which a file is deleted.
 */
export function deleting(
  { tx }: Pick<WriteContext, 'tx'>,
  type: ContentType,
  documentId: string,
  rows: readonly (Omit<ChangedVersion, 'type' | 'documentId'> & Pick<DocumentRow, 'id' | 'removals'>)[],
  folder?: string,
): Sent {
  const isLinked = rows.some(({ removals }) => removals?.includes('1') ?? true);
  const removed = rows.map(({ id, ...row }) => {
    const { locale, status } = nameOf({ type, documentId, ...row });
    return { id, locale, status };
  });
  return tx.deleting({ uid: type.uid, documentId, rows: removed, folder, isLinked });
}

/** The names of the written attributes. */
export const fieldsOf = ({ scalars, relations, media, components }: WrittenRow): ChangeDetails => ({
  fields: [...scalars.keys(), ...relations.keys(), ...media.keys(), ...components.keys()],
});

/** Announces that versions are about to be removed, for listeners that read them once more. */
export async function announceRemoval(
  { tx }: Pick<WriteContext, 'tx'>,
  type: ContentType,
  documentId: string,
  rows: readonly { readonly id: number; readonly locale: string | null; readonly published: boolean }[],
  kind: 'unpublished' | 'deleted',
): Promise<void> {
  await tx.removing(rows.map(({ id, ...row }) => ({ ...nameOf({ type, documentId, ...row }), kind, row: id })));
}

/** The name of a version in changes. */
function nameOf({ type, documentId, locale, published }: ChangedVersion) {
  const status: 'draft' | 'published' = published || !type.draftAndPublish ? 'published' : 'draft';
  return { uid: type.uid, documentId, locale: type.localized ? locale : null, status };
}

/**
 * Records that rows of other documents lost a link to this write (`unlinked`), or have one back (`relinked`).
 *
 * @param unchanged rows whose links are those from before the write.
 */
export async function recordLinkEffect(
  context: WriteContext,
  effect: 'unlinked' | 'relinked',
  model: Model,
  rowIds: readonly number[],
  unchanged: ReadonlySet<number> = NONE,
): Promise<void> {
  if (rowIds.length === 0 || model.modelType === 'component') return;
  const columns = ['id', 'document_id', 'locale', 'published_at'];
  const { table } = context.plans.of(model.uid);
  for (const row of await context.tables.select(table, columns, { id: [...new Set(rowIds)] }, ['id'])) {
    const [id, published] = [Number(row[0]), row[3] !== null];
    context.effects[effect]([{ type: model, id, published }]);
    if (unchanged.has(id)) continue;
    const version = { type: model, documentId: String(row[1]), locale: row[2] as string | null, published };
    recordChange(context, version, 'updated', id, id);
  }
}

/** Records the change of a row that has no versions: a locale, a role, an API token. */
export function recordRowChange(
  tx: Transaction,
  uid: string,
  documentId: string,
  kind: 'created' | 'updated' | 'deleted',
  rowId: number,
  details: ChangeDetails = {},
): void {
  const before = kind === 'created' ? undefined : rowId;
  const after = kind === 'deleted' ? undefined : rowId;
  tx.record({ uid, documentId, locale: null, status: 'published', kind, before, after, details });
}
