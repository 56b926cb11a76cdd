/** Lists the files of a project with their versions, and their folders. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { EMPTY, type Versions } from './settling.ts';

/** Folders that are listed with everything below them. */
const FOLDERS = ['src', 'config'];
/** Folders without source files, at any depth. Folders that begin with a dot are ignored too. */
const IGNORED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build']);
const READ = /\.(?:json|[cm]?[jt]s)$/;
/** Files of the project's own folder: the environment, the package, TypeScript settings and code. */
const TOP = /^(?:\.env|package\.json|tsconfig\.json|.*\.[cm]?[jt]s)$/;

export interface ProjectTree {
  /** Paths relative to the project, with forward slashes. */
  readonly files: Versions;
  /** Inodes by absolute path, including the project's own folder. */
  readonly folders: ReadonlyMap<string, number>;
}

/**
 * Lists a project. Files that vanish meanwhile are left out.
 *
 * @param imported paths of files outside of `src` and `config` that the code imports.
 */
export function projectTree(dir: string, imported: readonly string[] = []): ProjectTree {
  const files = new Map<string, string>();
  const folders = new Map<string, number>();
  const walk = (below: string, keeps: (entry: Dirent) => boolean): void => {
    const folder = path.join(dir, below);
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return;
    folders.set(folder, stats.ino);
    for (const entry of entriesOf(folder)) {
      if (!keeps(entry)) continue;
      const relative = path.posix.join(below, entry.name);
      if (entry.isDirectory()) walk(relative, isSource);
      else {
        const version = versionOf(path.join(dir, relative));
        if (version !== undefined) files.set(relative, version);
      }
    }
  };
  walk('', (entry) => (entry.isDirectory() ? FOLDERS.includes(entry.name) : TOP.test(entry.name)));
  for (const relative of imported) {
    const file = path.join(dir, relative);
    const [folder, version] = [path.dirname(file), versionOf(file)];
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats) folders.set(folder, stats.ino);
    if (version !== undefined) files.set(relative, version);
  }
  return { files, folders };
}

/** Whether a change of an entry may concern the project. @param isTop whether it is in the project's own folder. */
export function mayMatter(name: string, isTop: boolean): boolean {
  return isTop ? FOLDERS.includes(name) || TOP.test(name) : !isHidden(name);
}

const isSource = (entry: Dirent): boolean =>
  !isHidden(entry.name) && (entry.isDirectory() ? !IGNORED.has(entry.name) : READ.test(entry.name));

const isHidden = (name: string): boolean => name.startsWith('.');

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function versionOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  return stats.size === 0 ? EMPTY : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
