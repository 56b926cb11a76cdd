/** The generated endpoints of the project's content types (specification, "Endpoints"). */
import type { FastifyRequest } from 'fastify';
import { requireAction } from '../access/authorize.ts';
import { listEnvelope } from '../content/answers.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Caller } from '../users/callers.ts';
import { CacheControl } from './cache-control.ts';
import type { HttpContext } from './context.ts';
import { preconditionOf, sendDocument, sendList, sendRead } from './entity-tag.ts';
import { type Handler, paramsOf, pathParam, queryOf, type Route } from './routes.ts';
import { inWantedFormat } from './v4-format.ts';
import { deletedLocales, writeRequest } from './write-params.ts';

/** Routes of every type of the project. */
export function contentRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const cache = new CacheControl(context.config.http.cacheControl, types);
  return types.flatMap((type) =>
    type.kind === 'singleType' ? singleTypeRoutes(context, type, cache) : collectionRoutes(context, type, cache),
  );
}

function collectionRoutes(context: HttpContext, type: ContentType, cache: CacheControl): Route[] {
  const { catalog, reader, writer, config } = context;
  const list: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.find`);
    const found = await reader.listOf(type, caller.grants, queryOf(request));
    cache.set(type, request, reply);
    return sendList(request, reply, listEnvelope(inWantedFormat(catalog, type, request, found)));
  };
  const create: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.create`);
    const document = await writer.create(await writeRequest(context, type, caller, request));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document), config.rest.createdStatus);
  };
  const one: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.findOne`);
    const single = { kind: 'document', documentId: pathParam(request, 'documentId') } as const;
    const found = await reader.oneOf(type, caller.grants, queryOf(request), single);
    if (found) cache.set(type, request, reply);
    return sendRead(request, reply, inWantedFormat(catalog, type, request, found));
  };
  const update: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.update`);
    const write = await writeRequest(context, type, caller, request);
    const document = await writer.update(write, pathParam(request, 'documentId'));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
  const remove: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    const locales = await localesOfDelete(context, type, caller, request);
    await writer.delete(type, pathParam(request, 'documentId'), locales, preconditionOf(request));
    return reply.code(204).send();
  };
  return [
    { path: `/${type.pluralName}`, methods: { GET: list, POST: create } },
    { path: `/${type.pluralName}/:documentId`, methods: { GET: one, PUT: update, DELETE: remove } },
  ];
}

function singleTypeRoutes(context: HttpContext, type: ContentType, cache: CacheControl): Route[] {
  const { catalog, reader, writer } = context;
  const find: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.find`);
    const found = await reader.oneOf(type, caller.grants, queryOf(request), { kind: 'single' });
    if (found) cache.set(type, request, reply);
    return sendRead(request, reply, inWantedFormat(catalog, type, request, found));
  };
  const update: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.update`);
    const document = await writer.updateSingle(await writeRequest(context, type, caller, request));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
  const remove: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    await writer.deleteSingle(type, await localesOfDelete(context, type, caller, request), preconditionOf(request));
    return reply.code(204).send();
  };
  return [{ path: `/${type.singularName}`, methods: { GET: find, PUT: update, DELETE: remove } }];
}

/** The locales that a DELETE names, after a look at the rest of its query. */
function localesOfDelete(context: HttpContext, type: ContentType, { grants }: Caller, request: FastifyRequest) {
  const params = paramsOf(request);
  context.reader.check(type, grants, params);
  return deletedLocales(context, type, { locale: params['locale'], status: params['status'] });
}
