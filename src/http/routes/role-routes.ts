/** `/users-permissions/roles` and `/users-permissions/permissions` (docs/reference/accounts.md). */
import type { FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import { notFound } from '../../errors.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { guarded, type Handler, pathParam, type Route, rowIdOf } from './routes.ts';

export function roleRoutes({ roles }: HttpContext): Route[] {
  const action = (name: string) => `plugin::users-permissions.role.${name}`;
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

  const list: Handler = async ({ reply, caller }) => {
    requireAction(caller.grants, action('find'));
    return sendJson(reply, JSON.stringify({ roles: await roles.list() }));
  };
  const one: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, action('findOne'));
    return sendJson(reply, JSON.stringify({ role: await roles.one(idOf(request)) }));
  };
  const create = guarded(
    action('createRole'),
    change(({ body }) => roles.create(body)),
  );
  const update = guarded(
    action('updateRole'),
    change((request) => roles.update(idOf(request), request.body)),
  );
  const removed = change((request) => roles.remove(idOf(request)));
  const remove: Handler = async (call) => {
    requireAction(call.caller.grants, action('deleteRole'));
    return removed(call);
  };
  const permissions: Handler = async ({ reply, caller }) => {
    requireAction(caller.grants, 'plugin::users-permissions.permissions.getPermissions');
    return sendJson(reply, JSON.stringify({ permissions: roles.actions() }));
  };
  return [
    { path: '/users-permissions/roles', methods: { GET: list, POST: create } },
    { path: '/users-permissions/roles/:id', methods: { GET: one, PUT: update, DELETE: remove } },
    { path: '/users-permissions/permissions', methods: { GET: permissions } },
  ];
}
