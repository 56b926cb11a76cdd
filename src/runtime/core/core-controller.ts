/**
 * Core controllers, which `createCoreController` extends and calls as `super`. If the project has neither its own
 * service nor code around documents, an action is one statement with the caller's View; otherwise it calls the service
 * and the documents, as in the reference.
 */
import type { View } from '../../access/view.ts';
import { documentEnvelope, type JsonBody, type ListText, listEnvelope } from '../../content/reading/answers.ts';
import { signMarked, signText } from '../../content/reading/file-urls.ts';
import { parseBody } from '../../query/body.ts';
import { pageMeta } from '../../query/page.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import { lengthOfPage, unreadDocument, unreadJson, unreadList } from '../documents/unread-results.ts';
import type { RequestedParams } from '../requests/added-params.ts';
import { type Context, queryOf } from '../requests/context.ts';
import { verifiedViewer } from '../requests/verified-viewer.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Schema } from '../schemas/schemas.ts';
import type { ContentApi } from './content-api.ts';
import type { CoreActions } from './core-actions.ts';
import type { PreparedReads } from './prepared-reads.ts';

export interface CoreControllerContext {
  readonly type: ContentType;
  readonly schema: Schema;
  readonly runtime: Pick<RuntimeContext, 'config' | 'views' | 'formatV4' | 'catalog' | 'fileUrls'>;
  readonly contentApi: ContentApi;
  readonly actions: CoreActions;
  readonly reads: PreparedReads;
  /** The service of the type. */
  readonly service: () => Record<string, (...args: unknown[]) => Promise<unknown>>;
  /** Whether code has changed a method of that service. */
  readonly hasOwnService: () => boolean;
  /** Whether code stands between an action of the controller and the documents. */
  readonly isTouched: (action: string) => boolean;
  /** The request that is being answered. */
  readonly current: () => Context | undefined;
}

/** The controller as its methods know it: code may have overridden any of them. */
interface This {
  validateQuery(ctx: Context): Promise<void>;
  sanitizeQuery(ctx: Context): Promise<Params>;
  validateInput(data: unknown, ctx: Context): Promise<void>;
  sanitizeInput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeOutput(data: unknown, ctx: Context): Promise<unknown>;
  transformResponse(data: unknown, meta?: object): unknown;
}
const OWN = ['validateQuery', 'sanitizeQuery', 'validateInput', 'sanitizeInput', 'sanitizeOutput', 'transformResponse'];

export function coreController(context: CoreControllerContext): object {
  const shared = sharedMethods(context);
  // code may change the prototypes of its controller
  const original: Readonly<Record<string, unknown>> = { ...shared };
  const hasOwnMethods = (self: object): boolean =>
    OWN.some((name) => (self as Record<string, unknown>)[name] !== original[name]);
  const isPlain = (self: object, action: string): boolean => !context.isTouched(action) && !hasOwnMethods(self);
  const mayPrepare = (self: object): boolean => !context.hasOwnService() && !hasOwnMethods(self);
  const own = context.type.kind === 'singleType' ? single(context, isPlain) : collection(context, isPlain, mayPrepare);
  return Object.assign(Object.create(shared), own);
}

function sharedMethods(context: CoreControllerContext) {
  const { type, contentApi, runtime, current } = context;
  const viewOf = async (ctx: Context): Promise<View> => (await verifiedViewer(runtime, ctx)).view;
  const strict = runtime.config.rest.strictParams;
  const requestedParams = (ctx: Context): RequestedParams => ({ strict, route: ctx.state['route'] });
  return {
    transformResponse(data: unknown, meta: object = {}) {
      if (data === null || data === undefined) return data;
      const isV4 = current()?.request.get('strapi-response-format') === 'v4';
      return { data: isV4 ? runtime.formatV4(runtime.catalog, type, data) : data, meta };
    },
    async sanitizeOutput(data: unknown, ctx: Context) {
      return contentApi.sanitizeOutput(data, type, await viewOf(ctx));
    },
    async sanitizeInput(data: unknown, ctx: Context) {
      return contentApi.sanitizeInput(data, type, await viewOf(ctx), requestedParams(ctx));
    },
    async sanitizeQuery(ctx: Context) {
      return contentApi.sanitizeQuery(queryOf(ctx), type, await viewOf(ctx), requestedParams(ctx));
    },
    async validateQuery(ctx: Context) {
      contentApi.validateQuery(queryOf(ctx), type, await viewOf(ctx), requestedParams(ctx));
    },
    async validateInput(data: unknown, ctx: Context) {
      contentApi.validateInput(data, type, await viewOf(ctx), requestedParams(ctx));
    },
  };
}

type IsPlain = (self: object, action: string) => boolean;

/** A JSON text that the database has made, as a value. */
const parsed = ({ runtime: { fileUrls } }: CoreControllerContext, body: JsonBody): unknown =>
  JSON.parse(signText(fileUrls, String(body)));

const DIRECTLY = Symbol('directly');

/** Answers a request with the JSON text of an action; undefined where the action has to be called. */
type Direct = (this: object, ctx: Context) => Promise<JsonBody | undefined>;

/**
 * The function that answers an action of a core controller without creating its value; undefined for other actions.
 */
export const directlyOf = (action: unknown): Direct | undefined => (action as { [DIRECTLY]?: Direct })[DIRECTLY];

/** A list as an answer, parsed when code looks at its documents. */
function listAnswer({ runtime: { fileUrls } }: CoreControllerContext, list: ListText<JsonBody>): object {
  const { data, page, total, next } = list;
  const length = total === undefined || next !== undefined ? undefined : lengthOfPage(page, total);
  const parse = () => JSON.parse(signText(fileUrls, String(data))) as unknown[];
  return {
    data: unreadList(data, parse, length),
    meta: { pagination: JSON.parse(pageMeta(page, total, next)) as object },
  };
}

/** @param mayPrepare whether only document middlewares and lifecycles can run around a read. */
function collection(context: CoreControllerContext, isPlain: IsPlain, mayPrepare: (self: object) => boolean) {
  const { actions, reads, type, service } = context;
  const idOf = (ctx: Context): string => ctx.params['id'] ?? ctx.params['documentId'] ?? '';
  const { fileUrls } = context.runtime;
  const methods = {
    async find(this: This, ctx: Context) {
      if (isPlain(this, 'find')) return listAnswer(context, await actions.list(type, ctx));
      const prepared = mayPrepare(this) ? await reads.list(type, ctx) : undefined;
      if (prepared) {
        const { results, pagination } = prepared;
        const json = unreadJson(results);
        if (json !== undefined) {
          const data = unreadList(json, () => parsed(context, json) as unknown[], (results as unknown[]).length);
          return { data, meta: { pagination } };
        }
        return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
      }
      await this.validateQuery(ctx);
      const { results, pagination } = (await service()['find']!(await this.sanitizeQuery(ctx))) as Params;
      return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
    },
    async findOne(this: This, ctx: Context) {
      if (isPlain(this, 'findOne')) {
        const found = await actions.one(type, ctx, idOf(ctx));
        return found && parsed(context, documentEnvelope(found));
      }
      const prepared = mayPrepare(this) ? await reads.one(type, ctx, idOf(ctx)) : undefined;
      const json = unreadJson(prepared);
      if (json !== undefined) {
        // the caller is not shown the locale that code gets of a type without locales
        const keys = Object.keys(prepared as object).filter((key) => key !== 'locale' || type.localized);
        return { data: unreadDocument(json, () => parsed(context, json) as object, keys), meta: {} };
      }
      if (prepared !== undefined) return this.transformResponse(await this.sanitizeOutput(prepared, ctx));
      await this.validateQuery(ctx);
      const entity = await service()['findOne']!(idOf(ctx), await this.sanitizeQuery(ctx));
      return this.transformResponse(await this.sanitizeOutput(entity, ctx));
    },
    async create(this: This, ctx: Context) {
      if (isPlain(this, 'create'))
        return created(context, ctx, parsed(context, documentEnvelope(await actions.create(type, ctx))));
      const data = await checkedInput(this, ctx);
      const entity = await service()['create']!({ ...(await this.sanitizeQuery(ctx)), data });
      return created(context, ctx, this.transformResponse(await this.sanitizeOutput(entity, ctx)));
    },
    async update(this: This, ctx: Context) {
      if (isPlain(this, 'update')) {
        const written = await actions.update(type, ctx, idOf(ctx));
        return written && parsed(context, documentEnvelope(written));
      }
      const data = await checkedInput(this, ctx);
      if (!(await actions.mayUpdate(type, ctx, idOf(ctx), data))) return undefined;
      const entity = await service()['update']!(idOf(ctx), { ...(await this.sanitizeQuery(ctx)), data });
      return this.transformResponse(await this.sanitizeOutput(entity, ctx));
    },
    async delete(this: This, ctx: Context) {
      if (isPlain(this, 'delete')) await actions.remove(type, ctx, idOf(ctx));
      else {
        await this.validateQuery(ctx);
        await actions.requireRemoval(type, ctx, idOf(ctx));
        await service()['delete']!(idOf(ctx), await this.sanitizeQuery(ctx));
      }
      ctx.response.status = 204;
    },
  };
  const findDirectly: Direct = async function (ctx) {
    return isPlain(this, 'find') ? signMarked(fileUrls, listEnvelope(await actions.list(type, ctx))) : undefined;
  };
  Object.defineProperty(methods.find, DIRECTLY, { value: findDirectly });
  return methods;
}

function single(context: CoreControllerContext, isPlain: IsPlain) {
  const { actions, type, service } = context;
  return {
    async find(this: This, ctx: Context) {
      if (isPlain(this, 'find')) {
        const found = await actions.one(type, ctx, undefined);
        return found && parsed(context, documentEnvelope(found));
      }
      await this.validateQuery(ctx);
      const entity = await service()['find']!(await this.sanitizeQuery(ctx));
      return this.transformResponse(await this.sanitizeOutput(entity, ctx));
    },
    async update(this: This, ctx: Context) {
      if (isPlain(this, 'update')) {
        const written = await actions.update(type, ctx, undefined);
        return written && parsed(context, documentEnvelope(written));
      }
      const data = await checkedInput(this, ctx);
      if (!(await actions.mayUpdate(type, ctx, undefined, data))) return undefined;
      const entity = await service()['createOrUpdate']!({ ...(await this.sanitizeQuery(ctx)), data });
      return this.transformResponse(await this.sanitizeOutput(entity, ctx));
    },
    async delete(this: This, ctx: Context) {
      if (isPlain(this, 'delete')) await actions.remove(type, ctx, undefined);
      else {
        await this.validateQuery(ctx);
        await actions.requireRemoval(type, ctx, undefined);
        await service()['delete']!(await this.sanitizeQuery(ctx));
      }
      ctx.response.status = 204;
    },
  };
}

function created({ runtime }: CoreControllerContext, ctx: Context, answer: unknown): unknown {
  ctx.response.status = runtime.config.rest.createdStatus;
  return answer;
}

async function checkedInput(self: This, ctx: Context): Promise<unknown> {
  await self.validateQuery(ctx);
  const data = parseBody(ctx.request.body);
  await self.validateInput(data, ctx);
  return self.sanitizeInput(data, ctx);
}
