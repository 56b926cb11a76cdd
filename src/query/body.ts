/** Request body → the object of written values, without the schema (docs/reference/http.md, "Paths and methods"). */
import { validation } from '../errors.ts';
import { validationFailure } from '../failures.ts';
import { isObject } from '../plain-values.ts';

export type WrittenData = Readonly<Record<string, unknown>>;

/**
 * Reads the `data` object of a write. Other keys are ignored.
 *
 * @throws ContentError 400 for a body without an object `data`.
 */
export function parseBody(body: unknown): WrittenData {
  const data = isObject(body) ? body['data'] : undefined;
  if (Array.isArray(data)) throw validationFailure(undefined, 'data must be an object', data);
  if (!isObject(data)) throw validation('Missing "data" payload in the request body');
  return data;
}
