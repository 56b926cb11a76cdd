/** The settings of `config/galley`, Galley's own file: what may be served although code of the project is not run. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { CodeConfig } from './config.ts';
import { type ConfigFiles, isTree } from './config-file.ts';
import { foreignCode, middlewareName } from './unhonoured.ts';
import { textsAt } from './values.ts';

const KEYS = ['serve', 'safeToSkip'];

/** What `config/galley` lists. */
export type GalleyLists = Pick<CodeConfig, 'serve' | 'safeToSkip'>;

export const EXAMPLE: GalleyLists = { serve: ['api::page.page.find'], safeToSkip: [] };

/** The whole text of a `config/galley` with some lists, in one line, in the language of the file. */
export function galleyText(path: string, lists: GalleyLists): string {
  const isJson = path.endsWith('.json');
  const word = (text: string): string => (isJson || /['\\]/.test(text) ? JSON.stringify(text) : `'${text}'`);
  const entries = (['safeToSkip', 'serve'] as const)
    .filter((key) => lists[key].length > 0)
    .map((key) => `${isJson ? `"${key}"` : key}: [${lists[key].map(word).join(', ')}]`);
  const object = `{ ${entries.join(', ')} }`;
  if (isJson) return object;
  return `${/\.(?:mjs|ts)$/.test(path) ? 'export default' : 'module.exports ='} ${object};`;
}

/** What the configuration says about code. Throws UsageError, naming the key, for values of the wrong shape. */
export function codeConfig(dir: string, files: ConfigFiles): CodeConfig {
  for (const key of Object.keys(files.galley.value)) {
    if (!KEYS.includes(key))
      throw new UsageError(`${files.galley.path}: there is no setting ${key}: use ${KEYS.join(' or ')}`);
  }
  const own = files.middlewares.value.map((entry) => middlewareOf(dir, entry));
  const serving = own.indexOf('strapi::public');
  const place = placeOf(dir, files.galley.path);
  return {
    file: files.galley.path,
    place,
    written: (lists) => galleyText(place, lists),
    serve: textsAt(files.galley, 'serve'),
    safeToSkip: textsAt(files.galley, 'safeToSkip'),
    middlewares: own
      .map((name, index) => ({ name: name ?? '(without a name)', beforeFiles: serving < 0 || index < serving }))
      .filter(({ name }) => !name.startsWith('strapi::')),
    middlewaresFile: files.middlewares.path,
    plugins: Object.entries(files.plugins.value).map(([name, entry]) => ({
      name,
      enabled: entry !== false && !(isTree(entry) && entry['enabled'] === false),
      resolve: isTree(entry) && typeof entry['resolve'] === 'string' ? entry['resolve'] : undefined,
    })),
    foreign: foreignCode(files),
  };
}

/** The file that lists are to be written into: that of the environment where it has one. */
function placeOf(dir: string, path: string): string {
  const file = path.split(' with ').at(-1)!;
  if (file !== 'config/galley') return file;
  return `${file}${existsSync(join(dir, 'tsconfig.json')) ? '.ts' : '.js'}`;
}

/** The name of an entry of `config/middlewares`; a file that it resolves to by its path in the project. */
function middlewareOf(dir: string, entry: unknown): string | undefined {
  const name = middlewareName(entry);
  const path = isTree(entry) && entry['name'] === undefined ? entry['resolve'] : undefined;
  if (typeof path !== 'string' || !(isAbsolute(path) || path.startsWith('.'))) return name;
  return relative(dir, resolve(dir, path)).replaceAll('\\', '/');
}
