/** Accounts for those who manage them: bare bodies, flat lists, row ids (docs/reference/accounts.md). */
import type { FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import { ContentError, notFound } from '../../errors.ts';
import { everything, offsetPage } from '../../query/page.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { createUser, updateUser } from '../../users/accounts/managed-users.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { guarded, type Handler, paramsOf, pathParam, type Route, rowIdOf } from './routes.ts';

export function userRoutes({ catalog, reader, users }: HttpContext): Route[] {
  const type = catalog.contentTypes.get(USER_UID)!;
  const action = (name: string) => `plugin::users-permissions.user.${name}`;

  const list: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('find'));
    const params = paramsOf(request);
    const { data } = await reader.list(type, viewer, params, { page: offsetPage(params) });
    return sendJson(reply, data);
  };
  const count: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('count'));
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const { filters, _q } = params;
    const page = { ...everything, limit: 0, withCount: true };
    const { total } = await reader.list(type, viewer, { filters, _q }, { page });
    return sendJson(reply, String(total));
  };
  const one: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('findOne'));
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const id = rowIdOf(pathParam(request, 'id'));
    const data = id === undefined ? undefined : (await reader.one(type, viewer, params, { kind: 'row', id }))?.data;
    if (data === undefined) throw notFound('User not found');
    return sendJson(reply, data);
  };
  const me: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('me'));
    if (caller.userId === undefined) throw new ContentError('UnauthorizedError', 'Unauthorized');
    const params = paramsOf(request);
    // filters and sort are checked and have no effect: there is one account to answer with
    reader.check(type, viewer, params);
    const { fields, populate } = params;
    const single = { kind: 'row', id: caller.userId } as const;
    const data = (await reader.one(type, viewer, { fields, populate }, single))?.data;
    if (data === undefined) throw new ContentError('UnauthorizedError', 'Unauthorized');
    return sendJson(reply, data);
  };
  const rowIdFor = (request: FastifyRequest): number => {
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound('User not found');
    return id;
  };
  const create: Handler = async ({ request, reply, viewer }) => {
    return sendJson(reply, await createUser(users, request.body, viewer), 201);
  };
  const update: Handler = async ({ request, reply, viewer }) => {
    return sendJson(reply, await updateUser(users, rowIdFor(request), request.body, viewer));
  };
  const remove: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('destroy'));
    return sendJson(reply, await users.remove(rowIdFor(request), viewer));
  };
  return [
    { path: '/users', methods: { GET: list, POST: guarded(action('create'), create) } },
    { path: '/users/count', methods: { GET: count } },
    { path: '/users/me', methods: { GET: me } },
    { path: '/users/:id', methods: { GET: one, PUT: guarded(action('update'), update), DELETE: remove } },
  ];
}
