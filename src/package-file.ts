/** Reads the `package.json` of projects and packages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, objectOrEmpty } from './plain-values.ts';

/** The content of a folder's `package.json`; empty if it is missing or cannot be read, which npm reports. */
export function packageOf(dir: string): JsonObject {
  try {
    return objectOrEmpty(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')));
  } catch {
    return {};
  }
}
