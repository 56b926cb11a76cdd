/**
 * Writing documents: create, update, delete (specification, "Rules for writing"). One request is one transaction; what
 * is refused leaves nothing behind.
 */
import { permitBody } from '../../access/permit-body.ts';
import type { Database } from '../../db/database.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Transaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { WritePlans } from '../../plan/write.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import { requireLocales } from '../links/targets.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import { type Answer, type OneText, Settling } from '../reading/answers.ts';
import { AnswerBudget } from '../reading/json-body.ts';
import type { Reader } from '../reading/reader.ts';
import { hashPasswords, passwordsOf } from '../validation/passwords.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { createDocumentId } from './document-id.ts';
import { readRows, removeRows, singleDocumentId } from './documents.ts';
import { documentLock, locksOfLinks, singleLock } from './locks.ts';
import { Pace } from './pace.ts';
import { type Precondition, requireVersion } from './precondition.ts';
import { TableReader, Tables } from './tables.ts';
import { beginWrite, type Work, writeVersion } from './version.ts';
import type { ReadContext, WriteContext } from './write-context.ts';
import type { Prepared, WriteRequest } from './write-request.ts';

export interface WriterContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  readonly reader: Reader;
  readonly locales: LocaleStore;
}

/** A precondition of a removal, and the versions that must meet it. */
interface DeleteCondition {
  readonly precondition: Precondition;
  readonly locales: readonly (string | null)[];
}

export class Writer {
  readonly #context: WriterContext;
  readonly #texts = TableReader.texts();
  readonly #plans: WritePlans;

  constructor(context: WriterContext) {
    this.#context = context;
    this.#plans = new WritePlans(context.catalog, context.layout);
  }

  /** Statements inside a transaction. */
  context(tx: Transaction): WriteContext {
    const { catalog, layout } = this.#context;
    return { catalog, layout, plans: this.#plans, tx, tables: new Tables(tx, this.#texts), pace: new Pace() };
  }

  /** Statements that read, inside a transaction or beside all. */
  reading(db: Queryable): ReadContext {
    const { catalog, layout } = this.#context;
    return { catalog, layout, plans: this.#plans, tables: new TableReader(db, this.#texts) };
  }

  /**
   * Creates a document and gives it as JSON text.
   *
   * @throws ContentError 400 for a key, locale, relation or value that is wrong.
   */
  async create(request: WriteRequest): Promise<OneText> {
    const prepared = await this.prepare(request);
    return this.#settled(
      request,
      await this.#context.database.transaction((tx) => this.createIn(tx, request, prepared)),
    );
  }

  /** The same inside a transaction that is already open. */
  async createIn(tx: Transaction, request: WriteRequest, prepared: Prepared): Promise<Answer> {
    const context = this.context(tx);
    const documentId = request.documentId ?? createDocumentId();
    // nobody else can know an id that was made just now
    const own = request.documentId === undefined ? [] : [documentLock(request.type.uid, documentId)];
    await context.tx.lock([...own, ...locksOfLinks(prepared.permitted.row)]);
    const work = await beginWrite(context, request, prepared);
    await writeVersion(work, { documentId, rows: [] });
    return this.#answer(work, documentId);
  }

  /**
   * Updates a document, or makes a locale version of it, and gives it as JSON text.
   *
   * @throws ContentError 400 as `create`, 403 for a new locale version without the right, 404 for no such document,
   * 412 for a version that is not the one asked for.
   */
  async update(request: WriteRequest, documentId: string): Promise<OneText> {
    const prepared = await this.prepare(request, documentId);
    const { database } = this.#context;
    return this.#settled(request, await database.transaction((tx) => this.updateIn(tx, request, documentId, prepared)));
  }

  /** The same inside a transaction that is already open. */
  async updateIn(tx: Transaction, request: WriteRequest, documentId: string, prepared: Prepared): Promise<Answer> {
    const context = this.context(tx);
    await context.tx.lock([documentLock(request.type.uid, documentId), ...locksOfLinks(prepared.permitted.row)]);
    const document = await readRows(context, request.type, documentId);
    if (document.rows.length === 0) throw notFound();
    const work = await beginWrite(context, request, prepared);
    requireVersion(request.precondition, document, request.type, [work.locale]);
    await writeVersion(work, document);
    return this.#answer(work, documentId);
  }

  /** Updates the document of a single type, or creates it. */
  async updateSingle(request: WriteRequest): Promise<OneText> {
    const { type, precondition } = request;
    const prepared = await this.prepare(request);
    const answer = await this.#context.database.transaction(async (tx) => {
      const context = this.context(tx);
      await context.tx.lock([singleLock(type)]);
      const documentId = await singleDocumentId(context, type);
      if (documentId !== undefined) return this.updateIn(tx, request, documentId, prepared);
      requireVersion(precondition, { documentId: '', rows: [] }, type, [null]);
      return this.createIn(tx, request, prepared);
    });
    return this.#settled(request, answer);
  }

  /**
   * Deletes a document, or versions of it. What is not there is no error.
   *
   * @param locales codes of the versions to delete; undefined: the whole document.
   * @throws ContentError 412 when the precondition is not met by each of them; for the whole document, by its version
   * in the default locale.
   */
  async delete(
    type: ContentType,
    documentId: string,
    locales: readonly string[] | undefined,
    precondition?: Precondition,
  ): Promise<void> {
    const condition = await this.#conditionOf(type, locales, precondition);
    await this.#context.database.transaction((tx) => this.deleteIn(tx, type, documentId, locales, condition));
  }

  /** The same inside a transaction that is already open. */
  async deleteIn(
    tx: Transaction,
    type: ContentType,
    documentId: string,
    locales: readonly string[] | undefined,
    condition?: DeleteCondition,
  ): Promise<void> {
    const context = this.context(tx);
    await context.tx.lock([documentLock(type.uid, documentId)]);
    const document = await readRows(context, type, documentId);
    if (condition) requireVersion(condition.precondition, document, type, condition.locales);
    const { rows } = document;
    const wanted = locales && type.localized ? rows.filter((row) => locales.includes(row.locale ?? '')) : rows;
    await removeRows(context, type, documentId, wanted);
  }

  /** Deletes the document of a single type, or versions of it. */
  async deleteSingle(
    type: ContentType,
    locales: readonly string[] | undefined,
    precondition?: Precondition,
  ): Promise<void> {
    const condition = await this.#conditionOf(type, locales, precondition);
    await this.#context.database.transaction(async (tx) => {
      const context = this.context(tx);
      await context.tx.lock([singleLock(type)]);
      const documentId = await singleDocumentId(context, type);
      await this.deleteIn(tx, type, documentId ?? '', locales, condition);
    });
  }

  /** What a removal must find: each version named, or for the whole document the one of the default locale. */
  async #conditionOf(
    type: ContentType,
    locales: readonly string[] | undefined,
    precondition: Precondition | undefined,
  ): Promise<DeleteCondition | undefined> {
    if (precondition === undefined) return undefined;
    const named = locales ?? [await this.#context.locales.default()];
    return { precondition, locales: type.localized ? named : [null] };
  }

  /**
   * Everything that needs no transaction: keys, and the hashes of passwords.
   *
   * @param documentId the document to be updated: it is looked for before anything is hashed.
   * @param most how many passwords there may be.
   * @param patterns what testing values with patterns may take.
   * @throws ContentError 400 for an invalid key or a locale that is not there, 404 for no such document.
   */
  async prepare(
    request: WriteRequest,
    documentId?: string,
    most?: number,
    patterns: PatternTime = new PatternTime(),
  ): Promise<Prepared> {
    const { locales, database } = this.#context;
    const permitted = permitBody(request.viewer.view, request.type, request.data);
    await requireLocales(permitted.row, locales);
    const passwords = passwordsOf(this.#plans.index, permitted.row, most);
    if (documentId !== undefined && passwords.written.size > 0) {
      const { rows } = await readRows(this.reading(database), request.type, documentId);
      if (rows.length === 0) throw notFound();
    }
    const hashes = await hashPasswords(passwords);
    return { permitted, hashes, passwords: passwords.written.size, patterns, defaultLocale: await locales.default() };
  }

  #settled({ longest = this.#context.reader.longest }: WriteRequest, answer: Answer): Promise<OneText> {
    return new Settling(new AnswerBudget(longest)).settle(answer);
  }

  /** Reads the written version back. */
  #answer({ context, request, locale }: Work, documentId: string): Promise<Answer> {
    const { type, viewer, shape, status, longest } = request;
    const params = { ...shape, status, ...(locale === null ? {} : { locale }) };
    return this.#context.reader.written(context.tx, type, viewer, params, { documentId, longest });
  }
}
