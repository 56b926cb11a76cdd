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

const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [...'"\\[]{}'].map((c) => c.charCodeAt(0));

/** Levels of lists and objects in JSON that is written: fewer than the JSON functions of every engine accept. */
export const JSON_DEPTH = 500;

/** Whether a JSON text has more levels than `JSON_DEPTH`. Most texts are too short: a level takes a character at both ends. */
export const isTooDeep = (text: string): boolean => text.length > 2 * JSON_DEPTH && isDeeper(text, JSON_DEPTH);

/** True for a JSON text with more levels of lists and objects. Scanning the text is quicker than walking its value. */
export function isDeeper(text: string, levels: number): boolean {
  let level = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === BRACKET || code === BRACE) {
      if (++level > levels) return true;
    } else if (code === BRACKET_END || code === BRACE_END) level--;
  }
  return false;
}
