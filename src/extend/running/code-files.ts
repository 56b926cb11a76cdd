/** The code files of a project by what they are to the reference: which API, which kind, which name. */
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
  return files.flatMap(({ path }) => {
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
