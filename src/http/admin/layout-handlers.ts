/** How forms and lists are arranged for everybody: told and changed, by those who may configure views. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import { type ArrangementAnswer, arrange, arrangementFor } from '../../content/administration/arrange.ts';
import type { MainFields } from '../../content/administration/arrangement.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { Model } from '../../schema/catalog.ts';
import { withoutCoding } from '../protocol/compression.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import type { AdminCall, AdminHandler } from './admin-route.ts';

/** The action that permits it, as the reference names it. */
const ACTIONS = {
  collectionType: 'plugin::content-manager.collection-types.configure-view',
  singleType: 'plugin::content-manager.single-types.configure-view',
  component: 'plugin::content-manager.components.configure-layout',
} as const;

export function layoutHandlers(context: HttpContext, mainFields: MainFields) {
  const { catalog, database } = context;
  const arrangement: AdminHandler = async (call) => {
    const model = configuredModel(context, call);
    return send(call, await arrangementFor(database, catalog, model));
  };
  const arrangeAnew: AdminHandler = async (call) => {
    const model = configuredModel(context, call);
    const tags = tagsOf(call.request.headers['if-match']);
    const data = await database.transaction((tx) => arrange(tx, catalog, model, call.request.body, tags));
    mainFields.forget();
    return send(call, data);
  };
  return { arrangement, arrangeAnew };
}

const send = ({ reply }: AdminCall, data: ArrangementAnswer) =>
  sendJson(reply.header('etag', data.tag), JSON.stringify({ data }));

/** What `If-Match` names (RFC 9110, 13.1.1), in whatever coding it was sent; undefined without one. */
function tagsOf(header: string | undefined): readonly string[] | 'any' | undefined {
  return header?.trim() === '*' ? 'any' : header?.split(',').map((tag) => withoutCoding(tag.trim()));
}

/**
 * The type or component that a path names.
 *
 * @throws ContentError 404 for a type that the administrator may not see, 403 without the right to configure it.
 */
function configuredModel({ catalog }: HttpContext, { request, viewer, administrator }: AdminCall): Model {
  const uid = pathParam(request, 'uid');
  const type = catalog.contentTypes.get(uid);
  const isShown = type && isEdited(type) && viewer('read').view.may(`${uid}.find`);
  const model = isShown ? type : catalog.components.get(uid);
  if (!model) throw notFound();
  const action = ACTIONS[model.modelType === 'component' ? 'component' : model.kind];
  if (!administrator.rights.rights.some((right) => right.action === action)) throw forbidden();
  return model;
}
