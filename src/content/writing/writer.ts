/**
 * Writing documents: create, update, delete (specification, "Rules for writing"). One request is one transaction; what
 * is refused leaves nothing behind.
 */
import { permitBody } from '../../access/permit-body.ts';
import type { PermittedWrite } from '../../access/permitted-write.ts';
import type { Database, Executor } from '../../db/database.ts';
import { forbidden, notFound } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { requireLocales, Targets } from '../links/targets.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import { checkPublication, publishChecked } from '../publication/checked-publication.ts';
import { draftFrom } from '../publication/publication.ts';
import { type Answer, type OneText, Settling } from '../reading/answers.ts';
import { AnswerBudget } from '../reading/json-body.ts';
import type { Reader } from '../reading/reader.ts';
import { tellDisallowed } from '../validation/allowed-files.ts';
import { hashPasswords, passwordsOf } from '../validation/passwords.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { takenValues } from '../validation/unique.ts';
import { type ValidRow, validateRow } from '../validation/validate.ts';
import { createDocumentId } from './document-id.ts';
import {
  type DocumentRow,
  type DocumentRows,
  inLocale,
  readRows,
  removeRows,
  rowOf,
  singleDocumentId,
  writeTime,
} from './documents.ts';
import { documentLock, locksOfLinks, requireLocale, singleLock } from './locks.ts';
import { Pace } from './pace.ts';
import { type Precondition, requireVersion } from './precondition.ts';
import { columnsOf, type Hashes, writeNestedContent } from './row-content.ts';
import {
  copySharedAttributes,
  inherit,
  mentionedNestedContent,
  sharedAttributes,
  siblingOf,
} from './shared-attributes.ts';
import { readStored } from './snapshot.ts';
import { Tables } from './tables.ts';
import { layoutOfModel, type Scope, type WriteContext } from './write-context.ts';
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

/** One write under way. */
interface Work {
  readonly context: WriteContext;
  readonly request: WriteRequest;
  readonly permitted: PermittedWrite;
  readonly hashes: Hashes;
  readonly scope: Scope;
  readonly targets: Targets;
  readonly patterns: PatternTime;
  readonly locale: string | null;
  /** Whether a draft is written and not published with it. */
  readonly isDraftEdit: boolean;
}

export class Writer {
  readonly #context: WriterContext;
  readonly #texts = Tables.texts();

  constructor(context: WriterContext) {
    this.#context = context;
  }

  /** Statements inside a transaction. */
  context(tx: Executor): WriteContext {
    const { catalog, layout, database } = this.#context;
    return { catalog, layout, tables: new Tables(tx, database.dialect, this.#texts), pace: new Pace() };
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
  async createIn(tx: Executor, request: WriteRequest, prepared: Prepared): Promise<Answer> {
    const context = this.context(tx);
    const documentId = request.documentId ?? createDocumentId();
    // nobody else can know an id that was made just now
    const own = request.documentId === undefined ? [] : [documentLock(request.type.uid, documentId)];
    await context.tables.lock([...own, ...locksOfLinks(prepared.permitted.row)]);
    const work = await this.#begin(context, request, prepared);
    await this.#write(work, { documentId, rows: [] });
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
  async updateIn(tx: Executor, request: WriteRequest, documentId: string, prepared: Prepared): Promise<Answer> {
    const context = this.context(tx);
    await context.tables.lock([documentLock(request.type.uid, documentId), ...locksOfLinks(prepared.permitted.row)]);
    const document = await readRows(context, request.type, documentId);
    if (document.rows.length === 0) throw notFound();
    const work = await this.#begin(context, request, prepared);
    requireVersion(request.precondition, document, request.type, [work.locale]);
    await this.#write(work, document);
    return this.#answer(work, documentId);
  }

  /** Updates the document of a single type, or creates it. */
  async updateSingle(request: WriteRequest): Promise<OneText> {
    const { type, precondition } = request;
    const prepared = await this.prepare(request);
    const answer = await this.#context.database.transaction(async (tx) => {
      const context = this.context(tx);
      await context.tables.lock([singleLock(type)]);
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
    tx: Executor,
    type: ContentType,
    documentId: string,
    locales: readonly string[] | undefined,
    condition?: DeleteCondition,
  ): Promise<void> {
    const context = this.context(tx);
    await context.tables.lock([documentLock(type.uid, documentId)]);
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
      await context.tables.lock([singleLock(type)]);
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
    const { catalog, locales, database } = this.#context;
    const permitted = permitBody(catalog, request.grants, request.type, request.data);
    await requireLocales(permitted.row, locales);
    const passwords = passwordsOf(permitted.row, most);
    if (documentId !== undefined && passwords.written.size > 0) {
      const { rows } = await readRows(this.context(database), request.type, documentId);
      if (rows.length === 0) throw notFound();
    }
    const hashes = await hashPasswords(passwords);
    return { permitted, hashes, passwords: passwords.written.size, patterns, defaultLocale: await locales.default() };
  }

  /** Looks up what the body names. */
  async #begin(
    context: WriteContext,
    request: WriteRequest,
    { permitted, hashes, patterns, defaultLocale }: Prepared,
  ): Promise<Work> {
    const { type } = request;
    const locale = type.localized ? (request.locale ?? defaultLocale) : null;
    const scope: Scope = { state: type.draftAndPublish ? 'draft' : 'both', locale, defaultLocale };
    const targets = await Targets.of(context, permitted.row, scope);
    const isDraftEdit = type.draftAndPublish && request.status === 'draft';
    return { context, request, permitted, hashes, scope, targets, patterns, locale, isDraftEdit };
  }

  /** Writes a version of a document: makes it, or changes it, and publishes it where that is asked for. */
  async #write(work: Work, document: DocumentRows): Promise<void> {
    const { context, request, permitted, patterns, locale } = work;
    const { type } = request;
    const drafts = type.draftAndPublish;
    const row = await this.#writtenRow(work, document);
    const sibling = row ? undefined : siblingOf(document, type);
    if (!row && request.locale !== undefined && locale !== null) await requireLocale(context, locale);
    if (!row) this.#checkNewVersion(work, document);
    const failures = new Failures();
    await context.pace.rest();
    work.targets.tellMissing(permitted.row, failures);
    await context.pace.rest();
    tellDisallowed(permitted.row, work.targets, failures);
    await context.pace.rest();
    const creating = row === undefined;
    // what a new version takes from its siblings is not this write's to answer for
    const inherited = sibling ? sharedAttributes(type) : undefined;
    const written = permitted.row;
    const valid = validateRow(written, { strict: !drafts, creating, patterns }, ({ name }) =>
      inherited?.has(name) ? new Failures() : failures,
    );
    failures.throwAny();
    await context.pace.rest();
    const publishing = drafts && request.status === 'published';
    const candidate = { type, documentId: document.documentId, locale, given: written, patterns };
    // a new document is what was written, so that it can be refused before anything is stored
    const isWhole = creating && !sibling;
    if (publishing && isWhole) await checkPublication(context, { ...candidate, whole: written });
    const now = writeTime(document);
    const id = row
      ? await this.#updateRow(work, document.documentId, row, valid, now)
      : await this.#insertRow(work, document.documentId, valid, now, sibling);
    const others = document.rows.filter((other) => other.locale !== locale);
    const mentioned = mentionedNestedContent(written);
    if (row) {
      const peers = others.filter((other) => other.published === !drafts);
      // drafts of other locales move in time on a draft write alone (decisions.md)
      await copySharedAttributes(context, type, { id }, peers, mentioned, publishing || !drafts ? undefined : now);
    }
    if (!publishing) return;
    const draft: DocumentRow = { id, locale, published: false, createdAt: now, updatedAt: now };
    const published = rowOf(document, type, locale, true);
    const isMade = document.rows.length === 0;
    const made = isMade ? new Set([...mentioned, ...written.relations.keys()]) : undefined;
    const version = { type, documentId: document.documentId, draft, published, ...(made ? { made } : {}) };
    // any other draft has to be read to be checked as a whole
    if (!isWhole) await checkPublication(context, { ...candidate, whole: await readStored(context, type, id) });
    await publishChecked(context, version, { others, now, mentioned: new Set(written.relations.keys()) });
  }

  /**
   * The row that a write changes; undefined when the version is new. A published row without a draft, as another
   * program may leave one, gets its draft first.
   */
  async #writtenRow({ context, request: { type }, locale }: Work, document: DocumentRows) {
    const draft = document.rows.find((row) => inLocale(row, type, locale) && !(type.draftAndPublish && row.published));
    if (draft) return draft;
    const published = rowOf(document, type, locale, true);
    return published && { ...published, id: await draftFrom(context, type, published), published: false };
  }

  /**
   * A further locale version needs a right of its own, and takes localized attributes only. The right is needed for the
   * first version of a single type as well, in any locale but the default one (decisions.md).
   */
  #checkNewVersion({ request, permitted: { row }, scope, locale }: Work, document: DocumentRows): void {
    const { type, mayLocalize } = request;
    const isFurther = document.rows.length > 0;
    const isElsewhere = type.kind === 'singleType' && locale !== null && locale !== scope.defaultLocale;
    if ((isFurther || isElsewhere) && !mayLocalize) throw forbidden();
    if (!isFurther) return;
    const shared = sharedAttributes(type);
    const written = [...row.scalars.keys(), ...row.media.keys(), ...row.components.keys()];
    const failures = new Failures();
    for (const name of written) {
      if (!shared.has(name)) continue;
      failures.add(at(name), `${name} is shared by all locales: it cannot be set with the new version ${locale}`);
    }
    failures.throwAny();
  }

  async #insertRow(
    work: Work,
    documentId: string,
    valid: ValidRow,
    now: number,
    sibling: DocumentRow | undefined,
  ): Promise<number> {
    const { context, request, hashes, scope, targets, locale, isDraftEdit } = work;
    const { type } = request;
    const columns = new Map(columnsOf(context, valid, hashes));
    if (!type.draftAndPublish) await this.#refuseTaken(work, documentId, columns);
    const time = context.tables.dialect.encodeTime(now);
    const all = new Map<string, SqlValue>([
      ['document_id', documentId],
      ...columns,
      ['created_at', time],
      ['updated_at', time],
      ['published_at', type.draftAndPublish ? null : time],
      ['locale', locale],
    ]);
    const id = await context.tables.insert(layoutOfModel(context, type).table, all);
    const owner = { rowId: id, scope, isNew: true, isDraftEdit, row: valid };
    await writeNestedContent(context, type, [owner], targets, hashes);
    if (sibling && locale !== null) await inherit(context, type, sibling, id, locale);
    return id;
  }

  async #updateRow(work: Work, documentId: string, row: DocumentRow, valid: ValidRow, now: number): Promise<number> {
    const { context, request, hashes, scope, targets, isDraftEdit } = work;
    const { type } = request;
    const columns = new Map(columnsOf(context, valid, hashes));
    if (!type.draftAndPublish) await this.#refuseTaken(work, documentId, columns);
    const time = context.tables.dialect.encodeTime(now);
    columns.set('updated_at', time);
    // without drafts `publishedAt` is the time of the last write (behaviour-publication-locales.md)
    if (!type.draftAndPublish) columns.set('published_at', time);
    await context.tables.update(layoutOfModel(context, type).table, columns, { id: row.id });
    const owner = { rowId: row.id, scope, isNew: false, isDraftEdit, row: valid };
    await writeNestedContent(context, request.type, [owner], targets, hashes);
    return row.id;
  }

  async #refuseTaken({ context, request, locale }: Work, documentId: string, columns: ReadonlyMap<string, SqlValue>) {
    const failures = new Failures();
    await takenValues(context, request.type, documentId, locale, columns, failures);
    failures.throwAny();
  }

  #settled({ longest = this.#context.reader.longest }: WriteRequest, answer: Answer): Promise<OneText> {
    return new Settling(new AnswerBudget(longest)).settle(answer);
  }

  /** Reads the written version back. */
  #answer({ context, request, locale }: Work, documentId: string): Promise<Answer> {
    const { type, grants, shape, status, longest } = request;
    const params = { ...shape, status, ...(locale === null ? {} : { locale }) };
    return this.#context.reader.written(context.tables.executor, type, grants, params, { documentId, longest });
  }
}
