/**
 * The settings of `config/galley`, Galley's own file: actions that are served although code of the project is not run.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { CodeConfig, OwnMiddleware } from './config.ts';
import { type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import { isOwnMiddleware, middlewareName } from './ignored-settings.ts';
import { resolvedFile } from './modules/resolver.ts';
import { booleanAt, textsAt, unknownSetting, wrongVariable } from './values.ts';

const KEYS = ['serve', 'without', 'safeToSkip', 'run', 'history', 'trash', 'audit', 'backup'];

/** What `config/galley` lists. */
export type GalleyLists = Pick<CodeConfig, 'serve' | 'without' | 'safeToSkip'>;

export const EXAMPLE: GalleyLists = { serve: ['api::page.page.find'], without: [], safeToSkip: [] };

/** The whole text of a `config/galley` with some lists, in one line, in the language of the file. */
export function galleyText(path: string, lists: GalleyLists, run = true): string {
  const isJson = path.endsWith('.json');
  const word = (text: string): string => (isJson || /['\\]/.test(text) ? JSON.stringify(text) : `'${text}'`);
  const entries = (['without', 'safeToSkip', 'serve'] as const)
    .filter((key) => lists[key].length > 0)
    .map((key) => `${isJson ? `"${key}"` : key}: [${lists[key].map(word).join(', ')}]`);
  if (!run) entries.unshift(isJson ? '"run": false' : 'run: false');
  const object = `{ ${entries.join(', ')} }`;
  if (isJson) return object;
  return `${/\.(?:mjs|ts)$/.test(path) ? 'export default' : 'module.exports ='} ${object};`;
}

/** What the configuration says about code. Throws UsageError, naming the key, for values of the wrong shape. */
export function codeConfig(
  dir: string,
  files: ConfigFiles,
  { variables, ...rest }: Pick<CodeConfig, 'settings' | 'giveStrapi'> & { readonly variables: Variables },
): CodeConfig {
  for (const key of Object.keys(files.galley.value)) {
    if (!KEYS.includes(key)) throw unknownSetting(files.galley.path, key, KEYS);
  }
  const own = files.middlewares.value.map((entry) => middlewareOf(dir, entry));
  const run = booleanAt(files.galley, 'run', true);
  const wanted = variables['GALLEY_CODE'] || undefined;
  if (wanted !== undefined && wanted !== 'run' && wanted !== 'read') {
    throw wrongVariable('GALLEY_CODE', wanted, 'run, read or unset');
  }
  const place = placeOf(dir, files.galley.path);
  return {
    file: files.galley.path,
    place,
    written: (lists) => galleyText(place, lists, run),
    run: wanted === undefined ? run : wanted === 'run',
    ...rest,
    hasTasks: hasTasks(files.server.value['cron']),
    serve: textsAt(files.galley, 'serve'),
    without: textsAt(files.galley, 'without'),
    safeToSkip: textsAt(files.galley, 'safeToSkip'),
    middlewares: own.flatMap((name, index) => {
      const isOwn = name === undefined || isOwnMiddleware(files.middlewares.value[index]);
      return isOwn ? [{ name: name ?? '(without a name)', ...resolvedOf(dir, files.middlewares.value[index]) }] : [];
    }),
    middlewaresFile: files.middlewares.path,
    pluginsFile: files.plugins.path,
    plugins: Object.entries(files.plugins.value).map(([name, entry]) => ({
      name,
      enabled: entry !== false && !(isTree(entry) && entry['enabled'] === false),
      resolve: isTree(entry) && typeof entry['resolve'] === 'string' ? entry['resolve'] : undefined,
    })),
  };
}

function hasTasks(cron: unknown): boolean {
  return isTree(cron) && cron['enabled'] === true && isTree(cron['tasks']) && Object.keys(cron['tasks']).length > 0;
}

/** The file that lists are to be written into: that of the environment where it has one. */
function placeOf(dir: string, path: string): string {
  const file = path.split(' with ').at(-1)!;
  if (file !== 'config/galley') return file;
  return `${file}${existsSync(join(dir, 'tsconfig.json')) ? '.ts' : '.js'}`;
}

/** What an entry of `config/middlewares` is to be resolved to, and the path of that file in the project. */
function resolvedOf(dir: string, entry: unknown): Pick<OwnMiddleware, 'resolve' | 'path'> {
  const resolve = isTree(entry) && entry['name'] === undefined ? entry['resolve'] : undefined;
  if (typeof resolve !== 'string') return {};
  const file = resolvedFile(dir, resolve);
  return { resolve, path: file === undefined ? undefined : relative(dir, file).replaceAll('\\', '/') };
}

/** The name of an entry of `config/middlewares`; a file that it resolves to by its path in the project. */
function middlewareOf(dir: string, entry: unknown): string | undefined {
  const name = middlewareName(entry);
  const path = isTree(entry) && entry['name'] === undefined ? entry['resolve'] : undefined;
  if (typeof path !== 'string' || !(isAbsolute(path) || path.startsWith('.'))) return name;
  return relative(dir, resolve(dir, path)).replaceAll('\\', '/');
}
