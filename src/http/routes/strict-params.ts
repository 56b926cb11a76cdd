/** Checks parameters of requests for content, for projects that allow only known ones (`rest.strictParams`). */
import type { FastifyRequest } from 'fastify';
import { coreRoute } from '../../access/actions.ts';
import { refuseIgnored, refuseUnknown, refuseUnknownPaging } from '../../access/known-params.ts';
import { LruCache } from '../../lru-cache.ts';
import { isRawObject, parseParams, type RawObject } from '../../query/params.ts';
import type { ParamsRoute } from '../../runtime/requests/added-params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { HttpContext } from './context.ts';
import { queryOf } from './routes.ts';

/** Cached query strings without unknown parameters: parsing each request would take as long as reading. */
const KEPT = 1000;
/** Characters of the longest cached query string. */
const LONGEST = 1000;

type StrictParamsContext = Pick<HttpContext, 'config' | 'running'>;

export class StrictParams {
  readonly #context: StrictParamsContext;
  readonly #known = new LruCache<string, true>(KEPT);

  constructor(context: StrictParamsContext) {
    this.#context = context;
  }

  /**
   * The query string of a request for a core action.
   *
   * @throws ContentError 400 for an unknown parameter.
   */
  query(request: FastifyRequest, type: ContentType, name: string): string {
    const query = queryOf(request);
    const key = `${type.uid}.${name} ${query}`;
    if (query === '' || !this.#context.config.rest.strictParams || this.#known.get(key)) return query;
    this.#check(parseParams(query), type, name);
    if (query.length <= LONGEST) this.#known.set(key, true);
    return query;
  }

  /** The checked parameters of a request for a core action. */
  params(request: FastifyRequest, type: ContentType, name: string): RawObject {
    const params = parseParams(queryOf(request));
    if (this.#context.config.rest.strictParams) this.#check(params, type, name);
    return params;
  }

  /**
   * Data without the keys that project code has added to a type's input.
   *
   * @throws ContentError 400 for a value that project code refuses.
   */
  input<Data extends object>(data: Data, type: ContentType, name: string): Data {
    const { running } = this.#context;
    return running ? running.contentApi.ownInput(data, type, { route: routeOf(type, name) }) : data;
  }

  #check(params: RawObject, type: ContentType, name: string): void {
    const { running } = this.#context;
    // lists refuse `page` and `pageSize` themselves, with Strapi's message
    const { page, pageSize, ...others } = params;
    refuseIgnored(name === 'find' && type.kind === 'collectionType' ? others : params);
    if (isRawObject(params['pagination'])) refuseUnknownPaging(params['pagination']);
    if (running) running.contentApi.added.checkQuery(params, { strict: true, route: routeOf(type, name) });
    else refuseUnknown(params);
  }
}

/** The route of a core action for project code. */
function routeOf(type: ContentType, name: string): ParamsRoute {
  const { action, method, path } = coreRoute(type, name);
  const info = { apiName: type.uid.slice('api::'.length, type.uid.lastIndexOf('.')), type: 'content-api' };
  return { method, path: path.replace(':documentId', ':id'), handler: action, info };
}
