/** Requests for people who administer the site. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Invitation, Person, PersonWithSessions } from '../../../contract/people.ts';
import { BASE } from '../../data/base.ts';
import { request } from '../../data/client.ts';

/** All people, page by page. */
export const peopleQuery = infiniteQueryOptions({
  queryKey: ['people'],
  queryFn: ({ pageParam: cursor, signal }) => request('GET people', { query: { cursor }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ meta }) => meta.next ?? undefined,
});

export const personQuery = (id: string) =>
  queryOptions({
    queryKey: ['person', id],
    queryFn: async ({ signal }) => (await request('GET people/:id', { params: { id }, signal })).data,
    retry: false,
  });

/** The roles that people can have, and whether invitations are mailed. */
export const peopleOptionsQuery = queryOptions({
  queryKey: ['people options'],
  queryFn: async ({ signal }) => (await request('GET people/options', { signal })).data,
});

/** Shows a person that the server has just returned, and refetches the lists in which the person appears. */
export function showPerson(client: QueryClient, person: PersonWithSessions): void {
  client.setQueryData(personQuery(String(person.id)).queryKey, person);
  void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
  void client.invalidateQueries({ queryKey: ['roles'] });
}

/** The name of a person, or the address. */
export const personName = ({ firstname, lastname, email }: Pick<Person, 'firstname' | 'lastname' | 'email'>): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email;

/** The address of an invitation. Without a public address of the server, it is that of this page. */
export const invitationAddress = ({ link, token }: Invitation): string =>
  link ?? `${location.origin}${BASE}invitation#${token}`;
