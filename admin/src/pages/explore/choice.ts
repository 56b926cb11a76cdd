/** What is chosen on the page of the API: a type, a request with its parameters, and a caller. */
import type { ExploredModel, ExploredRequest, ExploredType } from '../../../contract/explore.ts';
import type { ExploreSearch } from '../../data/explore-search.ts';

/** What can be chosen. */
interface Offered {
  readonly types: readonly ExploredType[];
  readonly roles: readonly { readonly id: number; readonly type: string }[];
}

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

/**
 * The chosen type, request and caller. By default the type is the first one of which the caller may read something, and
 * the caller of a request is the public, or a role that may send it where the public may not.
 */
export function chosenOf({ types, roles }: Offered, search: ExploreSearch): Chosen | undefined {
  const publicId = roles.find((role) => role.type === 'public')?.id;
  const roleId = search.as?.startsWith('role:') ? Number(search.as.slice('role:'.length)) : publicId;
  const isOpen = ({ method, roles }: ExploredRequest): boolean => method === 'GET' && roles.includes(roleId!);
  const type =
    types.find(({ uid }) => uid === search.uid) ?? types.find(({ requests }) => requests.some(isOpen)) ?? types[0];
  const { action } = search;
  const chosen =
    type?.requests.find(({ id, name }) => id === action || name === action) ??
    (search.uid === undefined ? type?.requests.find(isOpen) : undefined) ??
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
    as:
      search.as ??
      (chosen.roles.length === 0 || chosen.roles.includes(publicId!) ? 'public' : `role:${chosen.roles[0]}`),
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
