/** The request for the settings of the site. */
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../data/client.ts';

export const siteQuery = queryOptions({
  queryKey: ['site'],
  queryFn: async ({ signal }) => (await request('GET site', { signal })).data,
});
