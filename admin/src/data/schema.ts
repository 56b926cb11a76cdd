/** The schema of the content that the administrator may see. */
import { queryOptions } from '@tanstack/react-query';
import type { Schema } from '../../contract/contract.ts';
import { request } from './client.ts';

export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  queryFn: async ({ signal }): Promise<Schema> => (await request('GET schema', { signal })).data,
  staleTime: 5 * 60_000,
  meta: { isStored: true },
});
