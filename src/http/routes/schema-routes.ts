/** `/content-type-builder`: the project's schemas, for tools that generate types or queries. */
import { SCHEMAS } from '../../access/actions.ts';
import { notFound, validation } from '../../errors.ts';
import { inOrder, isVisible, publicComponent, publicContentType } from '../../schema/public-schema.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { builtInRoutes, type Call, type Handler, paramsOf, pathParam, type Route } from './routes.ts';

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
