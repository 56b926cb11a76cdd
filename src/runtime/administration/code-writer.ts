/**
 * A writer with code of the project around it. A write that the administrator may not perform is refused before code
 * runs. Data that the code changes is written with the rights of the code, in the rows that the administrator may
 * write.
 */
import { isDeepStrictEqual } from 'node:util';
import { permitBody } from '../../access/permit-body.ts';
import type { Viewer } from '../../access/view.ts';
import type { TransitionName, TransitionRequest, Transitions } from '../../content/documents/transitions.ts';
import {
  type Precondition,
  type RemovalRequest,
  requireVersion,
  type WriteRequest,
} from '../../content/documents/write-request.ts';
import type { ContentWriter, DocumentWriter, Writer } from '../../content/documents/writer.ts';
import type { OneText } from '../../content/reading/answers.ts';
import {
  type DocumentRow,
  type DocumentRows,
  inLocale,
  readRows,
  singleDocumentId,
} from '../../content/rows/document-rows.ts';
import { isTooLong } from '../../content/validation/password-hashing.ts';
import { hashPasswords } from '../../content/validation/passwords.ts';
import { ContentError, forbidden, notFound, refusal } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import type { LocaleChoice, Status } from '../../query/content-query.ts';
import { parseStatus } from '../../query/parse.ts';
import { plainData, rawParams } from '../../query/plain.ts';
import { type ContentType, USER_UID } from '../../schema/catalog.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import { ordinary } from '../requests/request.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Around } from './around.ts';
import type { CodeReader } from './code-reader.ts';

/** Attributes of an account that code does not see: its password is not hashed yet. */
const HIDDEN_OF_ACCOUNTS = ['password'];
/** Keys that code receives with the data of a write and that are not written. */
const BESIDE_DATA = ['createdBy', 'updatedBy', 'locale'];

export class CodeWriter implements DocumentWriter {
  readonly #runtime: RuntimeContext;
  readonly #around: Around;
  readonly #reader: CodeReader;
  readonly #writer: DocumentWriter;

  /** @param writer performs the writes that the code permits. */
  constructor(runtime: RuntimeContext, around: Around, reader: CodeReader, writer: DocumentWriter) {
    this.#runtime = runtime;
    this.#around = around;
    this.#reader = reader;
    this.#writer = writer;
  }

  create(request: WriteRequest): Promise<{ readonly data: string }> {
    return this.#create(request, (changed) => this.#writer.create(changed));
  }

  async #create(request: WriteRequest, write: (request: WriteRequest) => Promise<{ readonly data: string }>) {
    const { type, documentId } = request;
    if (!this.#around.writes(type)) return write(request);
    permitBody(request.viewer.view, type, request.data);
    if (documentId !== undefined && request.precondition === 'none') await this.#requireNone(type, documentId);
    const hashed = await withHashes(request);
    let created: { readonly data: string } | undefined;
    await this.#around.run(type, 'create', await this.#params(request, true), async (params) => {
      created = await write(await this.#changed(hashed, params));
      return this.#row(type, (JSON.parse(created.data) as { documentId: string }).documentId, params);
    });
    if (!created) throw refusal('Code of the project did not create the document');
    return created;
  }

  async update(request: WriteRequest, documentId: string): Promise<void> {
    await this.#update(request, documentId, (changed) => this.#writer.update(changed, documentId));
  }

  async #update(request: WriteRequest, documentId: string, write: (request: WriteRequest) => Promise<unknown>) {
    const { type, precondition, mayLocalize } = request;
    if (!this.#around.writes(type)) return void (await write(request));
    permitBody(request.viewer.view, type, request.data);
    const locale = type.localized ? (request.locale ?? (await this.#runtime.locales.default())) : null;
    const isThere = await this.#foresee(request, documentId, [locale], precondition);
    if (!isThere && !mayLocalize) throw forbidden();
    const params = { documentId, ...(await this.#params(request, !isThere)) };
    let own = await withHashes(request);
    await this.#around.run(type, 'update', params, async (changed) => {
      await write(await this.#changed(own, changed));
      // code may call next more than once: its own write is not a concurrent change
      own = { ...own, precondition: undefined };
      return this.#row(type, documentId, changed);
    });
  }

  async updateSingle(request: WriteRequest, writer: Writer): Promise<void> {
    const documentId = await this.#single(request.type);
    const write = (changed: WriteRequest) => writer.updateSingle(changed);
    await (documentId === undefined ? this.#create(request, write) : this.#update(request, documentId, write));
  }

  async delete(removal: RemovalRequest): Promise<void> {
    const { type, documentId, locales, precondition, meant } = removal;
    if (!this.#around.writes(type)) return this.#writer.delete(removal);
    const { rows } = await this.#document(type, documentId);
    const wanted = rows.filter(({ locale }) => !locales || !type.localized || locales.includes(locale ?? ''));
    const { reader, database } = this.#runtime;
    const hidden = await reader.shown(database, removal.viewer).hidden(type, wanted);
    // a missing or hidden document is no error
    if (wanted.every(({ id }) => hidden.has(id))) return this.#writer.delete(removal);
    const first = type.localized ? (meant ?? (await this.#runtime.locales.default())) : null;
    await this.#foresee(removal, documentId, locales, precondition, locales ?? [first]);
    const params = { documentId, ...localeOf(type.localized ? locales : [null]) };
    await this.#around.run(type, 'delete', params, async (changed) => {
      const entries = await this.#around.rows(type, changed);
      await this.#writer.delete(removal);
      return { documentId, entries };
    });
  }

  async deleteSingle(removal: Omit<RemovalRequest, 'documentId'>): Promise<void> {
    const documentId = await this.#single(removal.type);
    if (documentId === undefined) throw notFound();
    await this.delete({ ...removal, documentId });
  }

  /** Publishes, unpublishes or discards. */
  async move(transitions: Pick<Transitions, 'run'>, request: TransitionRequest): Promise<OneText[]> {
    const { name, type, locales, precondition } = request;
    if (!this.#around.writes(type)) return transitions.run(request);
    const documentId = request.documentId ?? (await this.#single(type));
    if (documentId === undefined) throw notFound();
    const codes = await this.#codesOf(type, locales);
    await this.#foresee(request, documentId, codes, precondition);
    let own = request;
    let moved: OneText[] = [];
    const params = { documentId, ...localeOf(codes) };
    await this.#around.run(type, name, params, async (changed) => {
      const published = name === 'unpublish' ? await this.#entries(type, changed, 'published') : undefined;
      moved = await transitions.run(own);
      own = { ...own, precondition: undefined };
      return { documentId, entries: published ?? (await this.#entries(type, changed, SHOWN[name])) };
    });
    return moved;
  }

  /** Copies a document. @param copy creates the copy, and returns its id. */
  async duplicate(
    request: Pick<WriteRequest, 'type' | 'viewer'>,
    documentId: string,
    copy: () => Promise<string>,
  ): Promise<string> {
    const { type, viewer } = request;
    if (!this.#around.writes(type)) return copy();
    const { rows } = await this.#document(type, documentId);
    const { reader, database } = this.#runtime;
    const hidden = await reader.shown(database, viewer).hidden(type, rows);
    const shown = rows.filter(({ id }) => !hidden.has(id));
    if (shown.length === 0) throw notFound();
    await this.#requireFound(type, viewer, documentId, shown);
    let copyId: string | undefined;
    const params = { documentId, data: {}, ...localeOf(type.localized ? undefined : [null]) };
    await this.#around.run(type, 'clone', params, async (changed) => {
      if (Object.keys((changed['data'] ?? {}) as object).length > 0) {
        throw refusal('Code of the project changes copies of documents, which the administration does not do');
      }
      copyId = await copy();
      return { documentId: copyId, entries: await this.#entries(type, { ...changed, documentId: copyId }, 'draft') };
    });
    if (copyId === undefined) throw refusal('Code of the project did not create the copy');
    return copyId;
  }

  /** Parameters of a write as the reference's panel passes them. @param isNew whether a version is created. */
  async #params({ type, data, status, viewer, ...request }: WriteRequest, isNew: boolean): Promise<Params> {
    const { administratorId } = viewer.values;
    const writer = { ...(isNew ? { createdBy: administratorId } : {}), updatedBy: administratorId };
    const locale = type.localized ? { locale: request.locale ?? (await this.#runtime.locales.default()) } : {};
    const shown = split(type, ordinary(data) as object).shown;
    return { data: { ...shown, ...locale, ...writer }, ...locale, status };
  }

  /** The request after code has changed it. */
  async #changed(request: WriteRequest, { data, status, locale }: Params): Promise<WriteRequest> {
    const { type } = request;
    const own = Object.entries((data ?? {}) as object).filter(([name]) => !BESIDE_DATA.includes(name));
    const { kept } = split(type, request.data);
    const written = plainData({ ...Object.fromEntries(own), ...kept }) as WrittenData;
    const isSame = isDeepStrictEqual(written, plainData(request.data));
    const meant = request.locale ?? (await this.#runtime.locales.default());
    const isMoved = type.localized && locale !== undefined && locale !== meant;
    if (isMoved && !(await this.#runtime.locales.has(String(locale)))) throw refusal(`Locale "${locale}" not found`);
    return {
      ...request,
      ...(isSame ? {} : { data: knownData(this.#runtime.catalog, type, written) as WrittenData }),
      ...(isSame ? {} : { viewer: this.#runtime.views.forCode(request.viewer) }),
      ...(isMoved ? { locale: String(locale) } : {}),
      status: status === undefined ? request.status : parseStatus(status),
    };
  }

  /**
   * Refuses a write that would be refused later: code runs first, and its effects may be irreversible. Returns whether
   * one of the versions exists.
   *
   * @param locales of the versions that are written; undefined: all of them.
   * @param conditional the versions that must meet the precondition.
   * @throws ContentError 404, 403 and 412, as the write does.
   */
  async #foresee(
    { type, viewer }: Pick<WriteRequest, 'type' | 'viewer'>,
    documentId: string,
    locales: readonly (string | null)[] | undefined,
    precondition: Precondition | undefined,
    conditional = locales ?? [],
  ): Promise<boolean> {
    const { reader, database } = this.#runtime;
    const document = await this.#document(type, documentId);
    if (document.rows.length === 0) throw notFound();
    const rows = locales
      ? document.rows.filter((row) => locales.some((locale) => inLocale(row, type, locale)))
      : document.rows;
    await reader.shown(database, viewer).require(type, [rows]);
    requireVersion(precondition, document, type, conditional);
    await this.#requireFound(type, viewer, documentId, rows);
    return rows.length > 0;
  }

  /** The reference's panel reads a document before it writes it: a document that code hides is not written. */
  async #requireFound(
    type: ContentType,
    viewer: Viewer,
    documentId: string,
    rows: readonly DocumentRow[],
  ): Promise<void> {
    if (!this.#around.reads(type)) return;
    // the administrator's right to these rows has been checked, and code may read all of them
    const eyes = this.#runtime.views.forCode(viewer);
    for (const { published, locale } of rows) {
      const status = published && type.draftAndPublish ? 'published' : 'draft';
      const version = rawParams({ status, ...(locale === null ? {} : { locale }) });
      const found = await this.#reader.one(type, eyes, version, { kind: 'document', documentId });
      if (!found) throw notFound();
    }
  }

  #document(type: ContentType, documentId: string): Promise<DocumentRows> {
    const { writer, database } = this.#runtime;
    return readRows(writer.reading(database), type, documentId);
  }

  async #requireNone(type: ContentType, documentId: string): Promise<void> {
    const { rows } = await this.#document(type, documentId);
    if (rows.length > 0) throw new ContentError('PreconditionFailedError', 'The document already exists');
  }

  #single(type: ContentType): Promise<string | undefined> {
    const { writer, database } = this.#runtime;
    return singleDocumentId(writer.reading(database), type);
  }

  /** The locales that a transition is of; undefined: all. */
  async #codesOf(type: ContentType, locales: LocaleChoice): Promise<readonly (string | null)[] | undefined> {
    if (!type.localized) return [null];
    if (locales.kind === 'all') return undefined;
    return locales.kind === 'some' ? locales.codes : [await this.#runtime.locales.default()];
  }

  async #row(type: ContentType, documentId: string, { locale, status }: Params): Promise<unknown> {
    const rows = await this.#entries(type, { documentId, locale }, status === 'published' ? 'published' : 'draft');
    return rows[0] ?? null;
  }

  /** Versions of a document in a status. */
  async #entries(type: ContentType, params: Params, status: Status): Promise<readonly unknown[]> {
    const rows = await this.#around.rows(type, params);
    return type.draftAndPublish ? rows.filter((row) => (row['publishedAt'] === null) === (status === 'draft')) : rows;
  }
}

/** Data as code receives it, and the values that it does not receive. */
function split({ uid }: ContentType, data: object): Readonly<Record<'shown' | 'kept', object>> {
  const isKept = ([name]: [string, unknown]) => uid === USER_UID && HIDDEN_OF_ACCOUNTS.includes(name);
  const { kept = [], shown = [] } = Object.groupBy(Object.entries(data), (entry) => (isKept(entry) ? 'kept' : 'shown'));
  return { shown: Object.fromEntries(shown), kept: Object.fromEntries(kept) };
}

/** A write of an account with the hash of its password: no transaction of the code waits for other passwords. */
async function withHashes(request: WriteRequest): Promise<WriteRequest> {
  const { password } = split(request.type, request.data).kept as { readonly password?: unknown };
  if (typeof password !== 'string' || password === '' || isTooLong(password)) return request;
  return { ...request, hashes: await hashPasswords({ written: new Set([password]), defaults: new Set() }) };
}

/** The versions that a transition creates. */
const SHOWN: Readonly<Record<TransitionName, Status>> = {
  publish: 'published',
  unpublish: 'draft',
  discardDraft: 'draft',
};

/** Versions as parameters name them. @param codes undefined: all of them; null stands for those of types without locales. */
function localeOf(codes: readonly (string | null)[] | undefined): Params {
  if (codes === undefined) return { locale: '*' };
  const [first = null] = codes;
  return first === null ? {} : { locale: codes.length === 1 ? first : codes };
}

/** Writes of content with code around them. @param writer performs them. */
export function contentWriter(own: CodeWriter, writer: Writer): ContentWriter {
  return {
    create: (request) => own.create(request),
    update: (request, documentId) => own.update(request, documentId),
    delete: (removal) => own.delete(removal),
    updateSingle: (request) => own.updateSingle(request, writer),
    deleteSingle: (removal) => own.deleteSingle(removal),
    reading: (db) => writer.reading(db),
    context: (tx) => writer.context(tx),
  };
}
