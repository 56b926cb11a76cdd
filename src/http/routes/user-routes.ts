/** Accounts and roles: bare bodies, flat lists, row ids (docs/reference/accounts.md). */
import type { FastifyRequest } from 'fastify';
import { ROLES, USERS } from '../../access/actions.ts';
import { idsIn, readRows } from '../../content/rows/around-rows.ts';
import { ContentError, notFound } from '../../errors.ts';
import { everything, offsetPage } from '../../query/page.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { createUser, updateUser } from '../../users/accounts/managed-users.ts';
import { listedRoles, oneRole } from '../../users/roles/role-changes.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { builtInRoutes, type Handler, paramsOf, pathParam, type Route, rowIdOf } from './routes.ts';

/** `/users`. */
export function userRoutes({ around, catalog, reader, users }: HttpContext): Route[] {
  const type = catalog.contentTypes.get(USER_UID)!;

  const list: Handler = async ({ request, reply, viewer }) => {
    const params = paramsOf(request);
    const page = offsetPage(params);
    const { data } = await readRows(
      around,
      USER_UID,
      'findMany',
      () => {
        reader.check(type, viewer, params);
        const { filters, sort, fields, populate, _q, start } = params;
        const range = {
          ...(start !== undefined && { start: page.offset }),
          ...(page.limit < everything.limit && { limit: page.limit }),
        };
        return {
          params: { filters, sort, fields, populate, _q, ...range },
          isQuery: true,
          found: (list) => idsIn(String(list.data)),
        };
      },
      () => reader.list(type, viewer, params, { page }),
    );
    return sendJson(reply, data);
  };
  const count: Handler = async ({ request, reply, viewer }) => {
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const { filters, _q } = params;
    const page = { ...everything, limit: 0, withCount: true };
    const total = await readRows(
      around,
      USER_UID,
      'count',
      () => ({ params: { filters, _q }, isQuery: true, found: Number }),
      async () => (await reader.list(type, viewer, { filters, _q }, { page })).total,
    );
    return sendJson(reply, String(total));
  };
  const one: Handler = async ({ request, reply, viewer }) => {
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const id = rowIdOf(pathParam(request, 'id'));
    const data = id === undefined ? undefined : (await reader.one(type, viewer, params, { kind: 'row', id }))?.data;
    if (data === undefined) throw notFound('User not found');
    return sendJson(reply, data);
  };
  const me: Handler = async ({ request, reply, caller, viewer }) => {
    if (caller.userId === undefined) throw new ContentError('UnauthorizedError', 'Unauthorized');
    const params = paramsOf(request);
    // filters and sort are checked, and have no effect on a single account
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
  const remove: Handler = async ({ request, reply, viewer }) => {
    return sendJson(reply, await users.remove(rowIdFor(request), viewer));
  };
  return builtInRoutes(USERS, { find: list, count, me, findOne: one, create, update, destroy: remove });
}

/** `/users-permissions/roles` and `/users-permissions/permissions` (docs/reference/accounts.md). */
export function roleRoutes({ around, roles }: HttpContext): Route[] {
  const idOf = (request: FastifyRequest): number => {
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound('Role not found');
    return id;
  };
  /** A handler that answers `{ok: true}`. */
  const change = (work: (request: FastifyRequest) => Promise<unknown>): Handler => {
    return async ({ request, reply }) => {
      await work(request);
      return sendJson(reply, '{"ok":true}');
    };
  };
  return [
    ...builtInRoutes(ROLES, {
      find: async ({ reply }) =>
        sendJson(
          reply,
          JSON.stringify({
            roles: await listedRoles(
              around,
              () => roles.list(),
              (role) => role.nb_users,
            ),
          }),
        ),
      findOne: async ({ request, reply }) => {
        const id = idOf(request);
        return sendJson(reply, JSON.stringify({ role: await oneRole(around, id, () => roles.one(id)) }));
      },
      createRole: change(({ body }) => roles.create(body)),
      updateRole: change((request) => roles.update(idOf(request), request.body)),
      deleteRole: change((request) => roles.remove(idOf(request))),
    }),
    ...builtInRoutes('plugin::users-permissions.permissions', {
      getPermissions: async ({ reply }) => sendJson(reply, JSON.stringify({ permissions: roles.actions() })),
    }),
  ];
}
