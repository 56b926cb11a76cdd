/**
 * Core controllers: what `createCoreController` adds to, and `super` means in one. Where neither the service nor what is
 * before documents is the project's own, an action is one statement with the caller's View; otherwise it goes through
 * the service and the documents, as in the reference.
 */
import type { View, Viewer } from '../../../access/view.ts';
import { documentEnvelope, type JsonBody, listEnvelope } from '../../../content/reading/answers.ts';

import { signText } from '../../../content/reading/file-urls.ts';
import { parseBody } from '../../../query/body.ts';

import type { ContentType } from '../../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { AskedParams } from '../requests/added-params.ts';
import { type Context, callingOf } from '../requests/context.ts';
import type { CodeRooms } from '../rooms.ts';
import type { Schema } from '../schemas/schemas.ts';
import type { ContentApi } from './content-api.ts';
import type { CoreActions } from './core-actions.ts';

export interface CoreControllerContext {
  readonly type: ContentType;
  readonly schema: Schema;
  readonly rooms: Pick<CodeRooms, 'config' | 'views' | 'formatV4' | 'catalog' | 'fileUrls'>;
  readonly contentApi: ContentApi;
  readonly actions: CoreActions;
  /** The service of the type. */
  readonly service: () => Record<string, (...args: unknown[]) => Promise<unknown>>;
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
  const isPlain = (self: object, action: string): boolean =>
    !context.isTouched(action) &&
    OWN.every(
      (name) => (self as Record<string, unknown>)[name] === (shared as unknown as Record<string, unknown>)[name],
    );
  const own = context.type.kind === 'singleType' ? single(context, isPlain) : collection(context, isPlain);
  return Object.assign(Object.create(shared), own);
}

/** The caller of a request, as reads and writes know it. Where a route asks for nobody, what is private stays so. */
export function viewerOf({ rooms }: { readonly rooms: Pick<CodeRooms, 'views'> }, ctx: Context): Viewer {
  return callingOf(ctx)?.viewer ?? rooms.views.unasked;
}

function sharedMethods(context: CoreControllerContext) {
  const { type, contentApi, rooms, current } = context;
  const viewOf = (ctx: Context): View => viewerOf(context, ctx).view;
  const strict = rooms.config.rest.strictParams;
  const asked = (ctx: Context): AskedParams => ({ strict, route: ctx.state['route'] });
  return {
    transformResponse(data: unknown, meta: object = {}) {
      if (data === null || data === undefined) return data;
      const isV4 = current()?.request.get('strapi-response-format') === 'v4';
      return { data: isV4 ? rooms.formatV4(rooms.catalog, type, data) : data, meta };
    },
    async sanitizeOutput(data: unknown, ctx: Context) {
      return contentApi.sanitizeOutput(data, type, viewOf(ctx));
    },
    async sanitizeInput(data: unknown, ctx: Context) {
      return contentApi.sanitizeInput(data, type, viewOf(ctx), asked(ctx));
    },
    async sanitizeQuery(ctx: Context) {
      return contentApi.sanitizeQuery(ctx.request.query, type, viewOf(ctx), asked(ctx));
    },
    async validateQuery(ctx: Context) {
      contentApi.validateQuery(ctx.request.query, type, viewOf(ctx), asked(ctx));
    },
    async validateInput(data: unknown, ctx: Context) {
      contentApi.validateInput(data, type, viewOf(ctx), asked(ctx));
    },
  };
}

type IsPlain = (self: object, action: string) => boolean;

/** A JSON text that the database has made, as a value. */
const parsed = ({ rooms: { fileUrls } }: CoreControllerContext, body: JsonBody): unknown =>
  JSON.parse(signText(fileUrls, String(body)));

function collection(context: CoreControllerContext, isPlain: IsPlain) {
  const { actions, type, service } = context;
  const idOf = (ctx: Context): string => ctx.params['id'] ?? ctx.params['documentId'] ?? '';
  return {
    async find(this: This, ctx: Context) {
      if (isPlain(this, 'find')) return parsed(context, listEnvelope(await actions.list(type, ctx)));
      await this.validateQuery(ctx);
      const { results, pagination } = (await service()['find']!(await this.sanitizeQuery(ctx))) as Params;
      return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
    },
    async findOne(this: This, ctx: Context) {
      if (isPlain(this, 'findOne')) {
        const found = await actions.one(type, ctx, idOf(ctx));
        return found && parsed(context, documentEnvelope(found));
      }
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

function created({ rooms }: CoreControllerContext, ctx: Context, answer: unknown): unknown {
  ctx.response.status = rooms.config.rest.createdStatus;
  return answer;
}

async function checkedInput(self: This, ctx: Context): Promise<unknown> {
  await self.validateQuery(ctx);
  const data = parseBody(ctx.request.body);
  await self.validateInput(data, ctx);
  return self.sanitizeInput(data, ctx);
}
