/** Duplicates a document for an administrator, who becomes the creator of the copy. */
import type { Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { areAsSeen, cloneRows, copyAsSeen, prepareCopies, requireUnique } from '../documents/cloning.ts';
import type { Writer } from '../documents/writer.ts';
import type { Reader } from '../reading/reader.ts';
import { readRows, writeTime } from '../rows/document-rows.ts';
import { documentLock } from '../rows/locks.ts';
import { layoutOfModel } from '../rows/write-context.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { freeValue } from './free-value.ts';

export interface DuplicateContext {
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
}

/**
 * Copies the drafts of a document in all locales that a viewer is shown. Returns the id of the copy. Values of uid
 * attributes get a number at the end, since two documents cannot be published with the same value.
 *
 * @param viewer may create documents of the type.
 * @throws ContentError 404 for a missing or hidden document; 403 if the viewer may not create the copy; 400 for a
 * unique value that two documents would have; 412 for a document that other sessions keep changing.
 */
export function duplicateDocument(
  context: DuplicateContext,
  viewer: Viewer,
  type: ContentType,
  documentId: string,
): Promise<string> {
  return copyAsSeen(() => duplicateSeen(context, viewer, type, documentId));
}

async function duplicateSeen(
  { database, reader, writer }: DuplicateContext,
  viewer: Viewer,
  type: ContentType,
  documentId: string,
) {
  const longest = reader.longest;
  const write = {
    type,
    viewer,
    status: 'draft',
    locale: undefined,
    data: {},
    shape: {},
    mayLocalize: true,
    longest,
  } as const;
  const before = await readRows(writer.reading(database), type, documentId);
  const drafts = before.rows.filter((row) => row.published !== type.draftAndPublish);
  const prepared = await prepareCopies({ reader, writer }, write, documentId, drafts);
  return database.transaction(async (tx) => {
    const context = writer.context(tx);
    await tx.lock(() => [documentLock(type.uid, documentId)]);
    const document = await readRows(context, type, documentId);
    const drafted = document.rows.filter((row) => row.published !== type.draftAndPublish);
    if (!areAsSeen({ reader, writer }, type, drafts, drafted)) return undefined;
    const shown = reader.shown(tx, viewer);
    const hidden = await shown.hidden(type, document.rows);
    const rows = drafted.filter((row) => !hidden.has(row.id));
    if (rows.length === 0) throw notFound();
    if (rows.length > 1 && !viewer.view.may(`${type.uid}.createLocalization`)) throw forbidden();
    const copy = await cloneRows(context, type, rows, writeTime(document));
    const { rows: copies } = await readRows(context, type, copy);
    const { table, columns } = layoutOfModel(context, type);
    const names = [...type.attributes.values()].filter((attribute) => attribute.type === 'uid');
    for (const { id, locale } of copies) {
      const own = new Map<string, SqlValue>();
      const { administratorId } = viewer.values;
      if (administratorId !== undefined) {
        own.set('created_by_id', administratorId).set('updated_by_id', administratorId);
      }
      for (const { name } of names) {
        const column = columns.get(name)!;
        const [row] = await context.tables.select(table, [column], { id });
        const value = row?.[0];
        if (typeof value !== 'string' || value === '') continue;
        own.set(column, (await freeValue(context, { type, name, locale, documentId: copy }, value)) ?? null);
      }
      if (own.size > 0) await context.tables.update(table, own, { id });
    }
    const step = { patterns: new PatternTime() };
    for (const { locale } of copies) {
      const own = prepared.get(locale);
      if (own) await writer.updateIn(tx, { ...write, locale: locale ?? undefined }, copy, own, step);
    }
    if (!type.draftAndPublish) await requireUnique(context, type, copy, copies);
    await shown.requireWritten(type, copies);
    return { result: copy };
  });
}
