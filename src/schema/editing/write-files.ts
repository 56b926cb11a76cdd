/**
 * Writes files of `src/api` and `src/components`: all or none, as far as a file system permits, and never over a version
 * that the writer does not know.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import type { FileChange } from './editing.ts';

/** Files are not as they were when the change was planned. */
export class FilesChanged extends Error {
  readonly files: readonly string[];

  constructor(files: readonly string[]) {
    super(`changed meanwhile: ${files.join(', ')}`);
    this.files = files;
  }
}

/** A path of which files are not written: outside of the two folders, or behind a symbolic link. */
export class UnsafePath extends Error {}

const HOMES = ['src/api', 'src/components'];
const SEGMENT = /^[A-Za-z0-9_-]+(?:\.(?:json|[jt]s))?$/;

/** The text of a file in a project; null if there is none. @throws UnsafePath for a file that may not be written. */
export function currentText(dir: string, file: string): string | null {
  requireSafe(dir, file);
  const path = join(dir, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Whether the folders of schema files can be written. */
export function canWriteSchemas(dir: string): boolean {
  const folders = HOMES.map((home) => join(dir, home)).filter((home) => existsSync(home));
  try {
    for (const folder of folders.length > 0
      ? folders
      : [join(dir, 'src'), dir].filter((one) => existsSync(one)).slice(0, 1)) {
      accessSync(folder, constants.W_OK);
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes and removes files.
 *
 * @throws FilesChanged if a file is not as `before` says; nothing is written then. UnsafePath. NodeJS.ErrnoException if
 * a file cannot be written; the files are then as they were.
 */
export function writeFiles(dir: string, changes: readonly FileChange[]): void {
  for (const { file } of changes) requireSafe(dir, file);
  const temporary = new Map<string, string>();
  const written: string[] = [];
  const done: FileChange[] = [];
  try {
    for (const { file, after } of changes) {
      if (after === null) continue;
      written.push(...makeFolders(join(dir, posix.dirname(file))));
      temporary.set(file, writeTemporary(join(dir, file), after));
    }
    const changed = changes.filter(({ file, before }) => currentText(dir, file) !== before);
    if (changed.length > 0) throw new FilesChanged(changed.map(({ file }) => file));
    for (const change of changes) {
      const path = join(dir, change.file);
      if (change.after === null) rmSync(path);
      else renameSync(temporary.get(change.file)!, path);
      temporary.delete(change.file);
      done.push(change);
    }
  } catch (error) {
    for (const { file, before } of done.reverse()) restore(join(dir, file), before);
    for (const path of temporary.values()) rmSync(path, { force: true });
    for (const folder of written.reverse()) removeEmpty(folder);
    throw error;
  }
  for (const { file, after } of changes) if (after === null) removeEmptyAbove(dir, file);
}

/** Writes a file whole, or removes it with the folders below `dir` that become empty. */
export function replaceFile(path: string, text: string | null, dir = dirname(path)): void {
  if (text === null) {
    rmSync(path, { force: true });
    removeEmptyAbove(dir, relative(dir, path).replaceAll(sep, '/'));
    return;
  }
  makeFolders(dirname(path));
  renameSync(writeTemporary(path, text), path);
}

/** Removes temporary files of a process that ended during a write. */
export function removeTemporary(dir: string, file: string): void {
  const folder = join(dir, posix.dirname(file));
  if (!existsSync(folder)) return;
  const prefix = `.${posix.basename(file)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length))) rmSync(join(folder, name));
  }
}

/** @throws UnsafePath */
function requireSafe(dir: string, file: string): void {
  const home = HOMES.find((one) => file.startsWith(`${one}/`));
  if (
    home === undefined ||
    !file
      .slice(home.length + 1)
      .split('/')
      .every((part) => SEGMENT.test(part))
  ) {
    throw new UnsafePath(`${file} is not a file that can be written here`);
  }
  const root = realpathSync(dir);
  for (let path = file; path !== '.'; path = posix.dirname(path)) {
    const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
    if (!stats) continue;
    if (stats.isSymbolicLink()) throw new UnsafePath(`${path} is a symbolic link, which is not followed`);
    if (realpathSync(join(dir, path)) !== join(root, path)) throw new UnsafePath(`${path} leads out of the project`);
  }
}

/** Makes a folder with those above it, and returns the new ones, the topmost first. */
function makeFolders(folder: string): string[] {
  if (existsSync(folder)) return [];
  const folders = makeFolders(dirname(folder));
  mkdirSync(folder);
  return [...folders, folder];
}

/** Writes a hidden file beside a file, with its permissions, and returns its path. */
function writeTemporary(path: string, text: string): string {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const file = openSync(temporary, 'wx');
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats) chmodSync(temporary, stats.mode);
  return temporary;
}

function restore(path: string, before: string | null): void {
  if (before === null) rmSync(path, { force: true });
  else renameSync(writeTemporary(path, before), path);
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Removes the folders of a removed file that have become empty, below the two homes. */
function removeEmptyAbove(dir: string, file: string): void {
  for (let folder = posix.dirname(file); folder !== '.' && !HOMES.includes(folder); folder = posix.dirname(folder)) {
    if (!removeEmpty(join(dir, folder))) return;
  }
}
