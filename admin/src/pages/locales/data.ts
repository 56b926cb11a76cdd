/** Requests for locales. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { request } from '../../data/client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { presenceQuery } from '../../data/session.ts';

export const localesQuery = queryOptions({
  queryKey: ['locales'],
  queryFn: async ({ signal }) => (await request('GET locales', { signal })).data,
});

/** What is not translated, by type. */
export const untranslatedQuery = queryOptions({
  queryKey: ['locales', 'untranslated'],
  queryFn: async ({ signal }) => (await request('GET locales/untranslated', { signal })).data,
});

/** The content that the removal of a locale deletes. */
export const contentQuery = (id: number) =>
  queryOptions({
    queryKey: ['locales', id, 'content'],
    queryFn: async ({ signal }) =>
      (await request('GET locales/:id/content', { params: { id: String(id) }, signal })).data,
    staleTime: 0,
  });

/** Refetches data that depends on locales: lists of them, the schema, and the rights, which name locales. */
export async function refreshLocales(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: localesQuery.queryKey }),
    client.invalidateQueries({ queryKey: schemaQuery.queryKey }),
    client.invalidateQueries({ queryKey: presenceQuery.queryKey }),
  ]);
}

/** The name of a locale in the language of the reader; undefined if the code has none. */
export function nameOfCode(code: string, language: string): string | undefined {
  try {
    return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(code.trim());
  } catch {
    return undefined;
  }
}
