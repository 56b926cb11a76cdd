/** Where a project has its `src/galley`. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { compiledFolder } from '../../config/modules/tsconfig.ts';
import { UsageError } from '../../errors.ts';

const ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].flatMap((ending) => [`.${ending}`, `/index.${ending}`]);

/** Paths of the file without its ending, by precedence: the source, and the compiled file. */
export const placesOf = (dir: string): readonly string[] => ['src/galley', `${compiledFolder(dir)}/src/galley`];

/** Whether a path inside a project is of the file. */
export const isOwnCode = (path: string): boolean =>
  /^(?!config\/)(?:(?!src\/)[^/]+\/)*src\/galley(?:\/index)?\.[cm]?[jt]s$/.test(path);

/** Similar names, as a file or as a folder with an index. */
const ALIKE = /^galley(?:\.[cm]?[jt]sx?)?$/i;

/**
 * Whether a project has the file.
 *
 * @throws UsageError for one whose name is nearly that: it would hold rules that hold nowhere.
 */
export function hasOwnCode(dir: string): boolean {
  return placesOf(dir).some((place) => {
    const [folder, name] = [dirname(place), basename(place)];
    const wrong = misnamed(join(dir, folder), name);
    if (wrong !== undefined) {
      throw new UsageError(`${folder}/${wrong} is not loaded: its name must be ${name}.ts, or ${name}.js`, 1);
    }
    return ENDINGS.some((ending) => isFile(join(dir, place + ending)));
  });
}

/** Entries of a folder with a name similar to a loaded file, which are not loaded. */
function misnamed(folder: string, name: string): string | undefined {
  const loaded = new Set(ENDINGS.map((ending) => name + ending));
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const alike = entries.filter((entry) => ALIKE.test(entry.name) && !loaded.has(entry.name) && entry.name !== name);
  return alike.find((entry) => !entry.isDirectory() || hasIndex(join(folder, entry.name)))?.name;
}

const hasIndex = (folder: string): boolean => readdirSync(folder).some((name) => /^index\.[cm]?[jt]sx?$/i.test(name));

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
