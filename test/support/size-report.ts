/** A report of long files and full folders: worth a look, never a failure. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** Longer files, in lines, and folders with more files are listed. */
const LONG_FILE = 500;
const FULL_FOLDER = 30;

/**
 * Prints the files over 500 lines and the folders with over 30 files as diagnostics of a test.
 *
 * @param files Paths below `root`.
 */
export function reportSizes(test: TestContext, root: string, files: readonly string[]): void {
  for (const file of files) {
    const lines = readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n').length;
    if (lines > LONG_FILE) test.diagnostic(`${lines} lines: ${file}`);
  }
  const folders = Map.groupBy(files, (file) => path.dirname(file));
  for (const [folder, inside] of folders)
    if (inside.length > FULL_FOLDER) test.diagnostic(`${inside.length} files: ${folder}`);
}
