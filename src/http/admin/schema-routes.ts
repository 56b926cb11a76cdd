/** What there is to edit, as the administration app draws it. */
import { readArrangements } from '../../content/administration/arrangement.ts';
import { shownSchema } from '../../content/administration/shown-schema.ts';
import { defaultLocale, listLocales } from '../../content/locales/locales.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';

export function schemaRoutes({ database, running, config: { upload, admin } }: HttpContext): AdminRoute[] {
  const { sizeLimit, allowedTypes = null, deniedTypes } = upload;
  const runsCode = (type: ContentType): boolean => running?.administration.isAroundWrites(type) ?? false;
  const read: AdminHandler = async ({ reply, viewer }) => {
    const [create, update, shown] = [viewer('create').view, viewer('update').view, viewer('read').view];
    const locales = await listLocales(database);
    const chosen = await defaultLocale(database);
    const data = {
      ...shownSchema({ read: shown, create, update }, await readArrangements(database), runsCode),
      locales: locales.map(({ code, name }) => ({ code, name, isDefault: code === chosen })),
      upload: { sizeLimit, allowedTypes, deniedTypes },
      previews: admin.preview.urls.size > 0,
    };
    return sendJson(reply, JSON.stringify({ data }));
  };
  return [{ path: '/schema', methods: { GET: read } }];
}
