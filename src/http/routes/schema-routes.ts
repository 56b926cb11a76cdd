/** `/content-type-builder`: the project's schemas, for tools that make types or queries of them. */
import { requireAction } from '../../access/authorize.ts';
import { notFound, validation } from '../../errors.ts';
import { inOrder, isVisible, toldComponent, toldContentType } from '../../schema/told-schema.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { type Handler, paramsOf, pathParam, type Route } from './routes.ts';

const KINDS: readonly unknown[] = ['collectionType', 'singleType'];

export function schemaRoutes({ catalog }: Pick<HttpContext, 'catalog'>): Route[] {
  /** Answers `{data}` to a caller who may perform an action. */
  const telling =
    (action: string, told: (call: Parameters<Handler>[0]) => unknown): Handler =>
    async (call) => {
      requireAction(call.caller.grants, `plugin::content-type-builder.${action}`);
      return sendJson(call.reply, JSON.stringify({ data: told(call) }));
    };

  const contentTypes = telling('content-types.getContentTypes', ({ request }) => {
    const { kind } = paramsOf(request);
    if (kind !== undefined && !KINDS.includes(kind)) throw validation(`kind must be one of ${KINDS.join(', ')}`);
    const types = inOrder(catalog.contentTypes.values());
    return types.filter((type) => kind === undefined || type.kind === kind).map(toldContentType);
  });
  const contentType = telling('content-types.getContentType', ({ request }) => {
    const type = catalog.contentTypes.get(pathParam(request, 'uid'));
    if (!type || !isVisible(type)) throw notFound('contentType.notFound');
    return toldContentType(type);
  });
  const components = telling('components.getComponents', () => [...catalog.components.values()].map(toldComponent));
  const component = telling('components.getComponent', ({ request }) => {
    const found = catalog.components.get(pathParam(request, 'uid'));
    if (!found) throw notFound('component.notFound');
    return toldComponent(found);
  });
  return [
    { path: '/content-type-builder/content-types', methods: { GET: contentTypes } },
    { path: '/content-type-builder/content-types/:uid', methods: { GET: contentType } },
    { path: '/content-type-builder/components', methods: { GET: components } },
    { path: '/content-type-builder/components/:uid', methods: { GET: component } },
  ];
}
