/**
 * Recorded versions of documents (docs/reference/history.md): `GET /:plural/:documentId/versions`, `…/versions/:id` and
 * `POST …/versions/:id/actions/restore`, and the same of single types.
 */
import { type OwnRouteName, ownRoutesOf } from '../../access/actions.ts';
import type { Viewer } from '../../access/view.ts';
import { listEnvelope } from '../../content/reading/answers.ts';
import { attributesIn, type RestoringContext, restoredData, shownContent } from '../../history/restoring.ts';
import { sharedValues } from '../../history/shared-values.ts';
import { shownDocument } from '../../history/shown-document.ts';
import type { VersionAddress } from '../../history/version.ts';
import { listVersions, readVersion } from '../../history/versions.ts';
import { type PageLimits, parsePage } from '../../query/page.ts';
import { parseLocale } from '../../query/parse.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { preconditionOf, sendDocument } from '../protocol/entity-tag.ts';
import { sendJson } from '../protocol/reply.ts';
import { answerLimit, inWantedFormat } from '../protocol/v4-format.ts';
import { policed, requireOpen } from './code/policed.ts';
import type { HttpContext } from './context.ts';
import { type Call, guarded, type Handler, paramsOf, pathParam, permitted, type Route } from './routes.ts';
import { writeOf } from './write-params.ts';

type VersionRoute = Extract<OwnRouteName, 'findVersions' | 'findVersion' | 'restoreVersion'>;

const PAGES: PageLimits = { defaultLimit: 25, maxLimit: 100, withCount: true };

/** Routes of the recorded versions of every type, without those that project code replaces. */
export function versionRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const taken = context.running?.ownNames;
  return types.flatMap((type) => {
    const handlers: Readonly<Record<VersionRoute, Handler>> = {
      findVersions: list(context, type),
      findVersion: read(context, type),
      restoreVersion: restore(context, type),
    };
    return ownRoutesOf(type).flatMap(({ name, action, path }): Route[] => {
      if (!(name in handlers) || taken?.has(action)) return [];
      const handler: Handler = async (call) => {
        requireOpen(context, action);
        return handlers[name as VersionRoute](call);
      };
      if (name === 'restoreVersion') {
        return [{ path, methods: { POST: policed(context, action, guarded(action, handler)) } }];
      }
      const open = policed(context, action, permitted(action, handler)) as Handler;
      return [{ path, methods: { GET: open } }];
    });
  });
}

function list(context: HttpContext, type: ContentType): Handler {
  return async ({ request, reply, viewer }) => {
    const params = paramsOf(request);
    const address = await documentOf(context, type, { request, viewer });
    const page = parsePage(params, PAGES);
    const locale = type.localized ? parseLocale(params['locale']) : undefined;
    const { limit, offset } = page;
    const { versions, total } = await listVersions(context, address, locale, { limit, offset });
    return sendJson(reply, listEnvelope({ data: JSON.stringify(versions), page, total, next: undefined }));
  };
}

function read(context: HttpContext, type: ContentType): Handler {
  return async ({ request, reply, viewer }) => {
    const address = await documentOf(context, type, { request, viewer });
    const found = await readVersion(context, address, pathParam(request, 'id'));
    const shown = shownContent(viewer.view, type, found.content);
    const shared = await sharedValues(sharing(context), type, address.documentId, found.version.locale);
    const { losses, content } = await restoredData(restoring(context, viewer), viewer.view, type, shown, { shared });
    return sendJson(reply, JSON.stringify({ data: { ...found.version, content, losses }, meta: {} }));
  };
}

function restore(context: HttpContext, type: ContentType): Handler {
  const { catalog, writer } = context;
  return async ({ request, reply, viewer }) => {
    const params = paramsOf(request);
    context.reader.check(type, viewer, params);
    const address = await documentOf(context, type, { request, viewer });
    const only = attributesIn(request.body, type);
    const { version, content } = await readVersion(context, address, pathParam(request, 'id'));
    const shown = shownContent(viewer.view, type, content);
    const shared = await sharedValues(sharing(context), type, address.documentId, version.locale);
    const { data } = await restoredData(restoring(context, viewer), viewer.view, type, shown, { only, shared });
    const { fields, populate } = params;
    const raw = { locale: version.locale, status: 'draft', data: () => data, shape: { fields, populate } };
    const write = await writeOf(context, type, viewer, raw);
    const document = await writer.update(
      { ...write, ...answerLimit(request), precondition: preconditionOf(request), isRestoring: true },
      address.documentId,
    );
    return sendDocument(reply, inWantedFormat(catalog, type, request, document));
  };
}

const restoring = ({ database, layout, reader }: HttpContext, viewer: Viewer): RestoringContext => ({
  ...{ db: database, layout, shown: reader.shown(database, viewer) },
});

const sharing = ({ database, layout, writer, views }: HttpContext) => ({
  ...{ db: database, layout, writer },
  whole: views.code.view,
});

/** The document of a request. @throws ContentError 404 if the viewer is shown no version of it. */
function documentOf(
  context: HttpContext,
  type: ContentType,
  { request, viewer }: Pick<Call, 'request' | 'viewer'>,
): Promise<VersionAddress> {
  const named = type.kind === 'singleType' ? undefined : pathParam(request, 'documentId');
  return shownDocument(context, type, viewer, named);
}
