/**
 * Several test files in one process, so that their imports are loaded and compiled once, which takes longer than most
 * tests.
 */
import { createRequire } from 'node:module';
import { describe } from 'node:test';

/**
 * Makes each file a suite of its own, in which its tests and hooks are. Its module is loaded at once, as only what
 * begins within the suite belongs to it: so it must not await anything at its top.
 *
 * @param files from name to path.
 */
export function together(files: Readonly<Record<string, string>>): void {
  const load = createRequire(import.meta.url);
  for (const [name, file] of Object.entries(files)) describe(name, () => void load(file));
}
