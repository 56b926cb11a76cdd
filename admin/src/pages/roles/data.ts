/** Requests for roles of the people who administer the site. */
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../data/client.ts';

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => (await request('GET roles', { signal })).data,
});

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', id],
    queryFn: async ({ signal }) => (await request('GET roles/:id', { params: { id }, signal })).data,
    retry: false,
  });

/** Everything that roles can permit. */
export const permittableQuery = queryOptions({
  queryKey: ['permittable'],
  queryFn: async ({ signal }) => (await request('GET roles/permittable', { signal })).data,
});
