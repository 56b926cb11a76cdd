/**
 * Writing documents: create, update, delete (docs/reference/writing.md). One request is one transaction, and a refused
 * request changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { keepingHidden } from '../../access/hidden-parts.ts';
import { permitBody } from '../../access/permit-body.ts';
import type { PermittedWrite } from '../../access/permitted.ts';
import type { View, Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { TableReader } from '../../db/interface/table-reader.ts';
import { Tables } from '../../db/interface/tables.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, notFound } from '../../errors.ts';
import { WritePlans } from '../../plan/write.ts';
import type { WrittenData } from '../../query/body.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import { type Answer, AnswerBudget, type OneText, Settling } from '../reading/answers.ts';
import type { Reader } from '../reading/reader.ts';
import type { ShownRows } from '../reading/shown-rows.ts';
import { requireLocales } from '../relations/targets.ts';
import {
  createDocumentId,
  type DocumentRow,
  inLocale,
  readDeletedRows,
  readReplacedRows,
  readRows,
  singleDocumentId,
} from '../rows/document-rows.ts';
import { Effects } from '../rows/effects.ts';
import { documentLock, locksOfLinks, singleLock } from '../rows/locks.ts';
import { Pace, type PublicationRule, type ReadContext, type WriteContext, WriteMemory } from '../rows/write-context.ts';
import { hashPasswords, passwordsOf } from '../validation/passwords.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { withPasswords } from './cloned-values.ts';
import { removeRows, removeRowsAlone } from './removal.ts';
import { beginWrite, localeOf, touchedRows, type Work, writeStoredRow, writeVersion } from './version.ts';
import {
  acting,
  type BeforeWrites,
  type Prepared,
  type RemovalRequest,
  type RowWrite,
  requireVersion,
  type Step,
  type WriteRequest,
} from './write-request.ts';

export interface WriterContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  readonly reader: Reader;
  readonly locales: LocaleStore;
  /** Code that looks at writes, and the View that its own data is written with; undefined where there is none. */
  readonly before?: { readonly writes: BeforeWrites; readonly view: View } | undefined;
  /** A further rule of publication; undefined where there is none. */
  readonly publicationRule?: PublicationRule | undefined;
}

const LAST: Step = { isLast: true };

export class Writer {
  readonly #context: WriterContext;
  readonly #texts = TableReader.texts();
  readonly #plans: WritePlans;

  constructor(context: WriterContext) {
    this.#context = context;
    this.#plans = new WritePlans(context.catalog, context.layout);
  }

  /** The View for project code that listens to writes of a type; undefined if there is none. */
  watching(type: ContentType): View | undefined {
    const { before } = this.#context;
    return before?.writes.concerns(type) ? before.view : undefined;
  }

  /** The context of a write that no caller's permissions limit. */
  context(tx: Transaction): WriteContext {
    const { catalog, layout, publicationRule } = this.#context;
    return {
      catalog,
      layout,
      publicationRule,
      plans: this.#plans,
      tx,
      tables: new Tables(tx, this.#texts),
      pace: new Pace(),
      effects: new Effects(),
      memory: new WriteMemory(),
    };
  }

  /**
   * Runs the steps of a write for a viewer, and checks their effects on rows other than the written version.
   *
   * @param work receives the rows that the viewer is shown, by which it checks the version itself.
   * @param isRestoring as `Effects.permit` takes it.
   * @throws ContentError 403 for an effect that the viewer may not cause.
   */
  async permitted<T>(
    tx: Transaction,
    viewer: Viewer,
    work: (context: WriteContext, shown: ShownRows) => Promise<T>,
    isRestoring = false,
  ): Promise<T> {
    const context = this.context(tx);
    const shown = this.#context.reader.shown(tx, viewer);
    const result = await work(context, shown);
    await context.effects.permit(shown, isRestoring);
    return result;
  }

  /** The context for reading, inside a transaction or outside of any. */
  reading(db: Queryable): ReadContext {
    const { catalog, layout } = this.#context;
    return { catalog, layout, plans: this.#plans, tables: new TableReader(db, this.#texts) };
  }

  /**
   * Creates a document and returns it as JSON text.
   *
   * @throws ContentError 400 for a key, locale, relation or value that is wrong.
   */
  async create(request: WriteRequest): Promise<OneText> {
    const prepared = await this.prepare(request);
    return this.#settled(
      request,
      await this.#context.database.transaction((tx) => this.createIn(tx, request, prepared, LAST)),
    );
  }

  /** The same inside a transaction that is already open. */
  async createIn(
    tx: Transaction,
    requested: WriteRequest,
    prepared: Prepared,
    { isLast = false, patterns = new PatternTime() }: Step = {},
  ): Promise<Answer> {
    const request = acting(
      requested,
      requested.type.kind === 'singleType' ? 'update' : 'create',
      ...publishing(requested),
    );
    const { type, viewer, precondition } = request;
    const documentId = request.documentId ?? createDocumentId();
    const written = await this.permitted(tx, viewer, async (context, shown) => {
      // no other session can know an id that was created just now
      const own = request.documentId === undefined ? [] : [documentLock(type.uid, documentId)];
      await tx.lock(() => [...own, ...locksOfLinks(prepared.permitted.row)], false);
      if (request.documentId !== undefined && precondition === 'none') {
        const { rows } = await readRows(context, type, documentId);
        if (rows.length > 0) throw new ContentError('PreconditionFailedError', 'The document already exists');
      }
      if (type.kind === 'singleType') await requireNoHidden(context, type, shown);
      const work = await beginWrite(context, request, prepared, shown, { isNew: true, patterns });
      await writeVersion(work, { documentId, rows: [] });
      return work;
    });
    return this.#answer(written, documentId, isLast);
  }

  /**
   * Updates a document, or creates a locale version of it, and returns it as JSON text.
   *
   * @throws ContentError 400 as `create`, 403 for a new locale version without the right, 404 for a missing document,
   * 412 for a version that does not meet the precondition.
   */
  async update(request: WriteRequest, documentId: string): Promise<OneText> {
    const prepared = await this.prepare(request, documentId);
    const { database } = this.#context;
    const updated = database.transaction((tx) => this.updateIn(tx, request, documentId, prepared, LAST));
    return this.#settled(request, await updated);
  }

  /** The same inside a transaction that is already open. */
  async updateIn(
    tx: Transaction,
    requested: WriteRequest,
    documentId: string,
    prepared: Prepared,
    { isLast = false, patterns = new PatternTime() }: Step = {},
  ): Promise<Answer> {
    const request = acting(requested, 'update', ...publishing(requested));
    const { type, viewer } = request;
    const written = await this.permitted(tx, viewer, async (context, shown) => {
      await tx.lock(() => [documentLock(type.uid, documentId), ...locksOfLinks(prepared.permitted.row)], false);
      // sent together, so that over a network neither waits for the other's result
      const [document, work] = await Promise.all([
        readReplacedRows(context, type, documentId, {
          locale: localeOf(request, prepared.defaultLocale),
          published: request.status === 'draft' ? false : undefined,
        }),
        beginWrite(context, request, prepared, shown, { isNew: false, patterns }),
      ]);
      if (document.rows.length === 0) throw notFound();
      const touched = touchedRows(request, prepared, document);
      await shown.require(type, [touched.version], touched.written);
      requireVersion(request.precondition, document, type, [work.locale]);
      await writeVersion(work, document);
      return work;
    });
    return this.#answer(written, documentId, isLast);
  }

  /** Updates the document of a single type, or creates it. */
  async updateSingle(request: WriteRequest): Promise<OneText> {
    const { type, precondition } = request;
    const prepared = await this.prepare(request);
    const answer = await this.#context.database.transaction(async (tx) => {
      const context = this.context(tx);
      await context.tx.lock(() => [singleLock(type)]);
      const documentId = await singleDocumentId(context, type);
      if (documentId !== undefined) return this.updateIn(tx, request, documentId, prepared, LAST);
      requireVersion(precondition, { documentId: '', rows: [] }, type, [null]);
      return this.createIn(tx, request, prepared, LAST);
    });
    return this.#settled(request, answer);
  }

  /** The writes of a transaction that is already open. */
  inside(tx: Transaction): StepWriter {
    return {
      create: async (request) => this.#settled(request, await this.createIn(tx, request, await this.prepare(request))),
      update: async (request, documentId) =>
        this.#settled(request, await this.updateIn(tx, request, documentId, await this.prepare(request))),
    };
  }

  /**
   * Deletes a document, or versions of it. A missing document is no error, nor is a hidden one.
   *
   * @throws ContentError 403 if the viewer is shown only some of the rows, or may not write them; 412 if the
   * precondition is not met.
   */
  async delete(removal: RemovalRequest): Promise<void> {
    const locales = await this.#conditionLocales(removal);
    await this.#context.database.transaction((tx) => this.deleteIn(tx, removal, locales));
  }

  /**
   * The same inside a transaction that is already open.
   *
   * @param conditionLocales the versions that must meet the precondition, where there is one.
   */
  async deleteIn(
    tx: Transaction,
    removal: RemovalRequest,
    conditionLocales: readonly (string | null)[] = [],
  ): Promise<void> {
    const { type, viewer, documentId, locales, precondition } = acting(removal, 'delete');
    const context = this.context(tx);
    await context.tx.lock(() => [documentLock(type.uid, documentId)], false);
    const document = await readDeletedRows(context, type, documentId);
    const { rows } = document;
    const wanted = locales && type.localized ? rows.filter((row) => locales.includes(row.locale ?? '')) : rows;
    const versions = locales && type.localized ? [...Map.groupBy(wanted, ({ locale }) => locale).values()] : [wanted];
    const existing = await this.#context.reader.shown(tx, viewer).removable(type, versions);
    const missing = new Set(versions.flatMap((one) => (existing.includes(one) ? [] : one)));
    const shown = { documentId, rows: rows.filter((row) => !missing.has(row)) };
    requireVersion(precondition, shown, type, conditionLocales);
    await removeRows(context, type, documentId, existing.flat());
  }

  /**
   * Changes one row of a document and nothing else of it, except shared attributes if `mayShare` is set.
   *
   * @throws ContentError 400 as `create`, 404 for a missing row, 403 for a row that the viewer may not write.
   */
  async updateRow(write: RowWrite, documentId: string, rowId: number): Promise<void> {
    const { type, viewer } = write;
    const prepared = await this.prepare(
      { ...write, status: 'draft', locale: undefined, shape: {}, mayLocalize: true },
      documentId,
    );
    await this.#context.database.transaction(async (tx) => {
      await this.permitted(tx, viewer, async (context, shown) => {
        const { document, row } = await this.#lockedRow(context, type, documentId, rowId, prepared);
        await writeStoredRow(context, write, prepared, { document, row, shown });
        await shown.requireWritten(type, [row]);
      });
    });
  }

  /**
   * Removes one row of a document and nothing else of it.
   *
   * @throws ContentError 404 if it no longer exists.
   */
  async removeRow(type: ContentType, documentId: string, rowId: number): Promise<void> {
    await this.#context.database.transaction(async (tx) => {
      const context = this.context(tx);
      const { document, row } = await this.#lockedRow(context, type, documentId, rowId);
      const isLast = document.rows.every((other) => other === row || !inLocale(other, type, row.locale));
      if (isLast) await removeRows(context, type, documentId, [row]);
      else await removeRowsAlone(context, type, documentId, [row], row.published ? 'unpublished' : 'deleted');
    });
  }

  async #lockedRow(context: WriteContext, type: ContentType, documentId: string, rowId: number, prepared?: Prepared) {
    const links = prepared ? locksOfLinks(prepared.permitted.row) : [];
    await context.tx.lock(() => [documentLock(type.uid, documentId), ...links], false);
    const document = await readRows(context, type, documentId);
    const row = document.rows.find(({ id }) => id === rowId);
    if (!row) throw notFound();
    return { document, row };
  }

  /** Deletes the document of a single type, or versions of it. */
  async deleteSingle(removal: Omit<RemovalRequest, 'documentId'>): Promise<void> {
    const { type } = removal;
    const locales = await this.#conditionLocales(removal);
    await this.#context.database.transaction(async (tx) => {
      const context = this.context(tx);
      await context.tx.lock(() => [singleLock(type)]);
      const documentId = (await singleDocumentId(context, type)) ?? '';
      await this.deleteIn(tx, { ...removal, documentId }, locales);
    });
  }

  /** The versions that a removal's precondition is of: each one named, or for the whole document the one that is meant. */
  async #conditionLocales({
    type,
    locales,
    precondition,
    meant,
  }: Omit<RemovalRequest, 'documentId'>): Promise<readonly (string | null)[]> {
    if (!type.localized || precondition === undefined) return [null];
    return locales ?? [meant ?? (await this.#context.locales.default())];
  }

  /**
   * Everything that needs no transaction: checks the keys and hashes passwords.
   *
   * @param documentId the document to be updated; a missing one is reported before anything is hashed.
   * @param most the number of passwords allowed.
   * @throws ContentError 400 for an invalid key or a missing locale, 404 for a missing document.
   */
  async prepare(request: WriteRequest, documentId?: string, most?: number): Promise<Prepared> {
    const { locales, database } = this.#context;
    const permitted = await this.#permitted(request, documentId);
    await requireLocales(permitted.row, locales);
    const passwords = passwordsOf(this.#plans.index, permitted.row, most);
    if (documentId !== undefined && passwords.written.size > 0) {
      const { rows } = await readRows(this.reading(database), request.type, documentId);
      if (rows.length === 0) throw notFound();
    }
    const hashes = await hashPasswords(passwords, request.hashes);
    return { permitted, hashes, passwords: passwords.written.size, defaultLocale: await locales.default() };
  }

  /** The permitted keys of a write, and their values after project code has changed them. */
  async #permitted({ type, viewer, data, ...request }: WriteRequest, documentId?: string): Promise<PermittedWrite> {
    const { before, database } = this.#context;
    const permitted = permitBody(viewer.view, type, data);
    if (!before?.writes.concerns(type)) return permitted;
    const { locale, status, copied } = request;
    const action = documentId === undefined && type.kind !== 'singleType' ? 'create' : 'update';
    const whole = { ...copied, ...data };
    const write = {
      type,
      documentId: documentId ?? request.documentId,
      locale,
      status,
      data: whole,
      by: viewer.values,
    };
    const changed = await before.writes.changed({ ...write, action });
    if (!copied) return keepingHidden(permitted, permitBody(before.view, type, changed));
    const restored = await withPasswords(this.reading(database), type, copied, changesOf(copied, changed));
    return permitBody(before.view, type, restored);
  }

  #settled({ longest = this.#context.reader.longest }: WriteRequest, answer: Answer): Promise<OneText> {
    return new Settling(new AnswerBudget(longest)).settle(answer);
  }

  /** Reads the written version back. */
  async #answer(work: Work, documentId: string, isLast: boolean): Promise<Answer> {
    const { context, request, locale } = work;
    const { type, viewer, shape, status, longest } = request;
    await this.#requireShown(work, documentId);
    const params = { ...shape, status, ...(locale === null ? {} : { locale }) };
    const db = isLast ? context.tx.last : context.tx;
    return this.#context.reader.written(db, type, viewer, params, { documentId, longest });
  }

  /** Checks that the viewer may see the written rows: no write may hide a document from its own writer. */
  async #requireShown({ context, request: { type, status }, shown, locale }: Work, documentId: string): Promise<void> {
    if (shown.areAll(type)) return;
    const { rows } = await readRows(context, type, documentId);
    const isWritten = (row: DocumentRow) => !type.draftAndPublish || status === 'published' || !row.published;
    await shown.requireWritten(
      type,
      rows.filter((row) => inLocale(row, type, locale) && isWritten(row)),
    );
  }
}

/**
 * Refuses to create the document of a single type next to one that is hidden from its writer.
 *
 * @throws ContentError 404 for a hidden document, 403 for one that may not be written.
 */
async function requireNoHidden(context: WriteContext, type: ContentType, shown: ShownRows): Promise<void> {
  if (shown.areAll(type)) return;
  await context.tx.lock(() => [singleLock(type)]);
  const documentId = await singleDocumentId(context, type);
  if (documentId === undefined) return;
  await shown.require(type, [(await readRows(context, type, documentId)).rows]);
}

/** The data that differs from existing data; keys that are missing from it are set to null. */
function changesOf(stored: WrittenData, data: WrittenData): WrittenData {
  const cleared = Object.keys(stored).filter((name) => !(name in data));
  const changed = Object.entries(data).filter(([name, value]) => !isDeepStrictEqual(value, stored[name]));
  return Object.fromEntries([...cleared.map((name) => [name, null]), ...changed]);
}

/** A publishing write needs the right to publish as well. */
const publishing = ({ type, status }: WriteRequest): readonly 'publish'[] =>
  type.draftAndPublish && status === 'published' ? ['publish'] : [];

/** A writer for types with rules of their own, such as accounts. */
export type DocumentWriter = Pick<Writer, 'delete'> & {
  /** Creates a document and returns its JSON text, which contains at least the `documentId`. */
  create(request: Parameters<Writer['create']>[0]): Promise<{ readonly data: string }>;
  update(request: Parameters<Writer['update']>[0], documentId: string): Promise<unknown>;
};

/** Writes several versions in one transaction. */
export type StepWriter = Pick<DocumentWriter, 'create' | 'update'>;

/** A writer for all other types: the Writer, or one with project code around it. */
export type ContentWriter = DocumentWriter & {
  updateSingle(request: Parameters<Writer['updateSingle']>[0]): Promise<unknown>;
} & Pick<Writer, 'deleteSingle' | 'reading' | 'context'>;
