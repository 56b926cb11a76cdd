/**
 * The bundled program of the package, built once for a run of the tests: it starts in half the time of the sources.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { bundle } from '../../../build/bundle.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/** What of the package the program looks for, and where its packages are. */
const BESIDE = ['admin', 'examples', 'node_modules', 'package.json'];

/** Bundles what is in `src` now into a new folder, and gives the file that starts it. */
export async function bundleProgram(folder: string): Promise<string> {
  mkdirSync(folder);
  for (const name of BESIDE) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  await bundle(ROOT, path.join(folder, 'dist'));
  return path.join(folder, 'dist/main.js');
}
