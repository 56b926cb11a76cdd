/** What content there is, as far as the administrator may see it. */
import { queryOptions } from '@tanstack/react-query';
import type { Schema } from '../../contract/contract.ts';
import { RefusedError, request } from './client.ts';

export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  queryFn: async ({ signal }): Promise<Schema> => {
    try {
      return (await request('GET schema', { signal })).data;
    } catch (error) {
      // a server that shows no content has none to lead to
      if (error instanceof RefusedError && error.status === 404) return { contentTypes: [] };
      throw error;
    }
  },
  staleTime: 5 * 60_000,
  meta: { kept: true },
});
