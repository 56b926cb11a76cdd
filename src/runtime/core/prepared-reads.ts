/**
 * Reads of core controllers behind document middlewares and lifecycles. A middleware that passes on, and a listener that
 * only looks at parameters, cost no more than their own time: as long as no code changes the parameters, the read is the
 * statement that answers the request without code, and its result is parsed when code looks at it.
 *
 * This is done only where it makes no difference. The parameters of code are not those of the request: the statement must be
 * the one by which code would read them, values included, apart from private attributes, which are removed from the text that
 * answers the request. Whether it is, is compared once for all requests that differ in the operands of conditions alone.
 */
import { stringify } from 'qs';
import type { Viewer } from '../../access/view.ts';
import type { JsonBody, ListText, OneText } from '../../content/reading/answers.ts';
import { signText } from '../../content/reading/file-urls.ts';
import { ContentError } from '../../errors.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import { everything, type Page, pageMeta, parsePage } from '../../query/page.ts';
import { parseParams, type RawObject } from '../../query/params.ts';
import { mayNameRelease } from '../../query/parse.ts';
import { rawParams } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { NamedRows } from '../documents/named-rows.ts';
import { CodeParams } from '../documents/operations.ts';
import { pagedParams, withoutLocale } from '../documents/plain-params.ts';
import { inShape } from '../documents/row-params.ts';
import { lengthOfPage, unreadDocument, unreadList } from '../documents/unread-results.ts';
import { type Context, readQueryOf } from '../requests/context.ts';
import { ordinary } from '../requests/request.ts';
import { verifiedViewer } from '../requests/verified-viewer.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { ContentApi } from './content-api.ts';
import { fetchParams, pagedRead } from './core-service.ts';
import { PrivateMembers } from './private-members.ts';

/** The number of request shapes for which preparability is cached. */
const SHAPES = 1000;
/** Requests of a longer shape are read in the ordinary way. */
const SHAPE_LENGTH = 1024;

type ReadAction = 'findMany' | 'findOne';

/** Reads of one shape. */
interface Shape {
  /** The populate of code, if its statement differs from that of the request by private attributes, which it reads. */
  readonly withPrivate: { readonly populate: unknown } | undefined;
  /** The keys of a document that was read so before. */
  keys?: readonly string[];
}

export interface PreparedReadsContext {
  readonly runtime: Pick<RuntimeContext, 'catalog' | 'config' | 'fileUrls' | 'narrowing' | 'reader' | 'views'>;
  readonly contentApi: ContentApi;
  readonly documents: ProjectDocuments;
  readonly named: NamedRows;
}

export class PreparedReads {
  readonly #context: PreparedReadsContext;
  /** By action, type, View and shape; null for reads that cannot be prepared. */
  readonly #shapes = new LruCache<string, Shape | null>(SHAPES);
  /** The same by query string instead of shape. */
  readonly #known = new LruCache<string, Known>(
    SHAPES,
    textWeight((key, { query }) => key.length + query.length),
  );
  readonly #private: PrivateMembers;

  constructor(context: PreparedReadsContext) {
    this.#context = context;
    this.#private = new PrivateMembers(context.runtime);
  }

  /** A page of documents, as the core service of the type gives it; undefined where it cannot be read so. */
  async list(type: ContentType, ctx: Context): Promise<(PreparedResult & { readonly pagination: object }) | undefined> {
    const request = await this.#requestOf('findMany', type, ctx);
    if (!request) return undefined;
    const { shape, page, query } = request.known;
    const { narrowing, reader } = this.#context.runtime;
    const { viewer } = request;
    const params = new CodeParams(() => this.#codeParams(request));
    let text: ListText<JsonBody> | undefined;
    return narrowing.run(viewer, async () => {
      const results = await this.#run(request, params, async () => {
        text = await reader.queryList(type, this.#readerOf(shape, viewer), query);
        const { data, total } = text;
        const length = total === undefined ? undefined : lengthOfPage(page, total);
        return unreadList(data, () => this.#parsed(type, data, params.pristine) as unknown[], length);
      });
      const shown = this.#shownBy(shape, type);
      if (!page.withCount) return { results, shown, pagination: JSON.parse(pageMeta(page, undefined)) as object };
      const counted = text?.total;
      const total = await (counted === undefined
        ? this.#context.documents.run(type, 'count', params.take())
        : this.#run({ ...request, action: 'count' }, params, async () => counted));
      return { results, shown, pagination: JSON.parse(pageMeta(page, total as number)) as object };
    });
  }

  /** A document by its id, null where there is none; undefined where it cannot be read so. */
  async one(type: ContentType, ctx: Context, documentId: string): Promise<PreparedResult | undefined> {
    const request = await this.#requestOf('findOne', type, ctx);
    if (!request) return undefined;
    const { shape, query } = request.known;
    const { narrowing, reader } = this.#context.runtime;
    const { viewer } = request;
    const params = new CodeParams(() => ({ ...this.#codeParams(request), documentId }));
    const results = await narrowing.run(viewer, () =>
      this.#run(request, params, async () => {
        const single = { kind: 'document', documentId } as const;
        const text = await reader.queryOne(type, this.#readerOf(shape, viewer), query, single);
        return text ? this.#document(type, text, shape, params) : null;
      }),
    );
    return { results, shown: this.#shownBy(shape, type) };
  }

  /** The viewer by whose statement documents are read. */
  #readerOf({ withPrivate }: Shape, viewer: Viewer): Viewer {
    return withPrivate ? this.#codeFor(viewer) : viewer;
  }

  /** The viewer by whom code reads while it serves a caller. */
  #codeFor(caller: Viewer): Viewer {
    const { narrowing } = this.#context.runtime;
    return narrowing.run(caller, () => narrowing.viewer);
  }

  #shownBy({ withPrivate }: Shape, type: ContentType): PreparedResult['shown'] {
    return (json) => (withPrivate ? this.#private.removeFrom(json, type) : json);
  }

  /** A document that was read. Its keys are those of its statement, and are cached after the first parse. */
  #document(type: ContentType, { data }: OneText<JsonBody>, shape: Shape, params: CodeParams): object {
    const parse = () => this.#parsed(type, data, params.pristine) as object;
    shape.keys ??= Object.keys(parse());
    return unreadDocument(data, parse, shape.keys);
  }

  #run({ type, action }: ReadRequest, params: CodeParams, read: () => Promise<unknown>): Promise<unknown> {
    return this.#context.documents.runPrepared(type, action, { params, read });
  }

  #parsed(type: ContentType, json: JsonBody, params: Params): unknown {
    const { catalog, fileUrls } = this.#context.runtime;
    return inShape(catalog, type, JSON.parse(signText(fileUrls, String(json))), params);
  }

  /** A request as far as its read can be prepared; undefined where code may have changed it. */
  async #requestOf(action: ReadAction, type: ContentType, ctx: Context): Promise<ReadRequest | undefined> {
    const { request } = ctx;
    const isOrdinary = readQueryOf(ctx) === undefined && request.get('strapi-response-format') === '';
    // a release that such a parameter named would be refused; here it may be one of the code's own
    const namesRelease = mayNameRelease(request.querystring);
    if (!isOrdinary || namesRelease || this.#context.contentApi.added.has(ctx.state['route'])) return undefined;
    const viewer = await verifiedViewer(this.#context.runtime, ctx);
    const read = { action, type, viewer, querystring: request.querystring };
    const hasListener = this.#context.documents.listens(type.uid, action === 'findOne' ? 'FindOne' : 'FindMany');
    const place = `${action} ${hasListener} ${type.uid} ${viewer.view.key}`;
    const key = `${place} ${read.querystring}`;
    let known = this.#known.get(key);
    if (!known) {
      known = await this.#knownOf(read, place);
      if (!known) return undefined;
      this.#known.set(key, known);
    }
    return { ...read, known };
  }

  /** What is known of the reads of a request's shape; undefined where they cannot be prepared. */
  async #knownOf(read: Read, place: string): Promise<Known | undefined> {
    const params = parseParams(read.querystring);
    const text = JSON.stringify(withoutOperands(params));
    if (text.length > SHAPE_LENGTH) return undefined;
    const key = `${place} ${text}`;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = (await this.#compare(read, params)) ?? null;
      this.#shapes.set(key, shape);
    }
    if (shape === null) return undefined;
    const page = read.action === 'findMany' ? parsePage(params, this.#context.runtime.config.rest) : everything;
    const { withPrivate } = shape;
    return { shape, page, query: withPrivate ? queryOfCode(params, withPrivate) : read.querystring };
  }

  /** The parameters with which code reads documents. @throws ContentError 400 for a request that is refused. */
  #codeParams({ action, type, viewer: { view }, querystring }: Read): Params {
    const { contentApi, runtime } = this.#context;
    const strict = runtime.config.rest.strictParams;
    const query = ordinary(parseParams(querystring)) as Params;
    contentApi.validateQuery(query, type, view, { strict });
    const fetched = fetchParams(contentApi.sanitizeQuery(query, type, view, { strict }));
    return action === 'findOne' ? fetched : pagedRead(fetched, runtime.config.rest).paged;
  }

  /** Compares the statement of a request with the one by which code reads; undefined where they differ in more than private attributes. */
  async #compare(read: Read, params: RawObject): Promise<Shape | undefined> {
    const { runtime, documents, named } = this.#context;
    const { catalog, config, reader, views } = runtime;
    const { action, type, viewer, querystring } = read;
    try {
      const page = action === 'findMany' ? parsePage(params, config.rest) : undefined;
      if (page?.mode === 'cursor') return undefined;
      const own = documents.readParams(type, action, this.#codeParams(read));
      if (named.areNamed(own['filters'], type) || hasFilters(own['populate'])) return undefined;
      const asked = rawParams(withoutLocale(catalog, type, page ? pagedParams(own) : own));
      const { status = 'draft', start: _start, limit: _limit, page: _page, pageSize: _size, ...rest } = asked;
      const code = this.#codeFor(viewer);
      const areAlike = (query: string, caller: Viewer, other: Viewer): Promise<boolean> =>
        reader.readsAlike(type, caller, query, { viewer: other, params: { ...rest, status }, page });
      if (await areAlike(querystring, viewer, code)) return { withPrivate: undefined };
      const { view, values } = viewer;
      const withoutPrivate = { view: view.narrowing(views.codeWithoutPrivate.view), values };
      const withPrivate = { populate: own['populate'] };
      const differsInPrivate =
        (await areAlike(querystring, viewer, withoutPrivate)) &&
        (await areAlike(queryOfCode(params, withPrivate), code, code));
      return differsInPrivate ? { withPrivate } : undefined;
    } catch (error) {
      // the ordinary way refuses the request for the same reason
      if (error instanceof ContentError && error.status === 400) return undefined;
      throw error;
    }
  }
}

/** Documents that were read, null for one that is not there, with the form in which their text answers the request. */
interface PreparedResult {
  readonly results: unknown;
  /** Takes the text of results that no code has looked at. */
  readonly shown: (json: JsonBody) => JsonBody;
}

interface Read {
  readonly action: ReadAction | 'count';
  readonly type: ContentType;
  readonly viewer: Viewer;
  readonly querystring: string;
}

/** What is known of the reads of a query string. */
interface Known {
  readonly shape: Shape;
  readonly page: Page;
  /** The query string of the statement. */
  readonly query: string;
}

/** A request of which a read is prepared. */
interface ReadRequest extends Read {
  readonly known: Known;
}

/**
 * Parameters with the operands of conditions replaced: one placeholder for numbers, which may be ids, and one for other
 * texts.
 */
function withoutOperands(params: RawObject): object {
  const shape = (value: unknown): unknown => {
    if (typeof value === 'string') return value === '' || value.includes(',') ? value : /^\d+$/.test(value) ? 0 : 1;
    if (Array.isArray(value)) return value.map(shape);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
  };
  const { filters } = params;
  return filters === undefined ? params : { ...params, filters: shape(filters) };
}

/** A query string with the populate of code in place of that of the request: names, for example, in place of a star. */
const queryOfCode = (params: RawObject, { populate }: { readonly populate: unknown }): string =>
  stringify({ ...params, populate }, { encodeValuesOnly: true });

/** Whether populated relations have conditions, whose ids may be mapped to others. */
function hasFilters(populate: unknown): boolean {
  if (typeof populate !== 'object' || populate === null) return false;
  return Object.entries(populate).some(([name, value]) => name === 'filters' || hasFilters(value));
}
