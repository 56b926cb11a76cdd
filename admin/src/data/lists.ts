/** Lists of documents, how large their cohorts are, the first page, and what the administrator has chosen. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Home, ListPage } from '../../contract/lists.ts';
import { request } from './client.ts';

/** Documents of a page. */
export const PAGE = 50;

/**
 * A page of a list.
 *
 * @param asked the query string, without the page.
 * @param size how many documents somebody sees at once; left out where the list scrolls on.
 */
export const listPageQuery = (uid: string, asked: string, page: number, size?: number) =>
  queryOptions({
    queryKey: ['list', uid, asked, page, size],
    queryFn: ({ signal }): Promise<ListPage> => {
      const query = new URLSearchParams(asked);
      query.set('pagination[page]', String(page + 1));
      query.set('pagination[pageSize]', String(size ?? PAGE));
      // of a list that scrolls on the first page says how many there are
      if (page > 0 && size === undefined) query.set('pagination[withCount]', 'false');
      return request('GET content/:uid', { params: { uid }, query, signal });
    },
    // the beginning of a list is what is seen first the next time; searches would push it out
    ...(page === 0 && !asked.includes('_q=') ? { meta: { kept: true } } : {}),
  });

/** How many documents each cohort has. */
export const cohortsQuery = (uid: string, locale: string | undefined) =>
  queryOptions({
    queryKey: ['cohorts', uid, locale],
    queryFn: async ({ signal }) =>
      (await request('GET cohorts/:uid', { params: { uid }, query: { locale }, signal })).data,
    meta: { kept: true },
  });

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: async ({ signal }): Promise<Home> => (await request('GET home', { signal })).data,
  meta: { kept: true },
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => (await request('GET me/settings', { signal })).data,
  staleTime: 5 * 60_000,
  meta: { kept: true },
});

/** Makes a setting from what it is; undefined: nothing is chosen yet. Null takes it away. */
type SettingChange<T> = (now: T | undefined) => T | null;

/**
 * What the administrator has chosen under a name, kept on the server, and what changes it. It changes at once; where it
 * cannot be kept, it is as it was. What is kept is made from what the server has by then, so that nothing is lost that was
 * chosen in another tab, or before it was known here.
 */
export function useSetting<T>(
  name: string,
): readonly [value: T | undefined, change: (change: SettingChange<T>, told?: SettingTold) => void] {
  const client = useQueryClient();
  const { queryKey } = settingsQuery;
  const { data } = useQuery(settingsQuery);
  const mutationKey = ['settings', name];
  const { mutate } = useMutation({
    mutationKey,
    // one after the other, so that the last choice is the one that stays
    scope: { id: mutationKey.join(' ') },
    mutationFn: async (change: SettingChange<T>) => {
      const { data: kept } = await request('GET me/settings', {});
      const body = { value: change(kept[name] as T | undefined) };
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
  return [data?.[name] as T | undefined, (change, told = {}) => mutate(change, told)];
}

/** Called when the server has kept a setting, or has not. */
export interface SettingTold {
  readonly onSuccess?: () => void;
  readonly onError?: (error: unknown) => void;
}

/** Has everything asked for again that shows documents of a type. Resolves when what is in sight is as it is now. */
export async function documentsChanged(client: ReturnType<typeof useQueryClient>, uid: string): Promise<void> {
  const keys = [['list', uid], ['cohorts', uid], ['home'], ['document', uid]];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
