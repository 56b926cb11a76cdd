/** Sessions of site users, for administrators who may read or change the account. */
import type { Operation } from '../../access/administrators/administrator-rights.ts';
import { forbidden, notFound } from '../../errors.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { shownSession } from './shown-sessions.ts';

/** Sessions in one answer. */
const SHOWN = 100;

const ACTIONS = { read: `${USER_UID}.find`, update: `${USER_UID}.update` } as const satisfies Partial<
  Record<Operation, string>
>;

export function siteUserRoutes({ users, sessions }: HttpContext): AdminRoute[] {
  /** The row id of the account in the path, for an administrator who may read or change it. */
  const accountOf = async (call: AdminCall, operation: keyof typeof ACTIONS): Promise<number> => {
    const viewer = call.viewer(operation);
    if (!viewer.view.may(ACTIONS[operation])) throw forbidden();
    const account = await users.findByDocument(pathParam(call.request, 'documentId'), viewer);
    if (!account) throw notFound();
    if (operation === 'update') await users.requireWritable(account.id, viewer);
    return account.id;
  };
  const list: AdminHandler = async (call) => {
    const entries = await sessions.listOf(await accountOf(call, 'read'));
    const data = entries
      .slice(0, SHOWN)
      .map(({ deviceName, activeAt, ...session }) =>
        shownSession({ ...session, device: deviceName, lastUsedAt: activeAt }),
      );
    return sendJson(call.reply, JSON.stringify({ data, meta: { total: entries.length } }));
  };
  const endAll: AdminHandler = async (call) => {
    await sessions.endOf(await accountOf(call, 'update'), undefined);
    return call.reply.code(204).send();
  };
  const endOne: AdminHandler = async (call) => {
    const account = await accountOf(call, 'update');
    if (!(await sessions.endOf(account, pathParam(call.request, 'id')))) throw notFound();
    return call.reply.code(204).send();
  };
  return [
    { path: '/site-users/:documentId/sessions', methods: { GET: list, DELETE: endAll } },
    { path: '/site-users/:documentId/sessions/:id', methods: { DELETE: endOne } },
  ];
}
