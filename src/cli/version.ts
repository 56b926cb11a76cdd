/** Name and version of this package, from its package.json. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_FOLDER } from '../own-files.ts';

/** `0.1.0`. */
export function packageVersion(): string {
  const text = readFileSync(path.join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
