/** Parameters of requests for content: where the project wants no others (`rest.strictParams` of `config/api`). */
import { invalidKey } from '../errors.ts';
import { nearest } from '../nearest.ts';

export const CONTENT_PARAMS: readonly string[] = [
  ...['filters', 'sort', 'fields', 'populate', 'status', 'locale', 'page', 'pageSize', 'start', 'limit', '_q'],
  ...['publicationFilter', 'hasPublishedVersion', 'pagination', 'count', 'ordering'],
];
const KNOWN: ReadonlySet<string> = new Set(CONTENT_PARAMS);

/**
 * @param added names that the project adds to them.
 * @throws ContentError 400 for the first parameter that nobody knows.
 */
export function refuseUnknown(params: object, added?: { has(name: string): boolean }): void {
  const key = Object.keys(params).find((name) => !KNOWN.has(name) && !added?.has(name));
  if (key === undefined) return;
  throw invalidKey({ key, path: null, source: 'query', param: key, nearest: nearest(key, CONTENT_PARAMS) });
}
