/** Where a project of TypeScript is compiled to: Strapi runs what is there, also files whose source is gone. */
import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readTypeScriptConfig } from './tsconfig.ts';

const CODE = /\.[cm]?[jt]sx?$/;
const TYPED = /\.[cm]?tsx?$/;

/**
 * `outDir` of a project's `tsconfig.json`, or of what it extends; `dist` where there is none, and for one that is not a
 * folder of the project's own.
 *
 * @throws UsageError for a `tsconfig.json` that is not JSON with comments.
 */
export function compiledFolder(dir: string): string {
  const { outDir } = readTypeScriptConfig(dir);
  const folder = outDir === undefined ? '' : relative(resolve(dir), outDir).replaceAll('\\', '/');
  return folder === '' || folder.startsWith('..') || isAbsolute(folder) ? 'dist' : folder;
}

/**
 * Whether what a folder of the project was compiled to counts where its source is gone: not where the folder has code
 * that nobody compiles. `tsconfig.json` may be gone as the sources are.
 *
 * @param own paths of the files that the folder has.
 */
export function isCompiled(dir: string, own: readonly string[]): boolean {
  if (existsSync(join(dir, 'tsconfig.json'))) return true;
  return own.every((path) => !CODE.test(path) || TYPED.test(path));
}

/** The folder that `src` of a project was compiled to; undefined where what is there does not count. */
export function compiledSources(dir: string): string | undefined {
  const folder = join(dir, 'src');
  const own = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return isCompiled(dir, own) ? `${compiledFolder(dir)}/src` : undefined;
}

/** The folders that have a project's configuration, with forward slashes: what is in the first one counts first. */
export function configFolders(dir: string): readonly string[] {
  const folder = join(dir, 'config');
  const own = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return isCompiled(dir, own) ? ['config', `${compiledFolder(dir)}/config`] : ['config'];
}
