/** The generated endpoints of the project's content types (specification, "Endpoints"). */
import type { FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import type { Viewer } from '../../access/view.ts';
import { listEnvelope } from '../../content/reading/answers.ts';
import { coreRoute } from '../../extend/actions.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { CacheControl } from '../protocol/cache-control.ts';
import { preconditionOf, sendDocument, sendList, sendRead } from '../protocol/entity-tag.ts';
import type { HttpContext } from './context.ts';
import { type Guarded, guarded, type Handler, paramsOf, pathParam, queryOf, type Route } from './routes.ts';
import { inWantedFormat } from './v4-format.ts';
import { deletedLocales, writeRequest } from './write-params.ts';

/** Handlers of a type's core actions, by name. */
type CoreHandlers = Readonly<Record<string, Handler | Guarded>>;

/** Routes of every type of the project: those that its routers make, where it has any. */
export function contentRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const cache = new CacheControl(context.config.http.cacheControl, types);
  return types.flatMap((type) => {
    const handlers =
      type.kind === 'singleType' ? singleTypeHandlers(context, type, cache) : collectionHandlers(context, type, cache);
    const made = context.code.routes.get(type.uid) ?? [{ prefix: '', names: Object.keys(handlers) }];
    const paths = new Map<string, Record<string, Handler | Guarded>>();
    for (const { prefix, names } of made) {
      for (const name of names) {
        const { method, path } = coreRoute(type, name);
        paths.set(prefix + path, { ...paths.get(prefix + path), [method]: handlers[name]! });
      }
    }
    return [...paths].map(([path, methods]) => ({ path, methods }));
  });
}

function collectionHandlers(context: HttpContext, type: ContentType, cache: CacheControl): CoreHandlers {
  const { catalog, reader, writer, config } = context;
  const list: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.find`);
    const found = await reader.list(type, viewer, queryOf(request));
    cache.set(type, request, reply);
    return sendList(request, reply, listEnvelope(inWantedFormat(catalog, type, request, found)));
  };
  const create: Handler = async ({ request, reply, viewer }) => {
    const document = await writer.create(await writeRequest(context, type, viewer, request));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document), config.rest.createdStatus);
  };
  const one: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.findOne`);
    const single = { kind: 'document', documentId: pathParam(request, 'documentId') } as const;
    const found = await reader.one(type, viewer, queryOf(request), single);
    if (found) cache.set(type, request, reply);
    return sendRead(request, reply, inWantedFormat(catalog, type, request, found));
  };
  const update: Handler = async ({ request, reply, viewer }) => {
    const write = await writeRequest(context, type, viewer, request);
    const document = await writer.update(write, pathParam(request, 'documentId'));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
  const remove: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    const locales = await localesOfDelete(context, type, viewer, request);
    const documentId = pathParam(request, 'documentId');
    await writer.delete({ type, viewer, documentId, locales, precondition: preconditionOf(request) });
    return reply.code(204).send();
  };
  return {
    find: list,
    findOne: one,
    create: guarded(`${type.uid}.create`, create),
    update: guarded(`${type.uid}.update`, update),
    delete: remove,
  };
}

function singleTypeHandlers(context: HttpContext, type: ContentType, cache: CacheControl): CoreHandlers {
  const { catalog, reader, writer } = context;
  const find: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.find`);
    const found = await reader.one(type, viewer, queryOf(request), { kind: 'single' });
    if (found) cache.set(type, request, reply);
    return sendRead(request, reply, inWantedFormat(catalog, type, request, found));
  };
  const update: Handler = async ({ request, reply, viewer }) => {
    const document = await writer.updateSingle(await writeRequest(context, type, viewer, request));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
  const remove: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    const locales = await localesOfDelete(context, type, viewer, request);
    await writer.deleteSingle({ type, viewer, locales, precondition: preconditionOf(request) });
    return reply.code(204).send();
  };
  return { find, update: guarded(`${type.uid}.update`, update), delete: remove };
}

/** The locales that a DELETE names, once the rest of its query is checked. */
function localesOfDelete(context: HttpContext, type: ContentType, viewer: Viewer, request: FastifyRequest) {
  const params = paramsOf(request);
  context.reader.check(type, viewer, params);
  return deletedLocales(context, type, { locale: params['locale'], status: params['status'] });
}
