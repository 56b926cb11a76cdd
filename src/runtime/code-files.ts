/** The code files of a project by API, kind and name, as the reference loads them. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Catalog } from '../schema/catalog.ts';
import { normalName } from '../schema/normal-name.ts';

export type CodeKind =
  | 'routes'
  | 'controllers'
  | 'services'
  | 'policies'
  | 'middlewares'
  | 'lifecycles'
  | 'index'
  | 'apiIndex'
  /** Changes a plugin, which `name` names. */
  | 'extension';

export interface CodeFile {
  readonly kind: CodeKind;
  /** Empty for files outside of APIs. */
  readonly api: string;
  readonly name: string;
  /** Path inside the project. */
  readonly path: string;
}

/** Paths below `src`, without endings. */
const OF_APIS = /^api\/([^/]+)\/(routes|controllers|services|policies|middlewares)\/([^/]+)$/;
const OF_TYPES = /^api\/([^/]+)\/content-types\/([^/]+)\/([^/]+)$/;
const OF_PROJECT = /^(policies|middlewares)\/([^/]+)$/;
const OF_EXTENSIONS = /^extensions\/([^/]+)\/strapi-server$/;
const INDEX = /^(?:api\/([^/]+)\/)?index$/;

/**
 * The files that the reference loads, in its order: by the folder of the API, and within one by name. Names of APIs and
 * of their files are normalized; of several with one name the last counts, at the position of the first. Global
 * policies and middlewares have the names of their files.
 */
export function codeFiles(files: readonly { readonly path: string }[]): CodeFile[] {
  const found = files.flatMap(({ path }) => placed(path) ?? []).sort((a, b) => compare(a.order, b.order));
  // an API is the last folder of its name, with nothing of the others
  const folders = new Map(found.map(({ api, folder }) => [api, folder]));
  const counting = new Map<string, Placed>();
  for (const file of found) {
    if (folders.get(file.api) === file.folder) counting.set(`${file.kind} ${file.api} ${file.name}`, file);
  }
  return Array.from(counting.values(), ({ kind, api, name, path }) => ({ kind, api, name, path }));
}

/**
 * How the reference loads a file, by its path inside the project; undefined for a file that it does not load by
 * convention.
 */
export function codeFile(path: string): CodeFile | undefined {
  return placed(path);
}

interface Placed extends CodeFile {
  /** That of its API. */
  readonly folder: string;
  /** Its sort key. */
  readonly order: readonly string[];
}

/** How the reference loads a file, by its path; undefined for a file that it does not load by convention. */
function placed(path: string): Placed | undefined {
  const bare = /^(?:[^/]+\/)*?src\/(.*?)\.(?:[cm]?[jt]s|json)$/.exec(path)?.[1];
  if (bare === undefined) return undefined;
  const as = (kind: CodeKind, name: string, folder = ''): Placed => {
    // the ending counts: a-b.js precedes a.js
    const order = `${bare}.`.split('/');
    return { kind, api: normalName(folder), name, path, folder, order };
  };
  const [, folder, kind, file] = OF_APIS.exec(bare) ?? [];
  if (file !== undefined) return as(kind as CodeKind, normalName(file), folder);
  const [, owner, type, own] = OF_TYPES.exec(bare) ?? [];
  if (own !== undefined)
    return normalName(own) === 'lifecycles' ? as('lifecycles', normalName(type!), owner) : undefined;
  const [, common, name] = OF_PROJECT.exec(bare) ?? [];
  if (name !== undefined) return as(common as CodeKind, name);
  const [, plugin] = OF_EXTENSIONS.exec(bare) ?? [];
  // the reference looks for extensions in small letters
  if (plugin !== undefined) return as('extension', plugin.toLowerCase());
  const [index, indexed] = INDEX.exec(bare) ?? [];
  if (index === undefined) return undefined;
  return indexed === undefined ? as('index', 'index') : as('apiIndex', 'index', indexed);
}

function compare(some: readonly string[], others: readonly string[]): number {
  const at = some.findIndex((one, index) => one !== others[index]);
  if (at < 0) return some.length - others.length;
  return others[at] === undefined || some[at]! > others[at] ? 1 : -1;
}

/** `api::article.is-owner`, `global::is-owner`. */
export function uidOf({ api, name }: Pick<CodeFile, 'api' | 'name'>): string {
  return api === '' ? `global::${name}` : `api::${api}.${name}`;
}

/** The uid of the type that lifecycles are of: it is called as its schema says, and its folder may be called otherwise. */
export function typeOfFolder(
  catalog: Catalog,
  { dir, api, name, path }: Pick<CodeFile, 'api' | 'name' | 'path'> & { readonly dir: string },
): string {
  const uid = `api::${api}.${name}`;
  if (catalog.contentTypes.has(uid)) return uid;
  try {
    const schema = JSON.parse(readFileSync(join(dir, dirname(path), 'schema.json'), 'utf8')) as {
      info?: { singularName?: string };
    };
    return `api::${api}.${schema.info?.singularName}`;
  } catch {
    return uid;
  }
}
