/** Where a project has its `src/galley`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Places of the file without its ending, the first one first. */
export const PLACES = ['src/galley', 'dist/src/galley'];
const ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].flatMap((ending) => [`.${ending}`, `/index.${ending}`]);

/** Whether a path inside a project is of the file. */
export const isOwnCode = (path: string): boolean => /^(?:dist\/)?src\/galley(?:\/index)?\.[cm]?[jt]s$/.test(path);

/** Whether a project has the file. */
export function hasOwnCode(dir: string): boolean {
  const files = PLACES.flatMap((place) => ENDINGS.map((ending) => join(dir, place + ending)));
  return files.some((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
