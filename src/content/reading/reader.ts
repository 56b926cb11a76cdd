/** Reading: a request's parameters become one statement, and the statement's text becomes the answer. */
import { isDeepStrictEqual } from 'node:util';
import { permitQuery } from '../../access/authorize.ts';
import type { CallerValues, View, Viewer } from '../../access/view.ts';
import { chain } from '../../chain.ts';
import type { Read } from '../../db/interface/database.ts';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { ContentError, forbidden, notFound, validation } from '../../errors.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { ReleaseSlots } from '../../plan/preview.ts';
import type { ReadSlots } from '../../plan/read.ts';
import { Budget } from '../../query/budget.ts';
import type { Cohort, ContentQuery, LocaleChoice } from '../../query/content-query.ts';
import { type Page, type PageLimits, parsePage } from '../../query/page.ts';
import { parseParams, type RawObject } from '../../query/params.ts';
import { mayNameRelease, parseLocale, parseLocales, parseQuery, parseRelease } from '../../query/parse.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { layoutOf } from '../../schema/layout/layout.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { AnswerForm } from '../../sql/read.ts';
import { bindValue } from '../../sql/values.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import type { Answer, JsonBody, ListText, OneText, Origin } from './answers.ts';
import { type Bound, CompiledPlans, endsByItself, type PlanSources, presentMoment } from './compiled-plans.ts';
import { type BoundList, listOf, listPage, oneOf, pageSlots } from './list-page.ts';
import { nameOfTotal, RememberedTotals } from './remembered-totals.ts';
import { ShownRows } from './shown-rows.ts';

/** Cached query strings with their parsed queries. */
const QUERIES = 1000;
/** Longer query strings are parsed each time. */
const QUERY_LENGTH = 1024;

/** Finds releases that have not run. */
export interface PendingReleases {
  /** The id of the release with a name; undefined if there is none. */
  idOf(name: string): number | undefined | Promise<number | undefined>;
}

export interface ReaderContext extends PlanSources {
  readonly locales: LocaleStore;
  /** The releases that requests may preview; undefined: none. */
  readonly releases?: PendingReleases | undefined;
  /** `maxAnswerSize`: bytes of the longest answer. */
  readonly limits: PageLimits & { readonly maxAnswerSize: number };
}

/** A release that is previewed, and the locale of its actions that name none. */
interface Preview {
  readonly release: number;
  readonly locale: string;
}

interface BindOptions extends ReadOptions {
  /** Requests bytes, if the engine has them; text when left out. */
  readonly bytes?: boolean;
  /** Requests the state of the database that is read; when left out, lists with a cached total request it. */
  readonly snapshot?: boolean;
}

export class Reader {
  readonly #context: ReaderContext;
  readonly #plans: CompiledPlans;
  readonly #bound = new LruCache<string, Bound>(QUERIES, textWeight(boundLength));
  readonly #totals: RememberedTotals;

  constructor(context: ReaderContext) {
    this.#context = context;
    this.#totals = new RememberedTotals(context.database.changeClock);
    this.#plans = new CompiledPlans(context);
  }

  /** Bytes of the longest answer, where a read does not say otherwise. */
  get longest(): number {
    return this.#context.limits.maxAnswerSize;
  }

  /**
   * Reads a list.
   *
   * @throws ContentError 400 for a parameter that is wrong, and for an answer that would be too long, as every read here.
   */
  async list(
    type: ContentType,
    { view, values }: Viewer,
    params: RawObject,
    options: ReadOptions = {},
  ): Promise<ListText> {
    const locale = await this.#defaultLocale(type);
    const bind = (bindOptions: BindOptions) =>
      this.#bindList(type, view, params, locale, { ...options, ...bindOptions });
    return this.#readList<string>(bind, values);
  }

  /**
   * Reads the list that a query string requests, as the body of a response. The statement of a query string is cached. The
   * list is returned without a promise where the default locale is cached and the engine reads within this process.
   *
   * @param account of the caller, where it is not the current one.
   * @throws ContentError as `list`.
   */
  queryList(
    type: ContentType,
    { view, values }: Viewer,
    query: string,
    account?: string,
  ): ListText<JsonBody> | Promise<ListText<JsonBody>> {
    return this.#placed(type, view, query, (locale, preview) => {
      const bind = (bindOptions: BindOptions) =>
        this.#cachedList(type, view, query, locale, preview ? { ...bindOptions, preview } : bindOptions);
      const bound = bind({});
      return chain(this.#readList<JsonBody>(bind, values, bound, account), (list) => ({
        ...list,
        origin: originOf(bound, locale),
      }));
    });
  }

  /**
   * Reads one document with its version; undefined when there is none in the status, locale and cohort of the parameters.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async one(
    type: ContentType,
    { view, values }: Viewer,
    params: RawObject,
    single: Single,
    options: ReadOptions = {},
  ): Promise<OneText | undefined> {
    const locale = await this.#localeBeside(type, params);
    const bound = this.#bindOne(type, view, params, single.kind, locale, options);
    return this.#readAt(this.#address(bound, single, values), bound, options.db);
  }

  /** Reads one document as `queryList` reads a list. */
  queryOne(
    type: ContentType,
    { view, values }: Viewer,
    query: string,
    single: Single,
    account?: string,
  ): OneText<JsonBody> | undefined | Promise<OneText<JsonBody> | undefined> {
    return this.#placed(type, view, query, (locale, preview) => {
      const bound = this.#cachedOne(type, view, query, single.kind, locale, preview);
      const document = this.#readAt<JsonBody>(this.#address(bound, single, values), bound, undefined, account);
      return chain(document, (answer) => answer && { ...answer, origin: originOf(bound, locale) });
    });
  }

  /**
   * Reads a document that a transaction has written, within that transaction; a read that may be slow waits until the
   * transaction has ended, so that no other write waits for it.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async written(
    db: Queryable,
    type: ContentType,
    viewer: Viewer,
    params: RawObject,
    { documentId, longest }: { readonly documentId: string; readonly longest?: number | undefined },
  ): Promise<Answer> {
    const locale = await this.#localeBeside(type, params);
    const { view, values } = viewer;
    const bound = this.#cached(`written ${longest}`, type, view, JSON.stringify(params), locale, () =>
      this.#bindOne(type, view, params, 'document', locale, { longest }),
    );
    const read = this.#address(bound, { kind: 'document', documentId }, values);
    if (this.#context.database.holdsUpWrites(read)) return { read: () => this.#readLater(read, bound) };
    const document = await this.#readAt<string>(read, bound, db);
    if (!document) throw unreadable();
    return document;
  }

  async #readLater(read: Read, bound: Bound): Promise<OneText> {
    const document = await this.#readAt<string>(read, bound);
    // another session has deleted it since
    if (!document) throw notFound();
    return document;
  }

  /** The rows that a viewer is shown, for a write. */
  shown(db: Queryable, viewer: Viewer): ShownRows {
    return new ShownRows(this.#plans, db, viewer);
  }

  /**
   * Whether a query string of one viewer and parameters of another are read by the same statement with the same values, so
   * that both have the same answer.
   *
   * @param other reads the same page of a list; the same single document where it names no page.
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async readsAlike(
    type: ContentType,
    { view }: Viewer,
    query: string,
    other: { readonly viewer: Viewer; readonly params: RawObject; readonly page?: Page | undefined },
  ): Promise<boolean> {
    const locale = await this.#defaultLocale(type);
    const { params, page } = other;
    const bytes = true;
    if (page === undefined) {
      const bound = this.#cachedOne(type, view, query, 'document', locale);
      return isSameRead(bound, this.#bindOne(type, other.viewer.view, params, 'document', locale, { bytes }));
    }
    const bound = this.#cachedList(type, view, query, locale, {});
    const options = { page, bytes, snapshot: bound.snapshot };
    return isSameRead(bound, this.#bindList(type, other.viewer.view, params, locale, options));
  }

  /**
   * Checks a query without reading, for answers that it does not shape.
   *
   * @param refusesUnseen whether to refuse a populate of a type that the viewer may not find, instead of ignoring it.
   * @throws ContentError 400 for a parameter that is wrong.
   */
  check(type: ContentType, { view }: Viewer, params: RawObject, refusesUnseen?: boolean): void {
    permitQuery(view, type, parseQuery(params).query, new Budget(), refusesUnseen);
  }

  /**
   * The default locale, if the parameters name none. A transaction holds its connection while it waits: a statement
   * outside of it might never get one.
   */
  #localeBeside(type: ContentType, params: RawObject): string | Promise<string> {
    const named = typeof params['locale'] === 'string' && params['locale'] !== '';
    return named ? '' : this.#defaultLocale(type);
  }

  /** The default locale; empty for types that are not localized. */
  #defaultLocale(type: ContentType): string | Promise<string> {
    return type.localized ? this.#context.locales.default() : '';
  }

  /** Reads in the default locale, and in the preview that a query string requests. */
  #placed<T>(
    type: ContentType,
    view: View,
    query: string,
    read: (locale: string, preview: Preview | undefined) => T | Promise<T>,
  ): T | Promise<T> {
    return chain(this.#defaultLocale(type), (locale) =>
      mayNameRelease(query)
        ? chain(this.previewOf(view, parseParams(query)), (preview) => read(locale, preview))
        : read(locale, undefined),
    );
  }

  /**
   * The preview that parameters request.
   *
   * @throws ContentError 400 for a release that does not exist, or has run; 403 for a View from which conditions on rows
   * may hide the drafts that the preview would show.
   */
  previewOf(view: View, params: RawObject): undefined | Promise<Preview> {
    const name = parseRelease(params);
    if (name === undefined) return undefined;
    if (view.testsPublication) {
      throw forbidden(undefined, { hint: 'access rules that test the time of publication do not permit previews' });
    }
    return (async () => {
      const release = await this.#context.releases?.idOf(name);
      if (release === undefined) {
        throw validation("Invalid value for 'release'. Expected the name of a release that has not run.", {
          source: 'query',
          param: 'release',
        });
      }
      return { release, locale: await this.#context.locales.default() };
    })();
  }

  /** Whether a value is the name of a release that can be previewed. */
  async isRelease(name: unknown): Promise<boolean> {
    return typeof name === 'string' && (await this.#context.releases?.idOf(name)) !== undefined;
  }

  #cachedList(type: ContentType, view: View, query: string, locale: string, bindOptions: BindOptions): BoundList {
    const { page, preview } = bindOptions;
    const kind = `${page ? 'page' : 'list'} ${this.#keepsTotals(type) ? 'kept' : 'counted'}${keyOf(preview)}`;
    return this.#cached(kind, type, view, query, locale, () =>
      this.#bindList(type, view, parseParams(query), locale, { ...bindOptions, bytes: true }),
    );
  }

  #cachedOne(
    type: ContentType,
    view: View,
    query: string,
    kind: Single['kind'],
    locale: string,
    preview?: Preview,
  ): Bound {
    return this.#cached(`${kind}${keyOf(preview)}`, type, view, query, locale, () =>
      this.#bindOne(type, view, parseParams(query), kind, locale, { bytes: true, preview }),
    );
  }

  #cached<T extends Bound>(
    kind: string,
    type: ContentType,
    view: View,
    query: string,
    locale: string,
    make: () => T,
  ): T {
    if (query.length > QUERY_LENGTH) return make();
    const key = `${kind} ${type.uid} ${view.key} ${locale} ${this.#context.search?.version} ${query}`;
    let bound = this.#bound.get(key) as T | undefined;
    if (bound === undefined) {
      bound = make();
      this.#bound.set(key, bound);
    }
    return bound;
  }

  #bindList(type: ContentType, view: View, params: RawObject, locale: string, options: BindOptions = {}): BoundList {
    const { query: parsed, values: operands } = parseQuery(params);
    const query: ContentQuery = options.eitherStatus ? { ...parsed, status: 'either' } : parsed;
    const values = [...operands];
    const locales = localeSlots(type, localesOf(type, params), locale, values);
    // like the reference, a wrong name is reported before a wrong page; and whether to count is part of the plan's shape
    const list = lazily(() => listPage(type, query, options.page ?? parsePage(params, this.#context.limits)));
    const page = pageSlots(list, values);
    const keepsTotals = this.#keepsTotals(type);
    const total = page.count ? nameOfTotal(params, `${type.uid} ${query.status} ${view.key} ${locale}`) : undefined;
    const snapshot = this.#context.database.dialect.snapshot !== undefined && (options.snapshot ?? total !== undefined);
    const slots: ReadSlots = {
      locales,
      documentId: undefined,
      page: { ...page, kept: keepsTotals, snapshot },
      preview: previewSlots(options.preview, values),
      flags: options.flags,
    };
    const shape = { type, view, query, slots, form: this.#formOf(options) };
    const compiled = this.#plans.of(shape);
    if ('error' in list) throw list.error;
    return { ...this.#plans.bind(shape, compiled, values), list, page: list.page, total, snapshot };
  }

  #bindOne(
    type: ContentType,
    view: View,
    params: RawObject,
    kind: Single['kind'],
    locale: string,
    options: BindOptions = {},
  ): Bound {
    const { query, values: operands } = parseQuery(params);
    const values = [...operands];
    const code = type.localized ? parseLocale(params['locale']) : undefined;
    const choice: LocaleChoice = code === undefined ? { kind: 'default' } : { kind: 'some', codes: [code] };
    const locales = localeSlots(type, choice, locale, values);
    const address = kind === 'single' ? undefined : values.push(null) - 1;
    const documentId = kind === 'document' ? address : undefined;
    const rowId = kind === 'row' ? address : undefined;
    const { linked, linkedCohort, flags } = options;
    const preview = previewSlots(options.preview, values);
    const slots: ReadSlots = { locales, documentId, rowId, page: undefined, linked, linkedCohort, preview, flags };
    const shape = { type, view, query, slots, form: this.#formOf(options) };
    const compiled = this.#plans.of(shape);
    return this.#plans.bind(shape, compiled, values, address);
  }

  #keepsTotals({ uid }: ContentType): boolean {
    const { database, layout } = this.#context;
    return database.keepsTotals(layoutOf(layout, uid).table);
  }

  #formOf({ bytes = false, longest = this.longest }: BindOptions): AnswerForm {
    return { bytes, longest };
  }

  #readList<Data extends JsonBody>(
    bind: (bindOptions: BindOptions) => BoundList,
    own: CallerValues,
    bound = bind({}),
    account?: string,
  ): ListText<Data> | Promise<ListText<Data>> {
    const read = (list: BoundList) => chain(this.#listRows(list, own, account), (rows) => listOf<Data>(list, rows));
    // a transaction sees its own writes, which may be rolled back
    if (this.#context.database.current) return read(bound);
    return this.#totals.counted<Data>(bound, own, {
      read: () => read(bound),
      readUncounted: () => read(bind({ page: { ...bound.page, withCount: false }, snapshot: bound.snapshot })),
    });
  }

  #listRows(
    bound: Bound & Pick<BoundList, 'page'>,
    own: CallerValues,
    account: string | undefined,
  ): Row[] | Promise<Row[]> {
    const retry = (error: unknown): Row[] | Promise<Row[]> => {
      const isRefused = !(error instanceof ContentError) || error.name === 'ApplicationError';
      if (!bound.withoutSearch || !isRefused) throw error;
      // another session may have dropped the search index a moment ago
      return this.#listRows({ ...bound.withoutSearch(), page: bound.page }, own, account);
    };
    try {
      const read = { ...bound, values: this.#valuesOf(bound, own) };
      const rows = this.#context.database.read(read, account);
      return rows instanceof Promise ? rows.catch(retry) : rows;
    } catch (error) {
      return retry(error);
    }
  }

  #readAt<Data extends JsonBody>(
    read: Read,
    bound: Pick<Bound, 'longest'>,
    db?: Queryable,
    account?: string,
  ): OneText<Data> | undefined | Promise<OneText<Data> | undefined> {
    const rows = db ? db.rows(read.text, read.values) : this.#context.database.read(read, account);
    return chain(rows, (found) => oneOf<Data>(bound, found));
  }

  /** The read of one document or row: the plan is the same for each. */
  #address(bound: Bound, single: Single, own: CallerValues): Read {
    return { ...bound, values: this.#valuesOf(bound, own, single), page: undefined };
  }

  /** The values of a statement, with those of this request only. */
  #valuesOf(bound: Bound, own: CallerValues, single?: Single): readonly SqlValue[] {
    if (bound.late.length === 0) return bound.values;
    const { dialect } = this.#context.database;
    const values = [...bound.values];
    // the present is one moment for the whole statement
    const now = endsByItself(bound) ? presentMoment() : undefined;
    const late = { ...own, address: single && addressOf(single), now };
    for (const { index, kind, of } of bound.late) values[index] = bindValue(dialect, kind, late[of]);
    return values;
  }
}

const isSameRead = (a: Bound, b: Bound): boolean =>
  a.text === b.text && isDeepStrictEqual([a.values, a.late], [b.values, b.late]);

const unreadable = () => new ContentError('InternalServerError', 'The written document cannot be read');

/** The state that an answer was read from; undefined for an answer that would differ at another time. */
const originOf = (bound: Bound, locale: string): Origin | undefined =>
  endsByItself(bound) ? undefined : { text: bound.text, values: bound.values, locale };

/** Characters that a remembered query string holds with its statement and values. */
function boundLength(key: string, { text, values }: Bound): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, key.length + text.length);
}

function addressOf(single: Single): string | number | null {
  if (single.kind === 'single') return null;
  return single.kind === 'document' ? single.documentId : single.id;
}

function lazily<T extends object>(parse: () => T): T | { error: unknown } {
  try {
    return parse();
  } catch (error) {
    return { error };
  }
}

export interface DocumentReader extends Pick<Reader, 'shown'> {
  /** @throws ContentError 400 for a parameter that is wrong. */
  list(type: ContentType, viewer: Viewer, params: RawObject, options?: ReadOptions): Promise<ListText>;
  /** One document; undefined where there is none. @throws ContentError as `list`. */
  one(
    type: ContentType,
    viewer: Viewer,
    params: RawObject,
    single: Single,
    options?: ReadOptions,
  ): Promise<OneText | undefined>;
}

/** Adds the codes to the values and returns their slots; undefined for rows of every locale. */
function localeSlots(
  type: ContentType,
  choice: LocaleChoice,
  defaultLocale: string,
  values: unknown[],
): number[] | undefined {
  if (!type.localized || choice.kind === 'all') return undefined;
  const codes = choice.kind === 'some' ? choice.codes : [defaultLocale];
  return codes.map((code) => values.push(code) - 1);
}

/** Adds the values of a preview, and returns their slots: the present gets its value when the statement runs. */
function previewSlots(preview: Preview | undefined, values: unknown[]): ReleaseSlots | undefined {
  if (!preview) return undefined;
  const add = (value: unknown): number => values.push(value) - 1;
  return { release: add(preview.release), now: add(null), locale: add(preview.locale) };
}

const keyOf = (preview: Preview | undefined): string => (preview ? ` ${preview.release} ${preview.locale}` : '');

/** Types that are not localized ignore `locale` in any form. */
export function localesOf(type: ContentType, params: RawObject): LocaleChoice {
  return type.localized ? parseLocales(params['locale']) : { kind: 'default' };
}

/** What a single read selects. */
export type Single =
  | { readonly kind: 'document'; readonly documentId: string }
  /** A row by its id: files and users. */
  | { readonly kind: 'row'; readonly id: number }
  /** The one document of a single type. */
  | { readonly kind: 'single' };

export interface ReadOptions {
  /** The page to read; parsed from the parameters when left out. */
  readonly page?: Page;
  /** Whether to list rows of either status; by the parameters when left out. */
  readonly eitherStatus?: boolean;
  /** How many rows of each list of relations to read, at any depth; all when left out. */
  readonly linked?: number;
  /** The cohort of populated documents, if it differs from the one of the document itself. */
  readonly linkedCohort?: Cohort;
  /** Constant keys at the end of each object. */
  readonly flags?: Readonly<Record<string, boolean>>;
  /** Where to read: a transaction that wrote the document; the database itself when left out. */
  readonly db?: Queryable;
  /** Bytes of the longest answer; the server's limit when left out. */
  readonly longest?: number | undefined;
  /** Reads as if a release had run. */
  readonly preview?: Preview | undefined;
}
