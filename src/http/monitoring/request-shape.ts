/**
 * The shape of a request: its path without ids, and its query string without values. Neither contains content or secrets
 * of callers.
 */

/** Characters of a shape, of one part of a path, and of one name. */
const LONGEST = 300;
const PART = 40;
const NAME = 64;
/** Parameters of a query string. */
const MOST_PARAMETERS = 30;

/** A part of a path that a route is likely to name; all others may be ids, names or tokens. */
const WORD = /^[a-z]{1,20}\d{0,2}(?:[-_.][a-z]{1,20}\d{0,2})*$/i;
/** The name of a file: there are many of one kind. */
const FILE = /\.[a-z\d]{1,5}$/i;
const KEY = /^[\w$]{1,64}(?:\[[\w.$:-]{0,100}\])*$/;
const NAMES = /^[\w.:*,\s-]+$/;
const LOCALE = /^(?:[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,2}|\*)$/i;

/** The path of a target without ids and names of files: `/api/articles/:id`. */
export function pathShape(target: string): string {
  const query = target.indexOf('?');
  const path = (query === -1 ? target : target.slice(0, query)).slice(0, LONGEST);
  const parts = path.split('/').map((part) => {
    if (part === '') return '';
    if (FILE.test(part)) return ':file';
    return part.length <= PART && WORD.test(part) ? part : ':id';
  });
  return parts.join('/') || '/';
}

/**
 * The query string of a target with names alone, decoded: names of fields, locales and page numbers stay, and any other
 * value becomes another one of its kind (`1`, `x`), so that the query still means the same kind of read. Parameters that
 * are not understood are left out.
 */
export function queryShape(target: string): string {
  const query = target.indexOf('?');
  if (query === -1) return '';
  const shown: string[] = [];
  let length = 0;
  for (const parameter of target.slice(query + 1, query + 4000).split('&', MOST_PARAMETERS)) {
    const equals = parameter.indexOf('=');
    if (equals === -1) continue;
    const key = decoded(parameter.slice(0, equals));
    const value = decoded(parameter.slice(equals + 1));
    if (key === undefined || value === undefined || !KEY.test(key)) continue;
    const kept = keptValue(key, value);
    if (kept === undefined) continue;
    length += key.length + kept.length + 2;
    if (length > 2 * LONGEST) break;
    shown.push(`${key}=${kept}`);
  }
  return shown.join('&');
}

/** The value that is shown for one; undefined if the parameter is left out. */
function keptValue(key: string, value: string): string | undefined {
  const root = key.split('[', 1)[0]!;
  if (key.includes('[cursor]')) return undefined;
  if (root === 'status' || root === 'publicationState') return /^[a-z]{4,9}$/.test(value) ? value : undefined;
  if (root === 'locale' || key.endsWith('[locale]')) return LOCALE.test(value) ? value : undefined;
  if (root === 'pagination') return /^(?:\d{1,9}|true|false)$/.test(value) ? value : undefined;
  const isFilter = key.includes('filters') || key.includes('$');
  const isOfNames = root === 'sort' || root === 'fields' || root === 'populate';
  if (isOfNames && !isFilter) return hasNamesOnly(value) ? value : undefined;
  return sameKind(value);
}

function hasNamesOnly(value: string): boolean {
  return value.length <= LONGEST && NAMES.test(value) && value.split(',').every((name) => name.length <= NAME);
}

/** A value of the same kind that reveals nothing. */
function sameKind(value: string): string {
  if (value === 'true' || value === 'false') return value;
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return '1';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return '2000-01-01T00:00:00.000Z';
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return '2000-01-01';
  if (/^\d\d:\d\d/.test(value)) return '00:00:00.000';
  return 'x';
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
