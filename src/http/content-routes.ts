/** The generated endpoints of the project's content types (specification, "Endpoints"). */
import { requireAction } from '../access/authorize.ts';
import { documentEnvelope, listEnvelope, type Single } from '../content/reader.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { HttpContext } from './context.ts';
import { sendJson } from './reply.ts';
import { type Handler, paramsOf, pathParam, type Route } from './routes.ts';

/** Routes of every type of the project. */
export function contentRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  return types.flatMap((type) =>
    type.kind === 'singleType' ? singleTypeRoutes(context, type) : collectionRoutes(context, type),
  );
}

function collectionRoutes(context: HttpContext, type: ContentType): Route[] {
  const { reader, writer, config } = context;
  const list: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.find`);
    return sendJson(reply, listEnvelope(await reader.list(type, caller.grants, paramsOf(request))));
  };
  const create: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.create`);
    const data = await writer.create(type, caller.grants, paramsOf(request), request.body);
    return sendJson(reply, documentEnvelope(data), config.rest.createdStatus);
  };
  const one =
    (single: (request: Parameters<typeof pathParam>[0]) => string): Handler =>
    async ({ request, reply, caller }) => {
      requireAction(caller.grants, `${type.uid}.findOne`);
      const wanted: Single = { kind: 'document', documentId: single(request) };
      return sendJson(reply, documentEnvelope(await reader.one(type, caller.grants, paramsOf(request), wanted)));
    };
  const update: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.update`);
    const documentId = pathParam(request, 'documentId');
    const data = await writer.update(type, caller.grants, paramsOf(request), documentId, request.body);
    return sendJson(reply, documentEnvelope(data));
  };
  const remove: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    await writer.delete(type, caller.grants, paramsOf(request), pathParam(request, 'documentId'));
    return reply.code(204).send();
  };
  return [
    { path: `/${type.pluralName}`, methods: { GET: list, POST: create } },
    {
      path: `/${type.pluralName}/:documentId`,
      methods: { GET: one((request) => pathParam(request, 'documentId')), PUT: update, DELETE: remove },
    },
  ];
}

function singleTypeRoutes({ reader, writer }: HttpContext, type: ContentType): Route[] {
  const find: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.find`);
    return sendJson(
      reply,
      documentEnvelope(await reader.one(type, caller.grants, paramsOf(request), { kind: 'single' })),
    );
  };
  const update: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.update`);
    return sendJson(
      reply,
      documentEnvelope(await writer.updateSingle(type, caller.grants, paramsOf(request), request.body)),
    );
  };
  const remove: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    await writer.deleteSingle(type, caller.grants, paramsOf(request));
    return reply.code(204).send();
  };
  return [{ path: `/${type.singularName}`, methods: { GET: find, PUT: update, DELETE: remove } }];
}
