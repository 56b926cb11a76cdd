/** Requests of lists: pages, counts by state, the home page, and the settings of the administrator. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Home, ListPage } from '../../contract/lists.ts';
import { request } from './client.ts';

/** The documents of a page. */
export const PAGE = 50;

/**
 * A page of a list.
 *
 * @param search the query string, without the page.
 * @param size the page size; undefined if the list scrolls.
 */
export const listPageQuery = (uid: string, search: string, page: number, size?: number) =>
  queryOptions({
    queryKey: ['list', uid, search, page, size],
    queryFn: ({ signal }): Promise<ListPage> => {
      const query = new URLSearchParams(search);
      query.set('pagination[page]', String(page + 1));
      query.set('pagination[pageSize]', String(size ?? PAGE));
      // In a list that scrolls, the first page has the total.
      if (page > 0 && size === undefined) query.set('pagination[withCount]', 'false');
      return request('GET content/:uid', { params: { uid }, query, signal });
    },
    // Only the beginning of a list is stored. Searches would displace it.
    ...(page === 0 && !search.includes('_q=') ? { meta: { isStored: true } } : {}),
  });

/** The number of documents in each state. */
export const cohortsQuery = (uid: string, locale: string | undefined) =>
  queryOptions({
    queryKey: ['cohorts', uid, locale],
    queryFn: async ({ signal }) =>
      (await request('GET cohorts/:uid', { params: { uid }, query: { locale }, signal })).data,
    meta: { isStored: true },
  });

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: async ({ signal }): Promise<Home> => (await request('GET home', { signal })).data,
  meta: { isStored: true },
});

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => (await request('GET me/settings', { signal })).data,
  staleTime: 5 * 60_000,
  meta: { isStored: true },
});

/** Computes a setting from its current value; undefined if it has none. Null deletes the setting. */
type SettingChange<T> = (now: T | undefined) => T | null;

/**
 * A setting of the administrator on the server, and a function that changes it. A change appears at once and is
 * reverted if it cannot be saved. It is applied to the latest value of the server, so that choices of other tabs are
 * kept.
 */
export function useSetting<T>(
  name: string,
): readonly [value: T | undefined, change: (change: SettingChange<T>, callbacks?: SettingCallback) => void] {
  const client = useQueryClient();
  const { queryKey } = settingsQuery;
  const { data } = useQuery(settingsQuery);
  const mutationKey = ['settings', name];
  const { mutate } = useMutation({
    mutationKey,
    // In sequence, so that the last choice wins.
    scope: { id: mutationKey.join(' ') },
    mutationFn: async (change: SettingChange<T>) => {
      const { data: stored } = await request('GET me/settings', {});
      const body = { value: change(stored[name] as T | undefined) };
      await request('PUT me/settings/:name', { params: { name }, body });
    },
    onMutate: async (change) => {
      await client.ensureQueryData(settingsQuery);
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey)?.[name];
      const shown = change(before as T | undefined) ?? undefined;
      client.setQueryData(queryKey, (now) => ({ ...now, [name]: shown }));
      return { before };
    },
    onError: (_error, _change, context) => {
      if (context) client.setQueryData(queryKey, (now) => ({ ...now, [name]: context.before }));
    },
    onSettled: () => {
      if (client.isMutating({ mutationKey: ['settings'] }) === 1) void client.invalidateQueries({ queryKey });
    },
  });
  return [data?.[name] as T | undefined, (change, callbacks = {}) => mutate(change, callbacks)];
}

/** Called when the server has saved the setting, or has not. */
export interface SettingCallback {
  readonly onSuccess?: () => void;
  readonly onError?: (error: unknown) => void;
}

/** Refetches everything that shows documents of a type. Resolves when the visible data is up to date. */
export async function refetchDocuments(client: ReturnType<typeof useQueryClient>, uid: string): Promise<void> {
  const keys = [['list', uid], ['cohorts', uid], ['home'], ['document', uid]];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
