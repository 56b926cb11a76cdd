/** The code files of a project: which there are, what each is for, and their text. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isGenerated } from './generated.ts';

/** What a file is to Strapi. `code`: nothing by itself; others may import it. */
export type Role = 'routes' | 'controller' | 'service' | 'lifecycles' | 'index' | 'extension' | 'code';

export interface SourceFile {
  /** Path inside the project, with forward slashes. */
  readonly path: string;
  readonly role: Role;
  /** Folder below `src/api`, or `src/extensions`; empty for others. */
  readonly owner: string;
  /** The file's name without its ending; of lifecycles that of their type's folder. */
  readonly name: string;
  readonly text: string;
  /** Whether it asks for nothing but Strapi's defaults, in the words of Strapi's generators. */
  readonly generated: boolean;
}

const CODE = /\.[cm]?[jt]s$/;
const JSON_ROUTES = /^api\/[^/]+\/routes\/[^/]+\.json$/;
const ENDING = /\.(?:[cm]?[jt]s|json)$/;

const ROLES: readonly { readonly pattern: RegExp; readonly role: Role }[] = [
  { pattern: /^api\/([^/]+)\/routes\/([^/]+)$/, role: 'routes' },
  { pattern: /^api\/([^/]+)\/controllers\/([^/]+)$/, role: 'controller' },
  { pattern: /^api\/([^/]+)\/services\/([^/]+)$/, role: 'service' },
  { pattern: /^api\/([^/]+)\/content-types\/([^/]+)\/lifecycles$/, role: 'lifecycles' },
  { pattern: /^(?:api\/([^/]+)\/)?(index)$/, role: 'index' },
  { pattern: /^extensions\/([^/]+)\/(strapi-server)$/, role: 'extension' },
  { pattern: /^plugins\/([^/]+)\/(?:server\/)?(?:src\/)?(register|bootstrap)$/, role: 'index' },
];

export interface SourceOptions {
  readonly dir: string;
  /** Folders below `src/plugins` that the configuration enables. */
  readonly plugins: readonly string[];
}

/** The files of a project's `src`; of `dist/src`, which Strapi compiles it to, where `src` holds no code. */
export function findSources({ dir, plugins }: SourceOptions): SourceFile[] {
  for (const root of ['src', 'dist/src']) {
    const skips = (path: string): boolean => {
      const [first, second, ...rest] = path.split('/');
      if (first === 'admin') return true;
      if (first !== 'plugins' || second === undefined) return false;
      return !plugins.includes(second) || rest.includes('admin') || rest.includes('dist');
    };
    const isCode = (path: string) => CODE.test(path) && !path.endsWith('.d.ts');
    const found = filesBelow(join(dir, root), skips).filter((path) => isCode(path) || JSON_ROUTES.test(path));
    const read = (path: string) => sourceFile(`${root}/${path}`, readFileSync(join(dir, root, path), 'utf8'));
    if (found.length > 0) return found.map(read);
  }
  return [];
}

/** Paths (with slashes, in order) of the files below a folder, without packages, hidden files, and what `skips` says. */
export function filesBelow(dir: string, skips: (path: string) => boolean = () => false): string[] {
  const found: string[] = [];
  // links to folders are followed, as the code behind them is loaded under each of their paths; none within itself
  const visit = (path: string, above: readonly string[]): void => {
    const folder = realpathSync(join(dir, path));
    if (above.includes(folder)) return;
    const branch = [...above, folder];
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || skips(inner)) continue;
      const linked = entry.isSymbolicLink() ? statSync(join(dir, inner), { throwIfNoEntry: false }) : entry;
      if (linked?.isDirectory()) visit(inner, branch);
      else if (linked) found.push(inner);
    }
  };
  if (existsSync(dir)) visit('', []);
  return found.sort();
}

/** The file at a path inside the project with its text. */
export function sourceFile(path: string, text: string): SourceFile {
  const bare = path.replace(/^(?:dist\/)?src\//, '').replace(ENDING, '');
  const match = ROLES.map(({ pattern, role }) => ({ role, found: pattern.exec(bare) })).find(({ found }) => found);
  const owner = match?.found?.[1] ?? '';
  const name = match?.found?.[2] ?? posix.basename(bare);
  const role = match?.role ?? 'code';
  const uid = role === 'routes' || role === 'controller' || role === 'service' ? `api::${owner}.${name}` : undefined;
  const generated = (uid !== undefined || role === 'index') && isGenerated(text, uid);
  return { path, role, owner, name, text, generated };
}
