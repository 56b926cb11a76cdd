/** Where a project of TypeScript is compiled to: Strapi runs what is there, also files whose source is gone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CODE = /\.[cm]?[jt]sx?$/;
const TYPED = /\.[cm]?tsx?$/;

/** `outDir` of a project's `tsconfig.json`; `dist` where there is none. */
export function compiledFolder(dir: string): string {
  const file = join(dir, 'tsconfig.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, folder] = /"outDir"\s*:\s*"(?:\.\/)?([^"]*?)\/?"/.exec(text) ?? [];
  return folder || 'dist';
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

/** The folders that have a project's configuration, with forward slashes: what is in the first one counts first. */
export function configFolders(dir: string): readonly string[] {
  const folder = join(dir, 'config');
  const own = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return isCompiled(dir, own) ? ['config', `${compiledFolder(dir)}/config`] : ['config'];
}
