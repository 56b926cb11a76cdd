/** Where a project has its `src/galley`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { compiledFolder } from '../../config/modules/compiled.ts';

const ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].flatMap((ending) => [`.${ending}`, `/index.${ending}`]);

/** Places of the file without its ending, the first one first: the source, and what it is compiled to. */
export const placesOf = (dir: string): readonly string[] => ['src/galley', `${compiledFolder(dir)}/src/galley`];

/** Whether a path inside a project is of the file. */
export const isOwnCode = (path: string): boolean =>
  /^(?!config\/)(?:(?!src\/)[^/]+\/)*src\/galley(?:\/index)?\.[cm]?[jt]s$/.test(path);

/** Whether a project has the file. */
export function hasOwnCode(dir: string): boolean {
  const files = placesOf(dir).flatMap((place) => ENDINGS.map((ending) => join(dir, place + ending)));
  return files.some((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
