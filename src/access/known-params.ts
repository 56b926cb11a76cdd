/** Parameters of requests for content: where the project wants no others (`rest.strictParams` of `config/api`). */
import { invalidKey } from '../errors.ts';
import { nearest } from '../nearest.ts';

/** Parameters that do something, by themselves. */
const WORKING: readonly string[] = [
  ...['filters', 'sort', 'fields', 'populate', 'status', 'locale', '_q'],
  ...['publicationFilter', 'hasPublishedVersion', 'pagination'],
];

/** Names of paging that Strapi accepts outside `pagination` as well, where they do nothing or are refused. */
const PAGING: readonly string[] = ['page', 'pageSize', 'start', 'limit'];

/** Keys of `pagination`. */
const PAGE_KEYS: readonly string[] = [...PAGING, 'withCount', 'cursor'];

export const CONTENT_PARAMS: readonly string[] = [
  ...['filters', 'sort', 'fields', 'populate', 'status', 'locale', ...PAGING, '_q'],
  ...['publicationFilter', 'hasPublishedVersion', 'pagination', 'count', 'ordering'],
];
const KNOWN: ReadonlySet<string> = new Set(CONTENT_PARAMS);

/** Names that have no effect, of earlier versions of Strapi and other servers, and the parameters that do what they say. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...PAGING.map((name) => [name, `pagination[${name}]`] as const),
  ['offset', 'pagination[start]'],
  ['perPage', 'pagination[pageSize]'],
  ['where', 'filters'],
  ['order', 'sort'],
  ['select', 'fields'],
  ['include', 'populate'],
  ['publicationState', 'status'],
  ['lang', 'locale'],
  ['search', '_q'],
  ['query', '_q'],
]);
const SUGGESTED: readonly string[] = [...WORKING, ...REPLACEMENTS.keys()];

/** The parameter that does what a name without effect probably means; underscores in front are those of Strapi 3. */
function meant(name: string): string | undefined {
  const near = nearest(name.replace(/^_+/, '').replaceAll(/[_-]/g, ''), SUGGESTED) ?? nearest(name, SUGGESTED);
  return near === undefined ? undefined : (REPLACEMENTS.get(near) ?? near);
}

const unknownParam = (key: string) => invalidKey({ key, path: null, source: 'query', param: key, nearest: meant(key) });

/**
 * @param added names that the project adds to them.
 * @throws ContentError 400 for the first parameter that nobody knows.
 */
export function refuseUnknown(params: object, added?: { has(name: string): boolean }): void {
  const key = Object.keys(params).find((name) => !KNOWN.has(name) && !added?.has(name));
  if (key !== undefined) throw unknownParam(key);
}

/**
 * Refuses the first key of `pagination` that has no effect.
 *
 * @throws ContentError 400 that names the parameter with an effect.
 */
export function refuseUnknownPaging(pagination: object): void {
  const key = Object.keys(pagination).find((name) => !PAGE_KEYS.includes(name));
  if (key === undefined) return;
  const near = nearest(key.replace(/^_+/, ''), PAGE_KEYS);
  const right = near === undefined ? REPLACEMENTS.get(key) : `pagination[${near}]`;
  throw invalidKey({ key, path: 'pagination', source: 'query', param: `pagination[${key}]`, nearest: right });
}

/**
 * Refuses the first of `page`, `pageSize`, `start` and `limit` outside `pagination`, which Strapi knows and which have no
 * effect on what the server itself answers. Code of the project may read them.
 *
 * @throws ContentError 400 that names the parameter with an effect.
 */
export function refuseIgnored(params: object): void {
  const key = Object.keys(params).find((name) => PAGING.includes(name));
  if (key !== undefined) throw unknownParam(key);
}
