/** Requests for the roles of the site and the actions that can be granted. */
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../data/client.ts';

/** The rights of the reference's panel. */
export const ROLES = 'plugin::users-permissions.roles';

/** The milliseconds for which the list of actions is used: only project code and schemas change it. */
const FRESH = 60_000;

export const subjectsQuery = queryOptions({
  queryKey: ['permissions', 'actions'],
  queryFn: async ({ signal }) => (await request('GET permissions/actions', { signal })).data,
  staleTime: FRESH,
});

export const rolesQuery = queryOptions({
  queryKey: ['permissions', 'roles'],
  queryFn: async ({ signal }) => (await request('GET permissions/roles', { signal })).data,
});

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: ['permissions', 'roles', id],
    queryFn: async ({ signal }) => (await request('GET permissions/roles/:id', { params: { id }, signal })).data,
    retry: false,
  });
