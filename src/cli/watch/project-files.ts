/** The files that a project is made of, with their versions, and the folders that they lie in. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { EMPTY, type Versions } from './settling.ts';

/** Folders of a project that are read with everything below. */
const FOLDERS = ['src', 'config'];
/** Folders that hold nothing of the project's own making, wherever they are; those with a dot are left out as well. */
const IGNORED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build']);
const READ = /\.(?:json|[cm]?[jt]s)$/;
/** Beside these, what may start Strapi. */
const TOP = /^(?:\.env|package\.json|tsconfig\.json|.*\.[cm]?[jt]s)$/;

export interface ProjectTree {
  /** Paths with forward slashes, in the project. */
  readonly files: Versions;
  /** Absolute paths with the number of their inode, the project's own among them. */
  readonly folders: ReadonlyMap<string, number>;
}

/**
 * Looks at a project. What vanishes meanwhile is left out.
 *
 * @param imported paths of files elsewhere in the project that its code imports.
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
      const place = path.posix.join(below, entry.name);
      if (entry.isDirectory()) walk(place, isOfProject);
      else {
        const version = versionOf(path.join(dir, place));
        if (version !== undefined) files.set(place, version);
      }
    }
  };
  walk('', (entry) => (entry.isDirectory() ? FOLDERS.includes(entry.name) : TOP.test(entry.name)));
  for (const place of imported) {
    const folder = path.dirname(path.join(dir, place));
    const [stats, version] = [statSync(folder, { throwIfNoEntry: false }), versionOf(path.join(dir, place))];
    if (stats) folders.set(folder, stats.ino);
    if (version !== undefined) files.set(place, version);
  }
  return { files, folders };
}

/** Whether a change of this name, in the project's own folder or below, may be a change of the project. */
export function mayMatter(name: string, isTop: boolean): boolean {
  return isTop ? FOLDERS.includes(name) || TOP.test(name) : !isHidden(name);
}

const isOfProject = (entry: Dirent): boolean =>
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
