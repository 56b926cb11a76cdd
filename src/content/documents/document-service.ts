/**
 * The document service: the operations of the REST API for code that embeds the server, with the semantics of Strapi
 * 5's Document Service (docs/reference/document-service.md). It uses the same Reader and Writer, and may do everything.
 */
import { refuseUnknown } from '../../access/known-params.ts';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import type { RestConfig } from '../../config/config.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, UsageError, validation } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { LocaleChoice } from '../../query/content-query.ts';
import { wrongCursor } from '../../query/cursor.ts';
import { everything, type Page, pageOf } from '../../query/page.ts';
import type { RawObject } from '../../query/params.ts';
import { parseLocale, parseLocales, parseStatus } from '../../query/parse.ts';
import { plainData, rawParam, rawParams } from '../../query/plain.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import { type Answer, AnswerBudget, type OneText, Settling } from '../reading/answers.ts';
import { type FileUrls, signText } from '../reading/file-urls.ts';
import type { Reader } from '../reading/reader.ts';
import { type DocumentRow, readRows } from '../rows/document-rows.ts';
import { documentLock } from '../rows/locks.ts';
import { cloneShown, cloneWhole } from './cloning.ts';
import type {
  AnyDocument,
  CloneParams,
  CreateParams,
  DocumentPage,
  DocumentService,
  DocumentsOf,
  Entries,
  FindManyParams,
  FindPageParams,
  FindParams,
  OneParams,
  ShapeParams,
  Sight,
  Uid,
  UpdateParams,
  VersionsParams,
} from './document-types.ts';
import type { TransitionName, Transitions } from './transitions.ts';
import type { WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

export interface ServiceContext {
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly views: Views;
  readonly locales: LocaleStore;
  readonly config: { readonly rest: Pick<RestConfig, 'localizationPermission'> };
  /** How addresses of a private store's files leave the server; undefined where there is none. */
  readonly fileUrls?: FileUrls | undefined;
}

/** How a document service differs from that of code that embeds Galley. */
export interface ServiceOptions {
  /**
   * Whether the viewer is a caller of the API. The caller's actions are checked before, and a copy contains only
   * attributes that are shown to the caller.
   */
  readonly isCaller?: boolean;
  /** Whether parameters that do not exist are ignored, as `strapi.documents` does. */
  readonly ignoresUnknown?: boolean;
  /** Whether new documents are stored without the rules of publication (`WriteRequest.isUnchecked`). */
  readonly isUnchecked?: boolean;
}

/**
 * The documents of each content type of a project, by uid. A service is created when it is first used.
 *
 * @param viewer the viewer of the documents: everything that is not private, when left out. A function is called for
 * each operation. The type parameter `S` describes what is visible.
 */
export function documentsOf<S extends Sight = 'shown'>(
  context: ServiceContext & { readonly catalog: Catalog },
  viewer: Viewer | (() => Viewer) = context.views.full,
  options: ServiceOptions = {},
): DocumentsOf<S> {
  const viewerOf = typeof viewer === 'function' ? viewer : () => viewer;
  const services = new Map<string, TypeDocuments>();
  return <U extends Uid>(uid: U): DocumentService<U, S> => {
    const type = context.catalog.contentTypes.get(uid);
    if (!type) throw new UsageError(`there is no content type ${uid}${hint(uid, context.catalog)}`);
    const service = services.get(uid) ?? new TypeDocuments(context, type, viewerOf, options);
    services.set(uid, service);
    return service as unknown as DocumentService<U, S>;
  };
}

function hint(uid: string, { contentTypes }: Catalog): string {
  const word = nearest(uid, [...contentTypes.keys()]);
  return word === undefined ? '' : `: did you mean ${word}?`;
}

/** Bytes of the longest answer: memory is the embedding code's own matter, as long as the process survives. */
const LONGEST = 128 * 1024 * 1024;
/** Documents per page if the size is not set. */
const PAGE_SIZE = 25;
const UNLIMITED = { maxLimit: null, withCount: false } as const;

type Any = AnyDocument;

class TypeDocuments implements DocumentService<string> {
  readonly #context: ServiceContext;
  readonly #type: ContentType;
  readonly #viewerOf: () => Viewer;
  readonly #options: ServiceOptions;

  constructor(context: ServiceContext, type: ContentType, viewerOf: () => Viewer, options: ServiceOptions) {
    this.#context = context;
    this.#type = type;
    this.#viewerOf = viewerOf;
    this.#options = options;
  }

  get #viewer(): Viewer {
    return this.#viewerOf();
  }

  async findMany(params: FindManyParams<string> = {}): Promise<Any[]> {
    return (await this.#list(params, pageOfParams(params))).documents;
  }

  async findPage(params: FindPageParams<string> = {}): Promise<DocumentPage<string>> {
    const { cursor, pageSize, withCount, ...rest } = params;
    const page = pageOf(rawParams({ cursor: cursor ?? '', pageSize, withCount }), {
      ...UNLIMITED,
      defaultLimit: PAGE_SIZE,
    });
    const { documents, next = null, total } = await this.#list(rest, page);
    const pagination = { pageSize: page.limit, next };
    return { results: documents, pagination: total === undefined ? pagination : { ...pagination, total } };
  }

  async findFirst(params: FindParams<string> = {}): Promise<Any | null> {
    const { documents } = await this.#list(params, { ...everything, limit: 1 });
    return documents[0] ?? null;
  }

  async findOne({ documentId, ...params }: OneParams<string>): Promise<Any | null> {
    const single = { kind: 'document', documentId } as const;
    const document = await this.#context.reader.one(this.#type, this.#viewer, this.#readParams(params), single, {
      longest: LONGEST,
    });
    return document ? this.#parsed(document) : null;
  }

  async count(params: FindParams<string> = {}): Promise<number> {
    const page = { ...everything, limit: 0, withCount: true };
    const { total } = await this.#context.reader.list(this.#type, this.#viewer, this.#readParams(params), { page });
    return total!;
  }

  async create(params: CreateParams<string>): Promise<Any> {
    const { writer } = this.#context;
    const request = await this.#request(params);
    // a caller of the API cannot give a single type a second document
    const isPut = this.#options.isCaller && this.#type.kind === 'singleType';
    return this.#parsed(await (isPut ? writer.updateSingle(request) : writer.create(request)));
  }

  async update({ documentId, ...params }: UpdateParams<string>): Promise<Any | null> {
    const request = await this.#request(params);
    const written = await found(this.#context.writer.update(request, documentId));
    return written ? this.#parsed(written) : null;
  }

  async delete({ documentId, locale, ...shape }: VersionsParams<string>): Promise<Entries<string>> {
    const { database, writer } = this.#context;
    this.#requireWritable();
    const choice = await this.#choice(locale);
    return database.transaction(async (tx) => {
      const rows = await this.#rows(tx, documentId, choice);
      const entries = await this.#entries(tx, documentId, rows, shape);
      const codes = rows.flatMap((row) => (row.locale === null ? [] : [row.locale]));
      const locales = choice.kind === 'some' ? codes : undefined;
      await writer.deleteIn(tx, { type: this.#type, viewer: this.#viewer, documentId, locales });
      return { documentId, entries };
    });
  }

  publish(params: VersionsParams<string>): Promise<Entries<string>> {
    return this.#move('publish', params);
  }

  unpublish(params: VersionsParams<string>): Promise<Entries<string>> {
    return this.#move('unpublish', params);
  }

  discardDraft(params: VersionsParams<string>): Promise<Entries<string>> {
    return this.#move('discardDraft', params);
  }

  async clone({ documentId, locale, data, ...shape }: CloneParams<string>): Promise<Entries<string>> {
    const choice = await this.#choice(locale);
    const write = { ...(await this.#request({ data: data ?? {} })), longest: LONGEST };
    const clone = this.#options.isCaller || this.#viewer.view.isNarrow ? cloneShown : cloneWhole;
    return clone(this.#context, { write, documentId, choice }, async (tx, copy) => {
      return { documentId: copy.documentId, entries: await this.#entries(tx, copy.documentId, copy.rows, shape) };
    });
  }

  async #list(params: FindParams<string>, page: Page) {
    const { data, ...rest } = await this.#context.reader.list(this.#type, this.#viewer, this.#readParams(params), {
      page,
      longest: LONGEST,
    });
    return { documents: JSON.parse(signText(this.#context.fileUrls, data)) as Any[], ...rest };
  }

  async #request({ data, locale, status, ...shape }: CreateParams<string>): Promise<WriteRequest> {
    this.#requireWritable();
    const code = this.#type.localized ? parseLocale(locale) : undefined;
    if (code !== undefined) await this.#requireLocale(code);
    const viewer = this.#viewer;
    const { localizationPermission } = this.#context.config.rest;
    return {
      type: this.#type,
      viewer,
      status: parseStatus(status ?? 'draft'),
      locale: code,
      data: plainData(data) as WriteRequest['data'],
      isUnchecked: this.#options.isUnchecked,
      shape: this.#shapeParams(shape),
      longest: LONGEST,
      mayLocalize: localizationPermission === 'update' || viewer.view.may(`${this.#type.uid}.createLocalization`),
      mayShare: true,
    };
  }

  /** Moves the versions that exist among those named. Unpublishing returns the removed rows. */
  async #move(name: TransitionName, params: VersionsParams<string>): Promise<Entries<string>> {
    const { documentId, locale, ...shape } = params;
    const type = this.#type;
    const { database, transitions } = this.#context;
    this.#requireWritable();
    if (!type.draftAndPublish) throw validation(`${type.uid} has no drafts: there is nothing to ${name}`);
    const choice = await this.#choice(locale);
    const defaultLocale = await this.#context.locales.default();
    const request = { name, type, viewer: this.#viewer, documentId, shape: this.#shapeParams(shape), longest: LONGEST };
    const moving = database.transaction(async (tx): Promise<{ gone?: Any[]; answers: Answer[] }> => {
      const rows = (await this.#rows(tx, documentId, choice)).filter((row) => name === 'publish' || row.published);
      if (rows.length === 0) return { answers: [] };
      const locales = present(choice, rows);
      const published = name === 'unpublish' ? await this.#entries(tx, documentId, rows, shape) : undefined;
      const answers = await transitions.runIn(tx, { ...request, locales }, defaultLocale);
      return published ? { gone: published, answers: [] } : { answers };
    });
    const { gone: published, answers = [] } = (await found(moving)) ?? {};
    if (published) return { documentId, entries: published };
    const texts = await new Settling(new AnswerBudget(LONGEST)).settleAll(answers);
    return { documentId, entries: texts.map((text) => this.#parsed(text)) };
  }

  /** The rows of versions that exist for the viewer. They are locked until the transaction ends. */
  async #rows(tx: Transaction, documentId: string, choice: LocaleChoice): Promise<DocumentRow[]> {
    const type = this.#type;
    const { writer, reader } = this.#context;
    const context = writer.context(tx);
    await context.tx.lock(() => [documentLock(type.uid, documentId)]);
    const { rows } = await readRows(context, type, documentId);
    const wanted = choice.kind === 'some' ? rows.filter((row) => choice.codes.includes(row.locale ?? '')) : rows;
    const hidden = await reader.shown(tx, this.#viewer).hidden(type, wanted);
    const shown = new Set(wanted.flatMap(({ id, locale }) => (hidden.has(id) ? [] : [locale])));
    return wanted.filter(({ locale }) => shown.has(locale));
  }

  async #entries(db: Queryable, documentId: string, rows: readonly DocumentRow[], shape: ShapeParams<string>) {
    const entries: Any[] = [];
    for (const { locale, published } of rows) {
      const version = { status: published ? 'published' : 'draft', ...(locale === null ? {} : { locale }) };
      const params = { ...this.#shapeParams(shape), ...version };
      const single = { kind: 'document', documentId } as const;
      const { reader } = this.#context;
      const entry = await reader.one(this.#type, this.#viewer, params, single, { db: db, longest: LONGEST });
      if (entry) entries.push(this.#parsed(entry));
    }
    return entries;
  }

  /** The versions named, the default one by its code. */
  async #choice(locale: string | readonly string[] | undefined): Promise<LocaleChoice> {
    if (!this.#type.localized) return { kind: 'default' };
    const choice = parseLocales(rawParam(locale));
    if (choice.kind === 'default') return { kind: 'some', codes: [await this.#context.locales.default()] };
    if (choice.kind === 'some') for (const code of choice.codes) await this.#requireLocale(code);
    return choice;
  }

  async #requireLocale(code: string): Promise<void> {
    if (!(await this.#context.locales.has(code))) throw validation(`Locale "${code}" not found`);
  }

  #parsed(text: OneText): Any {
    return JSON.parse(signText(this.#context.fileUrls, text.data)) as Any;
  }

  /** Reads drafts by default. @throws ContentError 400 for a parameter that does not exist. */
  #readParams(params: object): RawObject {
    this.#refuseUnknown(params);
    const { status = 'draft', page: _page, pageSize: _size, start: _start, limit: _limit, ...rest } = rawParams(params);
    return { ...rest, status };
  }

  #shapeParams({ fields, populate, ...others }: ShapeParams<string>): RawObject {
    this.#refuseUnknown(others);
    return { fields: rawParam(fields), populate: rawParam(populate) };
  }

  /** An ignored parameter, such as a mistyped `filters`, would select every document. */
  #refuseUnknown(params: object): void {
    if (!this.#options.ignoresUnknown) refuseUnknown(rawParams(params));
  }

  /** Accounts, roles and files have rules of their own. */
  #requireWritable(): void {
    if (this.#type.builtIn) throw validation(`${this.#type.uid} is read-only`);
  }
}

/** Restricts a choice of versions to those that exist. */
function present(choice: LocaleChoice, rows: readonly DocumentRow[]): LocaleChoice {
  if (choice.kind !== 'some') return choice;
  return { kind: 'some', codes: choice.codes.filter((code) => rows.some((row) => row.locale === code)) };
}

/**
 * The requested page, at the top level or in `pagination`; everything if there is none. A limit of 0 or -1 means no
 * limit, as in Strapi.
 */
function pageOfParams({ page, pageSize, start, limit, pagination }: FindManyParams<string>): Page {
  const raw = rawParams({ page, pageSize, start, limit, ...pagination });
  if (raw['cursor'] !== undefined) throw wrongCursor('findMany gives no cursors: findPage does');
  if (raw['limit'] === '-1' || raw['limit'] === '0') delete raw['limit'];
  if (Object.keys(raw).length === 0) return everything;
  const paged = raw['page'] !== undefined || raw['pageSize'] !== undefined;
  return pageOf(raw, { ...UNLIMITED, defaultLimit: paged ? PAGE_SIZE : everything.limit });
}

/** The result of a write; undefined if there is no such document. */
async function found<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ContentError && error.name === 'NotFoundError') return undefined;
    throw error;
  }
}
