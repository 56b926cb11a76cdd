/** The schema of editable types for the administration app. */
import type { AdministratorRights } from '../../access/administrators/administrator-rights.ts';
import { readArrangements } from '../../content/administration/arrangement.ts';
import { readKeptDecimals, shownSchema } from '../../content/administration/shown-schema.ts';
import { readSite } from '../../content/administration/site-settings.ts';
import { defaultLocale, listLocales } from '../../content/locales/locales.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { HttpContext } from '../routes/context.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';

export function schemaRoutes(context: HttpContext): AdminRoute[] {
  const { database, catalog, layout, running } = context;
  const { upload, admin } = context.config;
  const { sizeLimit, allowedTypes = null, deniedTypes } = upload;
  const runsCode = (type: ContentType): boolean => running?.administration.isAroundWrites(type) ?? false;
  const read: AdminHandler = async ({ reply, viewer, administrator }) => {
    const [create, update, shown] = [viewer('create').view, viewer('update').view, viewer('read').view];
    const locales = await listLocales(database);
    const chosen = await defaultLocale(database);
    const arrangements = await readArrangements(database);
    const decimals = await readKeptDecimals(database, layout);
    const schema = shownSchema({ read: shown, create, update }, arrangements, runsCode, decimals);
    const data = {
      ...schema,
      locales: locales
        .map(({ code, name }) => ({ code, name, isDefault: code === chosen }))
        // lists start with the default locale
        .filter(({ code, isDefault }) => isDefault || mayUse(administrator.rights, code, catalog)),
      upload: { sizeLimit, allowedTypes, deniedTypes },
      previews: schema.contentTypes.map(({ uid }) => String(uid)).filter((uid) => admin.preview.urls.has(uid)),
      site: await readSite(database),
    };
    return sendData(reply, data);
  };
  return [{ path: '/schema', methods: { GET: read } }];
}

/** True where any right covers documents in a locale. */
function mayUse({ isSuper, rights }: AdministratorRights, code: string, { contentTypes }: Catalog): boolean {
  const isOf = (subject: string | null) => subject !== null && contentTypes.get(subject)?.localized === true;
  return isSuper || rights.some(({ subject, locales }) => isOf(subject) && (locales?.includes(code) ?? true));
}
