/**
 * Undoes an import: documents that it created go to the trash, and updated ones get the state back that the history has
 * recorded. Documents that have changed since stay as they are.
 */
import type { TogetherServices } from '../content/documents/transitions.ts';
import { type DocumentRow, inLocale } from '../content/rows/document-rows.ts';
import { documentLock } from '../content/rows/locks.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, forbidden, isNotFound } from '../errors.ts';
import { recordedContent, writeContent } from '../history/earlier-states.ts';
import type { ContentType } from '../schema/catalog.ts';
import { type ImportContext, type Importer, type IsOver, timeOf, versionsOfDocuments } from './importing.ts';
import {
  countRows,
  type KeptReason,
  noteRestored,
  noteUndone,
  Stopped,
  type StoredImport,
  type UndoableRow,
  undoableRows,
} from './imports.ts';

/** Rows of one transaction. */
const TOGETHER = 25;

/** Why a document stays as it is. */
class Kept extends Error {
  readonly reason: KeptReason;

  constructor(reason: KeptReason) {
    super(reason);
    this.reason = reason;
  }
}

/** @throws ContentError 403 without the rights that undoing some row may need. */
export function requireUndoRights(type: ContentType, importer: Importer, stored: StoredImport): void {
  const may = (operation: 'delete' | 'update' | 'publish'): boolean =>
    importer(operation).view.may(`${type.uid}.${operation}`);
  if (stored.created > 0 && !may('delete')) throw forbidden();
  if (stored.updated > 0 && !may('update')) throw forbidden();
  if (stored.updated > 0 && stored.options.isPublished && type.draftAndPublish && !may('publish')) throw forbidden();
}

/**
 * Undoes the rows of an import, the last one first. A repeated call continues after an interruption.
 *
 * @throws Stopped once the work is over.
 */
export async function undoRows(
  context: ImportContext,
  { type, importer }: { readonly type: ContentType; readonly importer: Importer },
  stored: StoredImport,
  isOver: IsOver,
): Promise<void> {
  const isPublished = stored.options.isPublished && type.draftAndPublish;
  const together = context.isAroundWrites(type) ? 1 : TOGETHER;
  const undoing = new Undoing(context, type, importer, isPublished);
  for (;;) {
    if (await isOver()) throw new Stopped('the work is over');
    const rows = await undoableRows(context.database, stored.id, together);
    if (rows.length === 0) return;
    const kept = await undoing.all(stored, rows);
    if (kept === undefined) continue;
    // the transaction changed nothing: the rows are undone on their own
    for (const row of rows) {
      const reason = await undoing.all(stored, [row]);
      if (reason === undefined) continue;
      await context.database.transaction(async (tx) => {
        await noteUndone(tx, row, reason);
        await countRows(tx, stored.id, 'undoing', { kept: 1 });
      });
    }
  }
}

class Undoing {
  readonly #context: ImportContext;
  readonly #type: ContentType;
  readonly #importer: Importer;
  readonly #isPublished: boolean;

  constructor(context: ImportContext, type: ContentType, importer: Importer, isPublished: boolean) {
    this.#context = context;
    this.#type = type;
    this.#importer = importer;
    this.#isPublished = isPublished;
  }

  /** Undoes rows in one transaction. Returns why one of them cannot be undone: then nothing is. */
  async all(stored: StoredImport, rows: readonly UndoableRow[]): Promise<KeptReason | undefined> {
    const { editing, layout } = this.#context;
    const ids = rows.map(({ documentId }) => documentId);
    try {
      await editing.together(async (tx, services) => {
        await tx.lock(() => ids.map((documentId) => documentLock(this.#type.uid, documentId)));
        const present = await versionsOfDocuments(layout, tx, this.#type, ids);
        for (const row of rows) {
          await this.#one(tx, services, row, present.get(row.documentId) ?? []);
          await noteUndone(tx, row, 'undone');
        }
        const restored = rows.filter(({ kind }) => kind === 'updated');
        const after = await versionsOfDocuments(
          layout,
          tx,
          this.#type,
          restored.map(({ documentId }) => documentId),
        );
        for (const row of restored) await noteRestored(tx, row, timeOf(after.get(row.documentId), row.locale));
        await countRows(tx, stored.id, 'undoing', { undone: rows.length });
      });
      return undefined;
    } catch (error) {
      if (error instanceof Kept) return error.reason;
      if (!(error instanceof ContentError) || error.status >= 500) throw error;
      if (isNotFound(error)) return 'notRecorded';
      return error.name === 'ForbiddenError' ? 'forbidden' : 'refused';
    }
  }

  async #one(
    tx: Transaction,
    services: TogetherServices,
    row: UndoableRow,
    present: readonly DocumentRow[],
  ): Promise<void> {
    const type = this.#type;
    const { documentId, locale, kind } = row;
    const own = present.filter((one) => inLocale(one, type, locale));
    if (own.length === 0) {
      // what was created is gone already
      if (kind !== 'updated') return;
      throw new Kept('changedSince');
    }
    if (timeOf(own, null) !== row.version) throw new Kept('changedSince');
    if (kind === 'updated') return this.#restore(tx, services, row, own);
    const viewer = this.#importer('delete');
    if (!viewer.view.may(`${type.uid}.delete`)) throw forbidden();
    await this.#context.editing.reader.shown(tx, viewer).requireWritten(type, own);
    const locales = locale === null ? undefined : [locale];
    await services.remove({ type, viewer, documentId, locales });
  }

  async #restore(
    tx: Transaction,
    { steps, move }: TogetherServices,
    { documentId, locale, draftBefore, publishedBefore }: UndoableRow,
    own: readonly DocumentRow[],
  ): Promise<void> {
    const { editing, whole, layout } = this.#context;
    const type = this.#type;
    const version = { type, documentId, locale };
    const operations = this.#isPublished ? (['update', 'publish'] as const) : (['update'] as const);
    for (const operation of operations) {
      const viewer = this.#importer(operation);
      if (!viewer.view.may(`${type.uid}.${operation}`)) throw forbidden();
      await editing.reader.shown(tx, viewer).requireWritten(type, own);
    }
    const earlier = { layout, reader: editing.reader, whole };
    if (draftBefore === null && publishedBefore === null) throw new Kept('notRecorded');
    if (type.draftAndPublish && draftBefore === null) throw new Kept('notRecorded');
    if (publishedBefore !== null) {
      const content = await recordedContent(tx, version, publishedBefore);
      await writeContent(earlier, tx, steps, version, content, 'published');
    } else if (this.#isPublished) {
      const locales = locale === null ? ({ kind: 'default' } as const) : ({ kind: 'some', codes: [locale] } as const);
      const shape = { fields: ['documentId'] };
      await move({ name: 'unpublish', type, viewer: this.#importer('publish'), documentId, locales, shape });
    }
    if (draftBefore !== null) {
      const content = await recordedContent(tx, version, draftBefore);
      await writeContent(earlier, tx, steps, version, content, 'draft');
    }
  }
}
