/** The first page, finding documents by their names, and what an administrator has chosen. */
import { readArrangements } from '../../content/administration/arrangement.ts';
import { homeOf } from '../../content/administration/home.ts';
import { findByName } from '../../content/administration/named-versions.ts';
import { validation } from '../../errors.ts';
import { keepSetting, settingsOf } from '../../users/administrators/administrator-settings.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam } from '../routes/routes.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';

/** Characters of a text that is looked for. */
const TEXT_LENGTH = 200;

export function homeRoutes(context: HttpContext): AdminRoute[] {
  const { database, reader } = context;
  const home: AdminHandler = async ({ reply, viewer }) =>
    sendJson(reply, JSON.stringify({ data: await homeOf(context, viewer('read')) }));
  const search: AdminHandler = async ({ request, reply, viewer }) => {
    const { q } = paramsOf(request);
    if (typeof q !== 'string' || q.trim() === '' || q.length > TEXT_LENGTH) {
      throw validation(`q must be a text of 1 to ${TEXT_LENGTH} characters`);
    }
    const arrangements = await readArrangements(database);
    const { found, complete } = await findByName(reader, viewer('read'), q.trim(), arrangements);
    return sendJson(reply, JSON.stringify({ data: found, meta: { complete } }));
  };
  const settings: AdminHandler = async ({ reply, administrator }) =>
    sendJson(reply, JSON.stringify({ data: await settingsOf(database, administrator.row.id) }));
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
