/** Requests for the audit log. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AuditSearch } from '../../data/audit-search.ts';
import { BASE } from '../../data/base.ts';
import { request } from '../../data/client.ts';

/** The parameters of a request: days begin and end in the zone of the browser. */
function queryOf({ from, to, ...filters }: AuditSearch) {
  return {
    ...filters,
    from: from === undefined ? undefined : new Date(`${from}T00:00`).toISOString(),
    to: to === undefined ? undefined : new Date(`${to}T23:59:59.999`).toISOString(),
  };
}

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: ({ pageParam: cursor, signal }) => request('GET audit', { query: { ...queryOf(search), cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });

export const auditFiltersQuery = queryOptions({
  queryKey: ['audit filters'],
  queryFn: async ({ signal }) => (await request('GET audit/filters', { signal })).data,
});

/** The address of the export. */
export function exportAddress(search: AuditSearch): string {
  const given = Object.entries(queryOf(search)).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${BASE}api/audit/export?${new URLSearchParams(given)}`;
}
