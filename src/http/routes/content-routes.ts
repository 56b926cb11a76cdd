/** The generated endpoints of the project's content types (docs/reference/http.md, "Paths and methods"). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import type { Viewer } from '../../access/view.ts';
import { listEnvelope } from '../../content/reading/answers.ts';
import { coreRoute } from '../../extend/actions.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { CacheControl } from '../protocol/cache-control.ts';
import { preconditionOf, sendDocument, taggedDocument, taggedList } from '../protocol/entity-tag.ts';
import { inWantedFormat } from '../protocol/v4-format.ts';
import { withPopulate } from './code/own-populate.ts';
import { policed } from './code/policed.ts';
import type { HttpContext } from './context.ts';
import { type Call, type ContentRead, type Guarded, guarded, type Handler, pathParam, type Route } from './routes.ts';
import { StrictParams } from './strict-params.ts';
import { deletedLocales, writeRequest } from './write-params.ts';

/** Handlers of a type's core actions, by name. */
type CoreHandlers = Readonly<Record<string, Handler | Guarded | ContentRead>>;

/** What handlers of a type are made of. */
interface Made {
  readonly context: HttpContext;
  readonly type: ContentType;
  readonly cache: CacheControl;
  readonly params: StrictParams;
}

/** Routes of every type of the project: those that its routers make, where it has any. */
export function contentRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const params = new StrictParams(context);
  const cache = new CacheControl(context.config.http.cacheControl, types, () => context.callers.asksCode);
  return types.flatMap((type) => {
    const handlers =
      type.kind === 'singleType'
        ? singleTypeHandlers({ context, type, cache, params })
        : collectionHandlers({ context, type, cache, params });
    const made = context.code.routes.get(type.uid) ?? [{ prefix: '', names: Object.keys(handlers) }];
    const paths = new Map<string, Record<string, Handler | Guarded | ContentRead>>();
    for (const { prefix, names } of made) {
      for (const name of names) {
        const { method, path } = coreRoute(type, name);
        const handler = policed(context, `${type.uid}.${name}`, handlers[name]!);
        paths.set(prefix + path, { ...paths.get(prefix + path), [method]: handler });
      }
    }
    return [...paths].map(([path, methods]) => ({ path, methods }));
  });
}

function collectionHandlers({ context, type, cache, params }: Made): CoreHandlers {
  const { catalog, reader, writer, config } = context;
  const setHeaders = (request: FastifyRequest, reply: FastifyReply): void => cache.set(type, request, reply);
  const list = async ({ request, reply, viewer }: Call) => {
    const found = await reader.list(
      type,
      viewer,
      withPopulate(context, type, viewer.view, params.query(request, type, 'find'), 'list'),
    );
    setHeaders(request, reply);
    const body = listEnvelope(inWantedFormat(catalog, type, request, found));
    return { ...taggedList(reply, body), origin: found.origin };
  };
  const create: Handler = async ({ request, reply, viewer }) => {
    const document = await writer.create(await writeRequest(context, type, viewer, request, [params, 'create']));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document), config.rest.createdStatus);
  };
  const one = async ({ request, reply, viewer }: Call) => {
    const single = { kind: 'document', documentId: pathParam(request, 'documentId') } as const;
    const asked = withPopulate(context, type, viewer.view, params.query(request, type, 'findOne'), 'one');
    const found = await reader.one(type, viewer, asked, single);
    if (found) setHeaders(request, reply);
    return { ...taggedDocument(reply, inWantedFormat(catalog, type, request, found)), origin: found?.origin };
  };
  const update: Handler = async ({ request, reply, viewer }) => {
    const write = await writeRequest(context, type, viewer, request, [params, 'update']);
    const document = await writer.update(write, pathParam(request, 'documentId'));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
  const remove: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    const locales = await localesOfDelete(context, type, viewer, params.params(request, type, 'delete'));
    const documentId = pathParam(request, 'documentId');
    await writer.delete({ type, viewer, documentId, locales, precondition: preconditionOf(request) });
    return reply.code(204).send();
  };
  return {
    find: { type, action: `${type.uid}.find`, read: list, setHeaders },
    findOne: { type, action: `${type.uid}.findOne`, read: one, setHeaders },
    create: guarded(`${type.uid}.create`, create),
    update: guarded(`${type.uid}.update`, update),
    delete: remove,
  };
}

function singleTypeHandlers({ context, type, cache, params }: Made): CoreHandlers {
  const { catalog, reader, writer } = context;
  const setHeaders = (request: FastifyRequest, reply: FastifyReply): void => cache.set(type, request, reply);
  const read = async ({ request, reply, viewer }: Call) => {
    const asked = withPopulate(context, type, viewer.view, params.query(request, type, 'find'), 'one');
    const found = await reader.one(type, viewer, asked, { kind: 'single' });
    if (found) setHeaders(request, reply);
    return { ...taggedDocument(reply, inWantedFormat(catalog, type, request, found)), origin: found?.origin };
  };
  const find = { type, action: `${type.uid}.find`, read, setHeaders };
  const update: Handler = async ({ request, reply, viewer }) => {
    const document = await writer.updateSingle(await writeRequest(context, type, viewer, request, [params, 'update']));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
  const remove: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, `${type.uid}.delete`);
    const locales = await localesOfDelete(context, type, viewer, params.params(request, type, 'delete'));
    await writer.deleteSingle({ type, viewer, locales, precondition: preconditionOf(request) });
    return reply.code(204).send();
  };
  return { find, update: guarded(`${type.uid}.update`, update), delete: remove };
}

/** The locales that a DELETE names, once the rest of its query is checked. */
function localesOfDelete(context: HttpContext, type: ContentType, viewer: Viewer, params: RawObject) {
  context.reader.check(type, viewer, params);
  return deletedLocales(context, type, { locale: params['locale'], status: params['status'] });
}
