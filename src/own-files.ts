/**
 * Where the files of this package are. The compiled program is bundled: what a module was written next to tells nothing of
 * where it runs. This module lies in `src`, and what contains it in `dist`, so only this one asks where it is.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The folder of the running program: `src`, or `dist` where it is compiled. */
export const PROGRAM_FOLDER = import.meta.dirname;

/** The folder of the package, in a checkout as where it is installed. */
export const PACKAGE_FOLDER = path.dirname(PROGRAM_FOLDER);

/** The version in the package's package.json: `0.1.0`. */
export function packageVersion(): string {
  const text = readFileSync(path.join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Modules that start as threads and processes of their own, by their paths without endings. Each is built as a file. */
export const ENTRIES = [
  'main',
  'content/validation/password-worker',
  'db/sqlite/readers/parent-watch',
  'db/sqlite/readers/reader-process',
  'media/images/image-process',
  'users/mail/mail-worker',
] as const;

/** The file of such a module: source or compiled, as what runs is. */
export const entryFile = (entry: (typeof ENTRIES)[number]): string =>
  path.join(PROGRAM_FOLDER, `${entry}${path.extname(import.meta.filename)}`);

/** Where a command is given, and what is installed there. */
interface Place {
  readonly workingFolder: string;
  readonly packageFolder: string;
}

/**
 * How a command of this program is given where a project is served: by npm where the project has it installed, by the
 * script of a checkout, else by its name. It tells no folder but those below the working folder.
 *
 * @param words what stands behind the name of the program.
 * @param dir the folder of the project.
 */
export function commandText(
  words: string,
  dir: string,
  { workingFolder, packageFolder }: Place = { workingFolder: process.cwd(), packageFolder: PACKAGE_FOLDER },
): string {
  const isInstalled = foldersFrom(dir).some((folder) =>
    isSame(path.join(folder, 'node_modules/galley'), packageFolder),
  );
  // a script of npm runs in the folder of the package
  const isCheckout = !isInstalled && !packageFolder.split(path.sep).includes('node_modules');
  const given = isInstalled ? 'npx galley' : isCheckout ? 'npm run -s galley --' : 'galley';
  const place = placeFrom(isCheckout ? packageFolder : workingFolder, dir);
  return [given, words, ...(place === '' ? [] : [place])].join(' ');
}

/** A folder and those above it. */
function foldersFrom(dir: string): string[] {
  const above = path.dirname(dir);
  return above === dir ? [dir] : [dir, ...foldersFrom(above)];
}

function isSame(one: string, other: string): boolean {
  return existsSync(one) && realpathSync(one) === realpathSync(other);
}

/** A folder as it is named from another one; empty where it is the same. */
function placeFrom(folder: string, dir: string): string {
  const way = path.relative(folder, dir);
  const isBelow = way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
  return isBelow ? way : `path/to/${path.basename(dir)}`;
}
