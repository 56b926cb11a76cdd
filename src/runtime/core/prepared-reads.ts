/**
 * Reads of core controllers behind document middlewares and lifecycles. A middleware that passes on, and a listener that
 * only looks at parameters, cost no more than their own time: as long as no code changes the parameters, the read is the
 * statement that answers the request without code, and its result is parsed when code looks at it.
 *
 * This is done only where it makes no difference. The documents of code contain private attributes, and its parameters are
 * not those of the request: the statement must be the one by which code would read them, values included. Whether it is,
 * is compared once for all requests that differ in the operands of conditions alone.
 */
import type { Viewer } from '../../access/view.ts';
import type { JsonBody, ListText, OneText } from '../../content/reading/answers.ts';
import { signText } from '../../content/reading/file-urls.ts';
import { ContentError } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import { pageMeta, parsePage } from '../../query/page.ts';
import { parseParams, type RawObject } from '../../query/params.ts';
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

/** The number of request shapes for which preparability is cached. */
const SHAPES = 1000;
/** Requests of a longer shape are read in the ordinary way. */
const SHAPE_LENGTH = 1024;

type ReadAction = 'findMany' | 'findOne';

/** Reads of one shape. */
interface Shape {
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

  constructor(context: PreparedReadsContext) {
    this.#context = context;
  }

  /** A page of documents, as the core service of the type gives it; undefined where it cannot be read so. */
  async list(type: ContentType, ctx: Context): Promise<{ results: unknown; pagination: object } | undefined> {
    const request = await this.#requestOf('findMany', type, ctx);
    if (!request || !(await this.#shapeOf(request))) return undefined;
    const { narrowing, reader, config } = this.#context.runtime;
    const { viewer, querystring } = request;
    const page = parsePage(request.params, config.rest);
    const params = new CodeParams(() => this.#codeParams(request));
    let text: ListText<JsonBody> | undefined;
    return narrowing.run(viewer, async () => {
      const results = await this.#run(request, params, async () => {
        text = await reader.queryList(type, viewer, querystring);
        const { data, total } = text;
        const length = total === undefined ? undefined : lengthOfPage(page, total);
        return unreadList(data, () => this.#parsed(type, data, params.pristine) as unknown[], length);
      });
      if (!page.withCount) return { results, pagination: JSON.parse(pageMeta(page, undefined)) as object };
      const counted = text?.total;
      const total = await (counted === undefined
        ? this.#context.documents.run(type, 'count', params.take())
        : this.#run({ ...request, action: 'count' }, params, async () => counted));
      return { results, pagination: JSON.parse(pageMeta(page, total as number)) as object };
    });
  }

  /** A document by its id; null if there is none, undefined if it cannot be read this way. */
  async one(type: ContentType, ctx: Context, documentId: string): Promise<unknown> {
    const request = await this.#requestOf('findOne', type, ctx);
    const shape = request && (await this.#shapeOf(request));
    if (!shape) return undefined;
    const { narrowing, reader } = this.#context.runtime;
    const { viewer, querystring } = request;
    const params = new CodeParams(() => ({ ...this.#codeParams(request), documentId }));
    return narrowing.run(viewer, () =>
      this.#run(request, params, async () => {
        const text = await reader.queryOne(type, viewer, querystring, { kind: 'document', documentId });
        return text ? this.#document(type, text, shape, params) : null;
      }),
    );
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
    if (!isOrdinary || this.#context.contentApi.added.has(ctx.state['route'])) return undefined;
    const viewer = await verifiedViewer(this.#context.runtime, ctx);
    const { querystring } = request;
    return { action, type, viewer, querystring, params: parseParams(querystring) };
  }

  /** The prepared reads of a request's shape; undefined if they cannot be prepared. */
  async #shapeOf(request: ReadRequest): Promise<Shape | undefined> {
    const { action, type, viewer, params } = request;
    const text = JSON.stringify(withoutOperands(params));
    if (text.length > SHAPE_LENGTH) return undefined;
    const hasListeners = this.#context.documents.listens(type.uid, action === 'findOne' ? 'FindOne' : 'FindMany');
    const key = `${action} ${hasListeners} ${type.uid} ${viewer.view.key} ${text}`;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = (await this.#isAlike(request)) ? {} : null;
      this.#shapes.set(key, shape);
    }
    return shape ?? undefined;
  }

  /** The parameters with which code reads documents. @throws ContentError 400 for a request that is refused. */
  #codeParams({ action, type, viewer: { view }, params }: ReadRequest): Params {
    const { contentApi, runtime } = this.#context;
    const strict = runtime.config.rest.strictParams;
    const query = ordinary(params) as Params;
    contentApi.validateQuery(query, type, view, { strict });
    const fetched = fetchParams(contentApi.sanitizeQuery(query, type, view, { strict }));
    return action === 'findOne' ? fetched : pagedRead(fetched, runtime.config.rest).paged;
  }

  /** Whether the statement of a request is the one by which code reads. */
  async #isAlike(request: ReadRequest): Promise<boolean> {
    const { runtime, documents, named } = this.#context;
    const { catalog, config, narrowing, reader } = runtime;
    const { action, type, viewer, querystring, params } = request;
    try {
      const page = action === 'findMany' ? parsePage(params, config.rest) : undefined;
      if (page?.mode === 'cursor') return false;
      const own = documents.readParams(type, action, this.#codeParams(request));
      if (named.areNamed(own['filters'], type) || hasFilters(own['populate'])) return false;
      const requested = rawParams(withoutLocale(catalog, type, page ? pagedParams(own) : own));
      const { status = 'draft', start: _start, limit: _limit, page: _page, pageSize: _size, ...rest } = requested;
      const code = narrowing.run(viewer, () => narrowing.viewer);
      return await reader.readsAlike(type, viewer, querystring, { viewer: code, params: { ...rest, status }, page });
    } catch (error) {
      // the ordinary way refuses the request for the same reason
      if (error instanceof ContentError && error.status === 400) return false;
      throw error;
    }
  }
}

/** A request of which a read is prepared. */
interface ReadRequest {
  readonly action: ReadAction | 'count';
  readonly type: ContentType;
  readonly viewer: Viewer;
  readonly querystring: string;
  readonly params: RawObject;
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

/** Whether populated relations have conditions, whose ids may be mapped to others. */
function hasFilters(populate: unknown): boolean {
  if (typeof populate !== 'object' || populate === null) return false;
  return Object.entries(populate).some(([name, value]) => name === 'filters' || hasFilters(value));
}
