/** The requests of the page of the API, and what is chosen in it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ExploredModel, ExploredRequest, ExploredType } from '../../../contract/explore.ts';
import { type AnswerOf, request } from '../../data/client.ts';
import type { ExploreSearch } from '../../data/explore-search.ts';

export type Overview = AnswerOf<'GET explore'>['data'];
export type CallerView = AnswerOf<'GET explore/view'>['data'];

export const overviewQuery = queryOptions({
  queryKey: ['explore'],
  queryFn: async ({ signal }) => (await request('GET explore', { signal })).data,
  meta: { isStored: true },
});

export const viewQuery = (as: string) =>
  queryOptions({
    queryKey: ['explore', 'view', as],
    queryFn: async ({ signal }) => (await request('GET explore/view', { query: { as }, signal })).data,
    placeholderData: keepPreviousData,
  });

/** A request with everything that was chosen for it. */
export interface Chosen {
  readonly type: ExploredType;
  readonly request: ExploredRequest;
  readonly as: string;
  /** The names of the parameters in the path, and their values. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  /** The path with its parameters. */
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
}

/** The chosen type and request; the first ones by default. */
export function chosenOf({ types }: Overview, search: ExploreSearch): Chosen | undefined {
  const type = types.find(({ uid }) => uid === search.uid) ?? types[0];
  const { action } = search;
  const chosen =
    type?.requests.find(({ id, name }) => id === action || name === action) ??
    type?.requests.find(({ method }) => method === 'GET') ??
    type?.requests[0];
  if (!type || !chosen) return undefined;
  const names = [...chosen.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const parameters = names.map((name) => ({ name, value: search.path?.[name] ?? '' }));
  const path = chosen.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(search.path?.[name] ?? ''));
  const hasBody = chosen.method === 'POST' || chosen.method === 'PUT';
  return {
    type,
    request: chosen,
    as: search.as ?? 'public',
    parameters,
    path,
    query: sendable(search.query ?? ''),
    body: hasBody ? search.body : undefined,
  };
}

/** A query string with everything escaped that an address cannot contain. */
const sendable = (query: string): string =>
  query
    .trim()
    .replace(/^\?/, '')
    .replace(/[^!-~]+|#/g, (text) => encodeURIComponent(text));

/** The action of a request for the address: its name, if that is unique. */
export const actionOf = ({ requests }: ExploredType, { id, name }: ExploredRequest): string =>
  requests.filter((one) => one.name === name).length === 1 ? name : id;

/** The values by type in the body of a new document. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  integer: 0,
  biginteger: '0',
  float: 0,
  decimal: 0,
  boolean: false,
  date: '2026-01-31',
  time: '12:00:00',
  datetime: '2026-01-31T12:00:00.000Z',
  json: {},
  blocks: [],
  dynamiczone: [],
};

/** The body to begin with: the required attributes of a new document, or its first writable one. */
export function bodyToBeginWith(
  { request: { name, method } }: Chosen,
  model: ExploredModel | undefined,
): string | undefined {
  if (method !== 'POST' && method !== 'PUT') return undefined;
  if (name === 'batch') return JSON.stringify({ operations: [] }, null, 2);
  if (name !== 'create' && name !== 'update') return undefined;
  const inputs = model?.inputs ?? [];
  const needed = name === 'create' ? inputs.filter(({ required }) => required) : [];
  const shown = needed.length > 0 ? needed : inputs.slice(0, 1);
  const data = Object.fromEntries(
    shown.map(({ name: attribute, type, isMany, values }) => {
      const one = values[0] ?? SAMPLES[type] ?? (type === 'relation' || type === 'media' ? null : '');
      return [attribute, type === 'component' ? (isMany ? [] : {}) : isMany ? [] : one];
    }),
  );
  return JSON.stringify({ data }, null, 2);
}
