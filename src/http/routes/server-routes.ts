/** All routes of the server below the prefix of the API. Of two with one path the first answers. */
import { SCHEMAS } from '../../access/actions.ts';
import { notFound, validation } from '../../errors.ts';
import { inOrder, isVisible, publicComponent, publicContentType } from '../../schema/public-schema.ts';
import { sendJson } from '../protocol/reply.ts';
import { actionRoutes, batchRoutes } from './action-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { contentRoutes } from './content-routes.ts';
import type { HttpContext } from './context.ts';
import { eventRoutes } from './event-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { localeRoutes } from './locale-routes.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { builtInRoutes, type Call, type Handler, paramsOf, pathParam, type Route } from './routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { roleRoutes, userRoutes } from './user-routes.ts';
import { versionRoutes } from './version-routes.ts';

/** The routes of content types, of the built-in plugins, and Galley's own. */
export function serverRoutes(context: HttpContext): Route[] {
  return [
    ...contentRoutes(context),
    ...fileRoutes(context),
    ...localeRoutes(context),
    ...authRoutes(context),
    ...userRoutes(context),
    ...roleRoutes(context),
    ...schemaRoutes(context),
    ...actionRoutes(context),
    ...batchRoutes(context),
    ...scheduleRoutes(context),
    ...versionRoutes(context),
    ...eventRoutes(context),
    ...openApiRoutes(context),
  ];
}

const KINDS: readonly unknown[] = ['collectionType', 'singleType'];

export function schemaRoutes({ catalog }: Pick<HttpContext, 'catalog'>): Route[] {
  const sending =
    (dataOf: (call: Call) => unknown): Handler =>
    async (call) =>
      sendJson(call.reply, JSON.stringify({ data: dataOf(call) }));

  const contentTypes = sending(({ request }) => {
    const { kind } = paramsOf(request);
    if (kind !== undefined && !KINDS.includes(kind)) throw validation(`kind must be one of ${KINDS.join(', ')}`);
    const types = inOrder(catalog.contentTypes.values());
    return types.filter((type) => kind === undefined || type.kind === kind).map(publicContentType);
  });
  const contentType = sending(({ request }) => {
    const type = catalog.contentTypes.get(pathParam(request, 'uid'));
    if (!type || !isVisible(type)) throw notFound('contentType.notFound');
    return publicContentType(type);
  });
  const components = sending(() => [...catalog.components.values()].map(publicComponent));
  const component = sending(({ request }) => {
    const found = catalog.components.get(pathParam(request, 'uid'));
    if (!found) throw notFound('component.notFound');
    return publicComponent(found);
  });
  return [
    ...builtInRoutes(`${SCHEMAS}.content-types`, { getContentTypes: contentTypes, getContentType: contentType }),
    ...builtInRoutes(`${SCHEMAS}.components`, { getComponents: components, getComponent: component }),
  ];
}
