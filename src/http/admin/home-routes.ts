/** The start page, the search for documents by name, and preferences of an administrator. */
import { readArrangements } from '../../content/administration/arrangement.ts';
import { homeOf } from '../../content/administration/home.ts';
import { findByName } from '../../content/administration/named-versions.ts';
import { defaultLocale, listLocales } from '../../content/locales/locales.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { validation } from '../../errors.ts';
import { keepSetting, settingsOf } from '../../users/administrators/administrator-settings.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam } from '../routes/routes.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { editingServices } from './editing.ts';

/** Characters of a search text. */
const TEXT_LENGTH = 200;

export function homeRoutes(context: HttpContext): AdminRoute[] {
  const { database } = context;
  const services = editingServices(context);
  const home: AdminHandler = async ({ reply, viewer }) =>
    sendData(reply, await homeOf({ ...services, layout: context.layout }, viewer('read')));
  const search: AdminHandler = async ({ request, reply, viewer }) => {
    const { q } = paramsOf(request);
    if (typeof q !== 'string' || q.trim() === '' || q.length > TEXT_LENGTH) {
      throw validation(`q must be a text of 1 to ${TEXT_LENGTH} characters`);
    }
    const arrangements = await readArrangements(database);
    const locales = await codesOf(database);
    const { found, complete } = await findByName(services.reader, viewer('read'), {
      text: q.trim(),
      arrangements,
      locales,
    });
    return sendJson(reply, JSON.stringify({ data: found, meta: { complete } }));
  };
  const settings: AdminHandler = async ({ reply, administrator }) =>
    sendData(reply, await settingsOf(database, administrator.row.id));
  const keep: AdminHandler = async ({ request, reply, administrator }) => {
    const { value } = (request.body ?? {}) as { readonly value?: unknown };
    const name = pathParam(request, 'name');
    await database.transaction((tx) => keepSetting(tx, administrator.row.id, name, value));
    return reply.code(204).send();
  };
  return [
    { path: '/home', methods: { GET: home } },
    { path: '/search', methods: { GET: search } },
    { path: '/me/settings', methods: { GET: settings } },
    { path: '/me/settings/:name', methods: { PUT: keep } },
  ];
}

/** The codes of all locales, the default one first. */
async function codesOf(db: Queryable): Promise<readonly string[]> {
  const first = await defaultLocale(db);
  const codes = (await listLocales(db)).map(({ code }) => code);
  return [first, ...codes.filter((code) => code !== first)];
}
