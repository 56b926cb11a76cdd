/**
 * The shape of a request: its path without ids, and its query string without values. Neither contains content or secrets
 * of callers: what a caller can choose stays only if it is a name of the project.
 */
import type { Catalog } from '../../schema/catalog.ts';

/** Characters of a shape. */
const LONGEST = 300;
/** Parameters of a query string. */
const MOST_PARAMETERS = 30;

/** The name of a file: there are many of one kind. */
const FILE = /\.[a-z\d]{1,5}$/i;
const KEY = /^[\w$]{1,64}(?:\[[\w.$:-]{0,100}\])*$/;
const LOCALE = /^(?:[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,2}|\*)$/i;
const STATUS = /^(?:draft|published|live|preview)$/;

/** Words of the query language, and fields that every document has. */
const WORDS: readonly string[] = [
  ...['filters', 'sort', 'fields', 'populate', 'locale', 'status', 'publicationState', 'pagination', '_q'],
  ...['page', 'pageSize', 'start', 'limit', 'withCount', 'on', 'count', 'asc', 'desc', 'true', 'false', '*'],
  ...['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'firstPublishedAt'],
  ...['localizations', 'createdBy', 'updatedBy'],
];
const ROOTS: ReadonlySet<string> = new Set(WORDS.slice(0, WORDS.indexOf('page')));

/** The names of a project that shapes of requests may contain. Without a project there are none. */
export class KnownNames {
  /** Parts of paths by their lower case. */
  #parts: ReadonlyMap<string, string> = new Map();
  #fields: ReadonlySet<string> = new Set(WORDS);
  #app: string | undefined;

  /**
   * Replaces the names by those of a project.
   *
   * @param paths of all routes, with parameters as `:name`, `{name}` or an expression.
   * @param app the path of the administration app.
   */
  replace({ contentTypes, components }: Catalog, paths: readonly string[], app?: string): void {
    this.#app = app?.toLowerCase();
    const models = [...contentTypes.values(), ...components.values()];
    const uids = models.map(({ uid }) => uid);
    const parts = paths.flatMap((path) => path.split('/')).filter((part) => part !== '' && !/[:{}()*]/.test(part));
    this.#parts = new Map(
      [...parts, ...uids, 'uploads', '_health', '_ready'].map((part) => [part.toLowerCase(), part]),
    );
    this.#fields = new Set([...WORDS, ...uids, ...models.flatMap(({ attributes }) => [...attributes.keys()])]);
  }

  /** True for a request of the administration app, and of its pages and files. */
  isOfApp(target: string): boolean {
    return this.#app !== undefined && target.slice(0, this.#app.length + 1).toLowerCase() === `${this.#app}/`;
  }

  /** The part of a route that a part of a path is; undefined for any other. */
  partOf(part: string): string | undefined {
    return this.#parts.get((decoded(part) ?? part).toLowerCase());
  }

  /** True for a name of the schema and a word of the query language. */
  isField(name: string): boolean {
    return this.#fields.has(name);
  }
}

/** The path of a target without ids and names of files: `/api/articles/:id`. */
export function pathShape(target: string, names: KnownNames): string {
  const query = target.indexOf('?');
  const path = (query === -1 ? target : target.slice(0, query)).slice(0, LONGEST);
  const parts = path.split('/').map((part) => {
    if (part === '') return '';
    return names.partOf(part) ?? (FILE.test(part) ? ':file' : ':id');
  });
  return parts.join('/') || '/';
}

/**
 * The query string of a target with names alone, decoded: names of fields, locales and page numbers stay, and any other
 * value becomes another one of its kind (`1`, `x`), so that the query still means the same kind of read. Parameters that
 * are not understood are left out.
 */
export function queryShape(target: string, names: KnownNames): string {
  const query = target.indexOf('?');
  if (query === -1) return '';
  const shown: string[] = [];
  let length = 0;
  for (const parameter of target.slice(query + 1, query + 4000).split('&', MOST_PARAMETERS)) {
    const equals = parameter.indexOf('=');
    if (equals === -1) continue;
    const key = decoded(parameter.slice(0, equals));
    const value = decoded(parameter.slice(equals + 1));
    if (key === undefined || value === undefined || !hasKnownKey(key, names)) continue;
    const visible = keptValue(key, value, names);
    if (visible === undefined) continue;
    length += key.length + visible.length + 2;
    if (length > 2 * LONGEST) break;
    shown.push(`${key}=${visible}`);
  }
  return shown.join('&');
}

/** Whether each part of the key is a number, an operator or a name of the project. */
function hasKnownKey(key: string, names: KnownNames): boolean {
  if (!KEY.test(key)) return false;
  const [root, ...parts] = key.split(/[[\]]+/).filter((part) => part !== '');
  return ROOTS.has(root!) && parts.every((part) => /^(?:\d{1,3}|\$[a-z]{1,14})$/i.test(part) || names.isField(part));
}

/** The value that is shown for one; undefined if the parameter is left out. */
function keptValue(key: string, value: string, names: KnownNames): string | undefined {
  const root = key.split('[', 1)[0]!;
  if (key.includes('[cursor]')) return undefined;
  if (root === 'status' || root === 'publicationState') return STATUS.test(value) ? value : undefined;
  if (root === 'locale' || key.endsWith('[locale]')) return LOCALE.test(value) ? value : undefined;
  if (root === 'pagination') return /^(?:\d{1,9}|true|false)$/.test(value) ? value : undefined;
  const isFilter = key.includes('filters') || key.includes('$');
  const isOfNames = root === 'sort' || root === 'fields' || root === 'populate';
  if (isOfNames && !isFilter) return hasNamesOnly(value, names) ? value : undefined;
  return sameKind(value);
}

function hasNamesOnly(value: string, names: KnownNames): boolean {
  const words = value.split(/[\s,.:]+/);
  return value.length <= LONGEST && words.every((word) => names.isField(word) || names.isField(word.toLowerCase()));
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
