/** Request body → the object of written values (docs/reference/http.md, "Paths and methods"). Knows no schema. */
import { validation } from '../errors.ts';
import { validationFailure } from '../failures.ts';
import { isObject } from '../plain-values.ts';

export type WrittenData = Readonly<Record<string, unknown>>;

/**
 * The `data` object of a write. Other keys are ignored.
 *
 * @throws ContentError 400 when there is none, or it is not an object.
 */
export function parseBody(body: unknown): WrittenData {
  const data = isObject(body) ? body['data'] : undefined;
  if (Array.isArray(data)) throw validationFailure(undefined, 'data must be an object', data);
  if (!isObject(data)) throw validation('Missing "data" payload in the request body');
  return data;
}
