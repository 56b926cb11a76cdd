/** The content type in a path, for an administrator who may read its documents. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import type { AdminCall } from './admin-route.ts';

/** @throws ContentError 404 for a type that does not exist, 403 for one that the administrator may not read. */
export function shownType({ catalog }: HttpContext, { request, viewer }: AdminCall): ContentType {
  const type = catalog.contentTypes.get(pathParam(request, 'uid'));
  if (!type || !isEdited(type)) throw notFound();
  if (!viewer('read').view.may(`${type.uid}.find`)) throw forbidden();
  return type;
}
