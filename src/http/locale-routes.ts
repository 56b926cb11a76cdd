/** `GET /i18n/locales` (behaviour-media-access.md, "Access"): a flat list; the query is ignored. */
import { requireAction } from '../access/authorize.ts';
import { FULL_ACCESS } from '../access/grants.ts';
import { everything } from '../query/page.ts';
import { LOCALE_UID } from '../schema/catalog.ts';
import type { HttpContext } from './context.ts';
import { sendJson } from './reply.ts';
import type { Handler, Route } from './routes.ts';

export function localeRoutes({ catalog, reader, locales }: HttpContext): Route[] {
  const type = catalog.contentTypes.get(LOCALE_UID)!;
  const list: Handler = async ({ reply, caller }) => {
    requireAction(caller.grants, 'plugin::i18n.locales.listLocales');
    const { data } = await reader.list(type, FULL_ACCESS, {}, { page: everything });
    const chosen = await locales.default();
    const records = JSON.parse(data) as { code: string }[];
    return sendJson(reply, JSON.stringify(records.map((record) => ({ ...record, isDefault: record.code === chosen }))));
  };
  return [{ path: '/i18n/locales', methods: { GET: list } }];
}
