/** The code files of a project: which there are, what each is for, and their text. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import type { CodeConfig } from '../config/config.ts';
import { overshadowed } from '../config/modules/resolver.ts';
import { compiledFolder, isCompiled } from '../config/modules/tsconfig.ts';
import { normalName } from '../schema/normal-name.ts';
import { isGenerated, saysValues } from './generated.ts';
import { replacedFiles } from './running/code-files.ts';
import { SOURCE_LIMITS, type SourceLimits } from './source-limits.ts';

/** What a file is to Strapi. `server`: it starts Strapi. `code`: nothing by itself; others may import it. */
export type Role = 'routes' | 'controller' | 'service' | 'lifecycles' | 'index' | 'extension' | 'server' | 'code';

export interface SourceFile {
  /** Path inside the project, with forward slashes. */
  readonly path: string;
  readonly role: Role;
  /** The API, or the plugin that is extended; empty for others. */
  readonly owner: string;
  /** What Strapi calls it: the file's name without its ending, of lifecycles that of their type's folder. */
  readonly name: string;
  readonly text: string;
  /** Whether it asks for nothing but Strapi's defaults, in the words of Strapi's generators, or only says values. */
  readonly generated: boolean;
  /** Why it was not read, where it was not: what is in it may do anything. */
  readonly unread?: string;
  /** Whether it is read only because other files import it: Strapi looks for nothing where it is. */
  readonly isElsewhere?: boolean;
  /** Paths of files that its imports lead to, by their names, where these do not tell the path. */
  readonly imports?: ReadonlyMap<string, string>;
}

const CODE = /\.[cm]?[jt]s$/;
const JSON_ROUTES = /^api\/[^/]+\/routes\/[^/]+\.json$/;
const ENDING = /\.(?:[cm]?[jt]s|json)$/;

const ROLES: readonly { readonly pattern: RegExp; readonly role: Role }[] = [
  { pattern: /^api\/([^/]+)\/routes\/([^/]+)$/, role: 'routes' },
  { pattern: /^api\/([^/]+)\/controllers\/([^/]+)$/, role: 'controller' },
  { pattern: /^api\/([^/]+)\/services\/([^/]+)$/, role: 'service' },
  { pattern: /^(?:api\/([^/]+)\/)?(index)$/, role: 'index' },
  { pattern: /^extensions\/([^/]+)\/(strapi-server)$/, role: 'extension' },
  { pattern: /^plugins\/([^/]+)\/(?:server\/)?(?:src\/)?(register|bootstrap|destroy)$/, role: 'index' },
  { pattern: /^plugins\/([^/]+)\/(strapi-server|server\/(?:src\/)?index)$/, role: 'index' },
];

/** A file in the folder of a type. */
const LIFECYCLES = /^api\/([^/]+)\/content-types\/([^/]+)\/([^/]+)$/;

export interface SourceOptions {
  readonly dir: string;
  readonly plugins: CodeConfig['plugins'];
  /** Middlewares of the configuration, of which some may be elsewhere. */
  readonly middlewares?: CodeConfig['middlewares'];
  readonly limits?: SourceLimits;
}

/** Files of the configuration that Strapi looks for values in. */
const CONFIG = /^(?:(?!src\/)[^/]+\/)*config\/(?:env\/[^/]+\/)?(?:admin|api|database|middlewares|plugins|server)$/;

/** Folders of a project that contain code which Strapi runs. */
const FOLDERS = ['src', 'config'];

/**
 * The code files of a project's `src` and `config`, and those that they were compiled to: of TypeScript Strapi runs what
 * is in `dist`, also files whose source is gone.
 */
export function findSources({ dir, plugins, limits = SOURCE_LIMITS }: SourceOptions): SourceFile[] {
  const enabled = plugins.filter((plugin) => plugin.enabled).map((plugin) => ownPlugin(dir, plugin.resolve ?? ''));
  const skips = (path: string): boolean => {
    const [first, second, ...rest] = path.split('/');
    if (first === 'admin') return true;
    if (first !== 'plugins' || second === undefined) return false;
    return !enabled.includes(second) || rest.includes('admin') || rest.includes('dist');
  };
  const compiled = compiledFolder(dir);
  const found: SourceFile[] = [];
  const below = (root: string, folder: string): readonly string[] => {
    const listed = pathsBelow(join(dir, root), limits.paths, folder === 'src' ? skips : undefined);
    const { isWhole } = listed;
    const paths = asAskedFor(listed.paths, (path) => existsSync(join(dir, root, path)));
    if (!isWhole)
      found.push(unreadFile(root, `more than ${limits.paths} files and folders, those behind links included`));
    const isCode = (path: string) => CODE.test(path) && !path.endsWith('.d.ts');
    const code = paths.filter((path) => isCode(path) || (folder === 'src' && JSON_ROUTES.test(path)));
    const others = overshadowed(dir, code);
    return code.filter((path) => !others.has(path));
  };
  let bytes = 0;
  for (const folder of FOLDERS) {
    const root = `${compiled}/${folder}`;
    const [own, made] = [below(folder, folder), below(root, folder)];
    const sources = new Set(own.map(withoutEnding));
    const gone = isCompiled(dir, own) ? made.filter((path) => !sources.has(withoutEnding(path))) : [];
    for (const path of [...own.map((one) => `${folder}/${one}`), ...gone.map((one) => `${root}/${one}`)]) {
      const { size } = statSync(join(dir, path));
      bytes += size;
      if (size > limits.file) found.push(unreadFile(path, `longer than ${limits.file} bytes`));
      else if (bytes > limits.bytes) found.push(unreadFile(path, `beyond ${limits.bytes} bytes of code`));
      else found.push(sourceFile(path, readFileSync(join(dir, path), 'utf8')));
    }
  }
  const replaced = new Set(replacedFiles(found.map(({ path }) => path)));
  // another file, or folder, has its name: it is nothing by itself
  return found.map((file) => (replaced.has(file.path) ? { ...file, role: 'code' } : file));
}

/** Folders and files below `src` that the reference asks for by these names. */
const ASKED_FOR: ReadonlySet<string> = new Set([
  ...['api', 'extensions', 'plugins', 'policies', 'middlewares', 'routes', 'controllers', 'services', 'content-types'],
  ...['index', 'strapi-server'],
]);

/**
 * Paths below `src` as the reference asks for them: where the file system takes capital letters for small ones, it finds
 * `Policies` by `policies`.
 */
export function asAskedFor(paths: readonly string[], exists: (path: string) => boolean): string[] {
  const listed = new Set(paths);
  return paths.map((path) => {
    const segments = path.split('/').map((segment, index) => {
      const isAsked = (index === 0 || index === 2) && ASKED_FOR.has(segment.replace(ENDING, '').toLowerCase());
      return isAsked ? segment.toLowerCase() : segment;
    });
    const asked = segments.join('/');
    return asked !== path && !listed.has(asked) && exists(asked) ? asked : path;
  });
}

/** The folder below `src/plugins` that `resolve` of a plugin means; `config` in TypeScript means that of `dist`. */
export function ownPlugin(dir: string, place: string): string | undefined {
  const path = relative(dir, resolve(dir, place)).replaceAll('\\', '/');
  return /^(?:[^/]+\/)?src\/plugins\/([^/]+)/.exec(path)?.[1];
}

const withoutEnding = (path: string): string => path.replace(ENDING, '');

/** Paths (with slashes, in order) of the files below a folder, without packages, hidden files, and what `skips` says. */
export function filesBelow(dir: string, skips?: (path: string) => boolean): string[] {
  return pathsBelow(dir, SOURCE_LIMITS.paths, skips).paths;
}

/** The same, and whether these are all: `most` is how many files and folders are visited. */
export function pathsBelow(
  dir: string,
  most: number,
  skips: (path: string) => boolean = () => false,
): { readonly paths: string[]; readonly isWhole: boolean } {
  const found: string[] = [];
  let visited = 0;
  // links to folders are followed, as the code behind them is loaded under each of their paths; none within itself
  const visit = (path: string, above: readonly string[]): void => {
    const folder = realpathSync(join(dir, path));
    if (above.includes(folder)) return;
    const branch = [...above, folder];
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || skips(inner)) continue;
      visited++;
      if (visited > most) return;
      const linked = entry.isSymbolicLink() ? statSync(join(dir, inner), { throwIfNoEntry: false }) : entry;
      if (linked?.isDirectory()) visit(inner, branch);
      else if (linked) found.push(inner);
    }
  };
  if (existsSync(dir)) visit('', []);
  return { paths: found.sort(), isWhole: visited <= most };
}

/** A file, or a folder, that was not read. */
export function unreadFile(path: string, unread: string): SourceFile {
  return { ...sourceFile(path, ''), generated: false, unread };
}

/** The file at a path inside the project with its text. */
export function sourceFile(path: string, text: string): SourceFile {
  const { role, owner, name } = placeOf(path);
  const uid = role === 'routes' || role === 'controller' || role === 'service' ? `api::${owner}.${name}` : undefined;
  const isKnown =
    uid !== undefined || role === 'index'
      ? isGenerated(text, uid)
      : CONFIG.test(path.replace(ENDING, '')) && saysValues(text);
  return { path, role, owner, name, text, generated: isKnown };
}

/** What a path says of its file. Names of APIs, and of what is theirs, are normal ones. */
function placeOf(path: string): Pick<SourceFile, 'role' | 'owner' | 'name'> {
  const bare = path.replace(/^(?!config\/)(?:[^/]+\/)*?src\//, '').replace(ENDING, '');
  const [, api, type, file = ''] = LIFECYCLES.exec(bare) ?? [];
  if (normalName(file) === 'lifecycles')
    return { role: 'lifecycles', owner: normalName(api!), name: normalName(type!) };
  for (const { pattern, role } of ROLES) {
    const [found, owner = '', name = ''] = pattern.exec(bare) ?? [];
    if (found === undefined) continue;
    // the reference looks for extensions in small letters
    if (role === 'extension') return { role, owner: owner.toLowerCase(), name };
    return bare.startsWith('api/') ? { role, owner: normalName(owner), name: normalName(name) } : { role, owner, name };
  }
  return { role: 'code', owner: '', name: posix.basename(bare) };
}
