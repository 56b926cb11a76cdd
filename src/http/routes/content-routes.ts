/** The generated endpoints of the project's content types (docs/reference/http.md, "Paths and methods"). */
import { coreRoute } from '../../access/actions.ts';
import { requireAction } from '../../access/authorize.ts';
import type { Viewer } from '../../access/view.ts';
import { chain } from '../../chain.ts';
import { type JsonBody, type ListText, listEnvelope } from '../../content/reading/answers.ts';
import type { Single } from '../../content/reading/reader.ts';
import { notFound, validation } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { CacheControl } from '../protocol/cache-control.ts';
import { documentAnswer, listAnswer, preconditionOf, sendDocument } from '../protocol/entity-tag.ts';
import { inWantedFormat } from '../protocol/v4-format.ts';
import { missingLocale, printable } from '../reads/missing-locale.ts';
import { withPopulate } from './code/own-populate.ts';
import { policed } from './code/policed.ts';
import type { HttpContext } from './context.ts';
import {
  type ContentRead,
  type Guarded,
  guarded,
  type Handler,
  pathParam,
  type ReadAnswer,
  type ReadTarget,
  type Route,
} from './routes.ts';
import { StrictParams } from './strict-params.ts';
import { deletedLocales, writeRequest } from './write-params.ts';

/** Handlers of a type's core actions, by name. */
type CoreHandlers = Readonly<Record<string, Handler | Guarded | ContentRead>>;

/** The context of a type's handlers. */
interface TypeContext {
  readonly context: HttpContext;
  readonly type: ContentType;
  readonly cache: CacheControl;
  readonly params: StrictParams;
}

/** Routes of every type of the project, as its routers define them. */
export function contentRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const params = new StrictParams(context);
  const cache = new CacheControl(context.config.http.cacheControl, types, () => context.callers.asksCode);
  return types.flatMap((type) => {
    const handlers =
      type.kind === 'singleType'
        ? singleTypeHandlers({ context, type, cache, params })
        : collectionHandlers({ context, type, cache, params });
    const routers = context.code.routes.get(type.uid) ?? [{ prefix: '', names: Object.keys(handlers) }];
    const paths = new Map<string, Record<string, Handler | Guarded | ContentRead>>();
    for (const { prefix, names } of routers) {
      for (const name of names) {
        const { method, path } = coreRoute(type, name);
        const handler = policed(context, `${type.uid}.${name}`, handlers[name]!);
        paths.set(prefix + path, { ...paths.get(prefix + path), [method]: handler });
      }
    }
    return [...paths].map(([path, methods]) => ({ path, methods }));
  });
}

function collectionHandlers(typeContext: TypeContext): CoreHandlers {
  const { context, type, cache, params } = typeContext;
  const { catalog, reader, writer, config } = context;
  const find: ContentRead = {
    type,
    action: `${type.uid}.find`,
    targetOf: (request) => ({ query: params.query(request, type, 'find') }),
    setHeaders: (request, reply) => cache.set(type, request, reply),
    respond: (target, viewer, request, account) => {
      const query = withPopulate(context, type, viewer.view, target.query, 'list');
      return chain(reader.queryList(type, viewer, query, account), (list) => {
        const body = listEnvelope(inWantedFormat(catalog, type, request, list));
        const answer: ReadAnswer = { ...listAnswer(context.fileUrls, body), origin: list.origin };
        if (!isEmpty(list)) return answer;
        return chain(missingLocale(context, type, target.query), (hint) => {
          if (hint === undefined) return answer;
          if (config.rest.strictParams)
            throw validation('Invalid locale parameter', { source: 'query', param: 'locale', hint });
          return { ...answer, ends: true, hint: printable(hint) };
        });
      });
    },
  };
  const create: Handler = async ({ request, reply, viewer }) => {
    const document = await writer.create(await writeRequest(context, type, viewer, request, [params, 'create']));
    return sendDocument(reply, inWantedFormat(catalog, type, request, document), config.rest.createdStatus);
  };
  const findOne = oneDocument(typeContext, 'findOne', (request) => ({
    query: params.query(request, type, 'findOne'),
    documentId: pathParam(request, 'documentId'),
  }));
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
    find,
    findOne,
    create: guarded(`${type.uid}.create`, create),
    update: guarded(`${type.uid}.update`, update),
    delete: remove,
  };
}

function singleTypeHandlers(typeContext: TypeContext): CoreHandlers {
  const { context, type, params } = typeContext;
  const { catalog, writer } = context;
  const find = oneDocument(typeContext, 'find', (request) => ({ query: params.query(request, type, 'find') }));
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

/** True for a list without documents: its text is `[]`. */
const isEmpty = ({ data }: ListText<JsonBody>): boolean => data.length === 2;

/** The read of one document, by its id or of a single type. */
function oneDocument(
  { context, type, cache }: TypeContext,
  name: string,
  targetOf: ContentRead['targetOf'],
): ContentRead {
  const { catalog, reader, fileUrls } = context;
  const singleOf = ({ documentId }: ReadTarget): Single =>
    documentId === undefined ? { kind: 'single' } : { kind: 'document', documentId };
  return {
    type,
    action: `${type.uid}.${name}`,
    targetOf,
    setHeaders: (request, reply) => cache.set(type, request, reply),
    respond: (target, viewer, request, account) => {
      const query = withPopulate(context, type, viewer.view, target.query, 'one');
      return chain(
        reader.queryOne(type, viewer, query, singleOf(target), account),
        (document): ReadAnswer | Promise<ReadAnswer> => {
          if (document) {
            const answer = documentAnswer(fileUrls, inWantedFormat(catalog, type, request, document));
            return { ...answer, origin: document.origin };
          }
          return chain(missingLocale(context, type, target.query), (hint) => {
            throw notFound(undefined, hint);
          });
        },
      );
    },
  };
}

/** The locales of a DELETE, after the rest of its query is checked. */
function localesOfDelete(context: HttpContext, type: ContentType, viewer: Viewer, params: RawObject) {
  context.reader.check(type, viewer, params);
  return deletedLocales(context, type, { locale: params['locale'], status: params['status'] });
}
