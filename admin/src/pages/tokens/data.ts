/** Requests for API tokens. */
import { queryOptions } from '@tanstack/react-query';
import type { Right } from '../../../contract/contract.ts';
import { request } from '../../data/client.ts';
import { permits } from '../../data/session.ts';

const TOKENS = 'admin::api-tokens';

/** Whether the rights permit an action on tokens. The right `access` opens their settings. */
export const mayTokens = (rights: readonly Right[], name: string): boolean =>
  permits(rights, `${TOKENS}.access`) && permits(rights, `${TOKENS}.${name}`);

export const maySeeTokens = (rights: readonly Right[]): boolean => mayTokens(rights, 'read');

/** The milliseconds between refetches, which show the last use. */
const LOOK = 60_000;

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await request('GET tokens', { signal })).data,
  refetchInterval: LOOK,
});

export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id],
    queryFn: async ({ signal }) => (await request('GET tokens/:id', { params: { id }, signal })).data,
    refetchInterval: LOOK,
    retry: false,
  });
