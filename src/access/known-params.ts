/** Checks the names of parameters for projects that allow no unknown ones (`rest.strictParams` of `config/api`). */
import { invalidKey } from '../errors.ts';
import { nearest } from '../nearest.ts';

/** Parameters with an effect. */
const WORKING: readonly string[] = [
  ...['filters', 'sort', 'fields', 'populate', 'status', 'locale', '_q', 'release'],
  ...['publicationFilter', 'hasPublishedVersion', 'pagination'],
];

/** Names that Strapi also accepts outside of `pagination`, without effect. */
const PAGING: readonly string[] = ['page', 'pageSize', 'start', 'limit'];

/** Keys of `pagination`. */
const PAGE_KEYS: readonly string[] = [...PAGING, 'withCount', 'cursor'];

export const CONTENT_PARAMS: readonly string[] = [
  ...['filters', 'sort', 'fields', 'populate', 'status', 'locale', ...PAGING, '_q'],
  ...['publicationFilter', 'hasPublishedVersion', 'pagination', 'count', 'ordering', 'release'],
];
const KNOWN: ReadonlySet<string> = new Set(CONTENT_PARAMS);

/**
 * Names without effect, from earlier versions of Strapi and other servers, with the parameters that people mean by
 * them.
 */
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

/** The parameter that a name without effect probably means. Strapi 3 wrote underscores in front. */
function meant(name: string): string | undefined {
  const near = nearest(name.replace(/^_+/, '').replaceAll(/[_-]/g, ''), SUGGESTED) ?? nearest(name, SUGGESTED);
  return near === undefined ? undefined : (REPLACEMENTS.get(near) ?? near);
}

const unknownParam = (key: string) => invalidKey({ key, path: null, source: 'query', param: key, nearest: meant(key) });

/**
 * Refuses the first unknown parameter.
 *
 * @param added names that the project adds.
 * @throws ContentError 400 for that parameter.
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
 * Refuses the first of `page`, `pageSize`, `start` and `limit` outside of `pagination`. Strapi knows these names, but
 * they have no effect on answers of the server. Project code may read them.
 *
 * @throws ContentError 400 that names the parameter with an effect.
 */
export function refuseIgnored(params: object): void {
  const key = Object.keys(params).find((name) => PAGING.includes(name));
  if (key !== undefined) throw unknownParam(key);
}
