/**
 * Where the files of this package are, and how its commands are typed. The compiled program is bundled, so the place of
 * a module in `src` says nothing about where it runs. Only this module checks its location: in `src`, or in the bundle
 * in `dist`.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The folder of the running program: `src`, or `dist` where it is compiled. */
export const PROGRAM_FOLDER = import.meta.dirname;

/** The folder of the package: a checkout, or the folder in `node_modules`. */
export const PACKAGE_FOLDER = path.dirname(PROGRAM_FOLDER);

/** The version in the package's package.json: `0.1.0`. */
export function packageVersion(): string {
  const text = readFileSync(path.join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Modules that start as threads or processes, as paths without extensions. The build makes a file of each. */
export const ENTRIES = [
  'main',
  'content/validation/password-worker',
  'db/sqlite/copy-process',
  'db/sqlite/readers/parent-watch',
  'db/sqlite/readers/reader-process',
  'media/images/image-process',
  'users/mail/mail-worker',
] as const;

/** The file of such a module: the source or the compiled one, like the running program. */
export const entryFile = (entry: (typeof ENTRIES)[number]): string =>
  path.join(PROGRAM_FOLDER, `${entry}${path.extname(import.meta.filename)}`);

/** The folders that decide how a command is typed; they default to those of this process. */
interface Place {
  readonly workingFolder: string;
  readonly packageFolder: string;
}

const THIS_PLACE = (): Place => ({ workingFolder: process.cwd(), packageFolder: PACKAGE_FOLDER });

/**
 * How a user types a command for a project: `npx galley …` where the project has this package installed, the npm script
 * of a checkout, else `galley …`. Every message that suggests a command uses this. The text names only folders below the
 * working folder.
 *
 * @param words the command without the name of the program: `token list`.
 * @param dir the folder of the project.
 */
export function commandText(words: string, dir: string, place: Place = THIS_PLACE()): string {
  const folder = placeFrom(isCheckout(dir, place) ? place.packageFolder : place.workingFolder, dir);
  return [programText(dir, place), words, ...(folder === '' ? [] : [folder])].join(' ');
}

/** The name of the program in the working folder. Each refused request has it in its log line, so it is found once. */
let nameHere: string | undefined;

/**
 * How a user types the name of the program for a project: `npx galley`.
 *
 * @param dir the folder of the project; undefined for the working folder.
 */
export function programText(dir?: string, place: Place = THIS_PLACE()): string {
  if (dir === undefined) {
    nameHere ??= programText(process.cwd(), place);
    return nameHere;
  }
  if (isInstalled(dir, place)) return 'npx galley';
  return isCheckout(dir, place) ? 'npm run -s galley --' : 'galley';
}

/** The path of a page of the documentation, for messages: inside `node_modules` for users of the package. */
export function docsPath(page: string, place: Place = THIS_PLACE()): string {
  const isPackage =
    isInstalled(place.workingFolder, place) || place.packageFolder.split(path.sep).includes('node_modules');
  return `${isPackage ? 'node_modules/galley/' : ''}docs/${page}`;
}

const isInstalled = (dir: string, { packageFolder }: Place): boolean =>
  foldersFrom(dir).some((folder) => isSame(path.join(folder, 'node_modules/galley'), packageFolder));

/** Whether the program runs from its repository, whose npm script starts in the folder of the package. */
const isCheckout = (dir: string, place: Place): boolean =>
  !isInstalled(dir, place) && !place.packageFolder.split(path.sep).includes('node_modules');

/** A folder and those above it. */
function foldersFrom(dir: string): string[] {
  const above = path.dirname(dir);
  return above === dir ? [dir] : [dir, ...foldersFrom(above)];
}

function isSame(one: string, other: string): boolean {
  return existsSync(one) && realpathSync(one) === realpathSync(other);
}

/** The path of a project folder relative to another folder; empty if both are the same. */
function placeFrom(folder: string, dir: string): string {
  const relative = path.relative(folder, dir);
  const isBelow = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return isBelow ? relative : `path/to/${path.basename(dir)}`;
}
