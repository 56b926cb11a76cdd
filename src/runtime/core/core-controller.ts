/**
 * Core controllers, which `createCoreController` extends and calls as `super`. If the project has neither its own
 * service nor code around documents, an action is one statement with the caller's View; otherwise it calls the service
 * and the documents, as in the reference.
 */
import type { View } from '../../access/view.ts';
import {
  documentEnvelope,
  enclose,
  type JsonBody,
  type ListText,
  listEnvelope,
  type OneText,
} from '../../content/reading/answers.ts';
import { signMarked, signText } from '../../content/reading/file-urls.ts';
import { parseBody } from '../../query/body.ts';
import { pageMeta } from '../../query/page.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import { lengthOfPage, unreadJson, unreadList } from '../documents/unread-results.ts';
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

/** The answer of an action: as the value that code gets, and as JSON text as long as no code has looked at the value. */
interface ActionAnswer {
  readonly json?: (() => JsonBody) | undefined;
  readonly value: () => unknown;
}
type Answering = (this: This, ctx: Context) => Promise<ActionAnswer>;

const ANSWERING = Symbol('answering');

/** An action whose answer may be sent as text. */
function readAction(answering: Answering) {
  const action = async function (this: This, ctx: Context): Promise<unknown> {
    return (await answering.call(this, ctx)).value();
  };
  return Object.defineProperty(action, ANSWERING, { value: answering });
}

/** The function by which an action of a core controller answers without its value being made; undefined for other actions. */
export function answeringOf(
  action: unknown,
): ((ctx: Context, controller: object) => Promise<ActionAnswer>) | undefined {
  const answering = (action as { [ANSWERING]?: Answering })[ANSWERING];
  return answering && ((ctx, controller) => answering.call(controller as This, ctx));
}

const valueAnswer = (value: unknown): ActionAnswer => ({ value: () => value });

/** A list as an answer. */
function listAnswer({ runtime: { fileUrls } }: CoreControllerContext, list: ListText<JsonBody>): ActionAnswer {
  const { data, page, total, next } = list;
  const length = total === undefined || next !== undefined ? undefined : lengthOfPage(page, total);
  return {
    json: () => signMarked(fileUrls, listEnvelope(list)),
    value: () => ({
      data: unreadList(data, () => JSON.parse(signText(fileUrls, String(data))) as unknown[], length),
      meta: { pagination: JSON.parse(pageMeta(page, total, next)) as object },
    }),
  };
}

/** A response as JSON text. */
const envelope = (data: JsonBody, meta: object): JsonBody =>
  enclose('{"data":', data, `,"meta":${JSON.stringify(meta)}}`);

/** A response with one document as an answer. */
function textAnswer(context: CoreControllerContext, json: JsonBody): ActionAnswer {
  return { json: () => signMarked(context.runtime.fileUrls, json), value: () => parsed(context, json) };
}

/** A document as an answer. */
const documentAnswer = (context: CoreControllerContext, found: OneText<JsonBody> | undefined): ActionAnswer =>
  found === undefined ? valueAnswer(undefined) : textAnswer(context, documentEnvelope(found));

/** @param mayPrepare whether only document middlewares and lifecycles can run around a read. */
function collection(context: CoreControllerContext, isPlain: IsPlain, mayPrepare: (self: object) => boolean) {
  const { actions, reads, type, service } = context;
  const idOf = (ctx: Context): string => ctx.params['id'] ?? ctx.params['documentId'] ?? '';
  const { fileUrls } = context.runtime;
  const methods = {
    find: readAction(async function (this: This, ctx) {
      if (isPlain(this, 'find')) return listAnswer(context, await actions.list(type, ctx));
      await actions.refusePreview(ctx);
      const shown = async (results: unknown, pagination: object): Promise<ActionAnswer> =>
        valueAnswer(this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination }));
      const prepared = mayPrepare(this) ? await reads.list(type, ctx) : undefined;
      if (prepared) {
        const { results, pagination } = prepared;
        const text = unreadJson(results);
        if (text === undefined) return shown(results, pagination);
        const data = prepared.shown(text);
        const parse = () => parsed(context, data) as unknown[];
        return {
          json: () => signMarked(fileUrls, envelope(data, { pagination })),
          value: () => ({ data: unreadList(data, parse, (results as unknown[]).length), meta: { pagination } }),
        };
      }
      await this.validateQuery(ctx);
      const { results, pagination } = (await service()['find']!(await this.sanitizeQuery(ctx))) as Params;
      return shown(results, pagination);
    }),
    findOne: readAction(async function (this: This, ctx) {
      if (isPlain(this, 'findOne')) return documentAnswer(context, await actions.one(type, ctx, idOf(ctx)));
      await actions.refusePreview(ctx);
      const shown = async (entity: unknown): Promise<ActionAnswer> =>
        valueAnswer(this.transformResponse(await this.sanitizeOutput(entity, ctx)));
      const prepared = mayPrepare(this) ? await reads.one(type, ctx, idOf(ctx)) : undefined;
      if (prepared) {
        const text = unreadJson(prepared.results);
        return text === undefined ? shown(prepared.results) : textAnswer(context, envelope(prepared.shown(text), {}));
      }
      await this.validateQuery(ctx);
      return shown(await service()['findOne']!(idOf(ctx), await this.sanitizeQuery(ctx)));
    }),
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
  return methods;
}

function single(context: CoreControllerContext, isPlain: IsPlain) {
  const { actions, type, service } = context;
  return {
    find: readAction(async function (this: This, ctx) {
      if (isPlain(this, 'find')) return documentAnswer(context, await actions.one(type, ctx, undefined));
      await actions.refusePreview(ctx);
      await this.validateQuery(ctx);
      const entity = await service()['find']!(await this.sanitizeQuery(ctx));
      return valueAnswer(this.transformResponse(await this.sanitizeOutput(entity, ctx)));
    }),
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
