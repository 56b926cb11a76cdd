/** The code files of a project: which there are, and which of them Strapi's generators wrote. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { CodeConfig } from '../config/config.ts';
import { overshadowed } from '../config/modules/resolver.ts';
import { compiledFolder, isCompiled } from '../config/modules/tsconfig.ts';
import { UsageError } from '../errors.ts';
import { codeFile, uidOf } from './code-files.ts';
import { isGenerated } from './generated.ts';

export interface SourceFile {
  /** Path inside the project, with forward slashes. */
  readonly path: string;
  /** Whether it contains only generated code, which requests the defaults. */
  readonly generated: boolean;
  /** Whether its text contains the word `strapi`. */
  readonly namesStrapi: boolean;
}

/** Files and folders of a project's `src`, and of its `config`, that are visited at most (docs/reference/limits.md). */
const MOST_PATHS = 20_000;

const CODE = /\.[cm]?[jt]s$/;
const JSON_ROUTES = /^api\/[^/]+\/routes\/[^/]+\.json$/;
const ENDING = /\.(?:[cm]?[jt]s|json)$/;

/** Folders of a project that contain code which Strapi runs. */
const FOLDERS = ['src', 'config'];

/**
 * The code files of a project's `src` and `config`. In a TypeScript project also compiled files without a source:
 * Strapi runs the files of `dist`.
 *
 * @throws UsageError for a folder with more than ${MOST_PATHS} files and folders.
 */
export function findSources({ dir, plugins }: { dir: string; plugins: CodeConfig['plugins'] }): SourceFile[] {
  const enabled = plugins.filter((plugin) => plugin.enabled).map((plugin) => ownPlugin(dir, plugin.resolve ?? ''));
  const skips = (path: string): boolean => {
    const [first, second, ...rest] = path.split('/');
    if (first === 'admin') return true;
    if (first !== 'plugins' || second === undefined) return false;
    return !enabled.includes(second) || rest.includes('admin') || rest.includes('dist');
  };
  const below = (root: string, folder: string): readonly string[] => {
    const listed = pathsBelow(join(dir, root), MOST_PATHS, folder === 'src' ? skips : undefined);
    if (!listed.isWhole) throw new UsageError(`${root} has more than ${MOST_PATHS} files and folders`, 1);
    const paths = asAskedFor(listed.paths, (path) => existsSync(join(dir, root, path)));
    const isCode = (path: string) => CODE.test(path) && !path.endsWith('.d.ts');
    const code = paths.filter((path) => isCode(path) || (folder === 'src' && JSON_ROUTES.test(path)));
    const others = overshadowed(dir, code);
    return code.filter((path) => !others.has(path));
  };
  const compiled = compiledFolder(dir);
  const paths = FOLDERS.flatMap((folder) => {
    const root = `${compiled}/${folder}`;
    const [own, built] = [below(folder, folder), below(root, folder)];
    const sources = new Set(own.map(withoutEnding));
    const withoutSource = isCompiled(dir, own) ? built.filter((path) => !sources.has(withoutEnding(path))) : [];
    return [...own.map((one) => `${folder}/${one}`), ...withoutSource.map((one) => `${root}/${one}`)];
  });
  return paths.map((path) => {
    const text = readFileSync(join(dir, path), 'utf8');
    return { path, generated: isGeneratedFile(path, text), namesStrapi: text.includes('strapi') };
  });
}

/** Whether a file that the reference loads only requests the defaults of its type, or of a new project. */
function isGeneratedFile(path: string, text: string): boolean {
  const file = codeFile(path);
  if (file === undefined || path.endsWith('.json')) return false;
  switch (file.kind) {
    case 'routes':
    case 'controllers':
    case 'services':
      return isGenerated(text, uidOf(file));
    case 'index':
    case 'apiIndex':
      return isGenerated(text, undefined);
    default:
      return false;
  }
}

/** Folders and files below `src` that the reference reads by these names. */
const ASKED_FOR: ReadonlySet<string> = new Set([
  ...['api', 'extensions', 'plugins', 'policies', 'middlewares', 'routes', 'controllers', 'services', 'content-types'],
  ...['index', 'strapi-server'],
]);

/**
 * Paths below `src` as the reference reads them: on a case-insensitive file system it finds `Policies` as `policies`.
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

/**
 * Paths (with slashes, in order) of the files below a folder, without packages, hidden files, and paths that `skips`
 * excludes.
 *
 * @param most how many files and folders are visited. @returns also whether these are all.
 */
function pathsBelow(
  dir: string,
  most: number,
  skips: (path: string) => boolean = () => false,
): { readonly paths: string[]; readonly isWhole: boolean } {
  const found: string[] = [];
  let visited = 0;
  // links to folders are followed, since their code is loaded under each path; cycles are not
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
