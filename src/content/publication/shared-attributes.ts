/**
 * Shared attributes: an attribute that is not localized has the same value in all locales (docs/differences.md,
 * "Locales").
 */
import type { WrittenRow } from '../../access/permitted.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type ChangedVersion, recordChange, replacing } from '../rows/changes.ts';
import type { DocumentRow, DocumentRows } from '../rows/document-rows.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { columnsDiffer, copyColumns, copyDiffers, storeCopy } from './difference.ts';
import { type Original, readOriginal } from './original.ts';

/**
 * Copies the shared attributes of one row to rows of other locales in the same state.
 *
 * @param nested the shared media and components to copy: the written ones, or all of them on publication.
 * @param movedTo the `updatedAt` of rows that change; undefined leaves it.
 */
export async function copySharedAttributes(
  context: WriteContext,
  { type, documentId }: Pick<ChangedVersion, 'type' | 'documentId'>,
  from: { readonly id: number },
  others: readonly DocumentRow[],
  nested: ReadonlySet<string>,
  movedTo: number | undefined,
): Promise<void> {
  const shared = context.plans.index.sharedAttributes(type.uid);
  if (others.length === 0 || shared.size === 0) return;
  const plan = context.plans.of(type.uid);
  const { table, scalars, shared: columns } = plan;
  const rest = new Set([...nested].filter((name) => shared.has(name) && !scalars.has(name)));
  for (const other of others) {
    const differs = await columnsDiffer(context, columns, from.id, other.id);
    const original = rest.size > 0 ? await nestedOriginal(context, type, from.id, other, rest) : undefined;
    // a publication leaves other locales alone that are the same already
    const mayChange = original && (differs || movedTo !== undefined || (await copyDiffers(context, original)));
    if (!differs && !mayChange) continue;
    // each state of a published row is recorded, since the edits of a session are those of drafts
    const kind = type.draftAndPublish && other.published ? 'published' : 'updated';
    await replacing(context, { type, documentId, ...other }, kind, other.id);
    if (differs) await copyColumns(context, columns, from.id, other.id);
    const isChanged = original !== undefined && (await storeCopy(context, original, other.id));
    if (movedTo !== undefined) {
      const time = new Map<string, SqlValue>([['updated_at', context.tables.dialect.encodeTime(movedTo)]]);
      await context.tables.update(table, time, { id: other.id });
    }
    if (differs || isChanged || movedTo !== undefined) {
      context.effects.shared({ type, ...other });
      recordChange(context, { type, documentId, ...other }, 'updated', other.id, other.id);
    }
  }
}

/**
 * Copies shared attributes of an existing version to the draft of a new locale, except those that the request wrote.
 */
export async function inherit(
  context: WriteContext,
  type: ContentType,
  { row, names, to, locale }: { row: DocumentRow; names: ReadonlySet<string>; to: number; locale: string },
): Promise<void> {
  if (names.size === 0) return;
  const { shared, scalars } = context.plans.of(type.uid);
  const own = new Set([...names].flatMap((name) => scalars.get(name)?.column ?? []));
  const columns = shared.names.filter((column) => own.has(column));
  // the list of them all is the usual one
  const isWhole = columns.length === shared.names.length;
  const list = isWhole ? shared : { ...shared, key: `${shared.key} ${columns}`, names: columns };
  await copyColumns(context, list, row.id, to);
  await storeCopy(context, await nestedOriginal(context, type, row.id, { id: to, locale }, names), to);
}

/** Reads attributes that are no columns, to copy them to the row of another locale. */
function nestedOriginal(
  context: WriteContext,
  type: ContentType,
  from: number,
  to: Pick<DocumentRow, 'id' | 'locale'>,
  only: ReadonlySet<string>,
): Promise<Original> {
  const mapping = { state: 'same', locale: to.locale ?? undefined } as const;
  return readOriginal(context, { model: type, pair: { from, to: to.id }, mapping, only });
}

/** The row from which a new version takes the shared attributes: a draft where there is one, the oldest. */
export function siblingOf({ rows }: DocumentRows, type: ContentType): DocumentRow | undefined {
  return rows.find((row) => row.published === !type.draftAndPublish) ?? rows[0];
}

/** Names of the media, components and zones that a body mentions. */
export function mentionedNestedContent(row: WrittenRow): ReadonlySet<string> {
  return new Set([...row.media.keys(), ...row.components.keys()]);
}
