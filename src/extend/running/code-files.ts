/** The code files of a project by what they are to the reference: which API, which kind, which name. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Catalog } from '../../schema/catalog.ts';
import type { SourceFile } from '../source-files.ts';

export type CodeKind =
  | 'routes'
  | 'controllers'
  | 'services'
  | 'policies'
  | 'middlewares'
  | 'lifecycles'
  | 'index'
  | 'apiIndex';

export interface CodeFile {
  readonly kind: CodeKind;
  /** Empty for what belongs to no API. */
  readonly api: string;
  readonly name: string;
  /** Path inside the project. */
  readonly path: string;
}

const PLACES: readonly { readonly pattern: RegExp; readonly kind?: CodeKind }[] = [
  { pattern: /^api\/([^/]+)\/(routes|controllers|services|policies|middlewares)\/([^/]+)$/ },
  { pattern: /^api\/([^/]+)\/content-types\/([^/]+)\/lifecycles$/, kind: 'lifecycles' },
  { pattern: /^()(policies|middlewares)\/([^/]+)$/ },
  { pattern: /^api\/([^/]+)\/(index)$/, kind: 'apiIndex' },
  { pattern: /^()(index)$/, kind: 'index' },
];

/** The files that the reference loads, in its order: by API, and within one by name. */
export function codeFiles(files: readonly SourceFile[]): CodeFile[] {
  return files.flatMap(({ path, isElsewhere }) => {
    if (isElsewhere) return [];
    const bare = /^(?:[^/]+\/)*?src\/(.*?)\.(?:[cm]?[jt]s|json)$/.exec(path)?.[1];
    if (bare === undefined) return [];
    for (const { pattern, kind } of PLACES) {
      const [, api, second, third] = pattern.exec(bare) ?? [];
      if (api === undefined) continue;
      const name = kebabCase(third ?? second!);
      return [{ kind: kind ?? (second as CodeKind), api: kebabCase(api), name, path }];
    }
    return [];
  });
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

/** `homePage` and `home_page` are `home-page`, as the reference names what is in files. */
export function kebabCase(name: string): string {
  if (/^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(name) || name === '') return name;
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
}
