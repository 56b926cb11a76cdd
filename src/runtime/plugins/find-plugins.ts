/** The plugins of a project that are not built in: those below `src/plugins`, and packages. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { CodeConfig } from '../../config/config.ts';
import { DRIVERS, KNOWN_PLUGINS } from '../../config/ignored-settings.ts';
import { codeEndings } from '../../config/modules/resolver.ts';
import { packageOf } from '../../package-file.ts';
import { isObject } from '../../plain-values.ts';
import { BUILT_IN_PLUGINS, REFERENCE_PLUGINS } from '../members/reference-parts.ts';
import { ownPlugin } from '../source-files.ts';

/** A plugin whose server code is loaded. */
export interface PluginCode {
  readonly name: string;
  /** Its name in messages: `src/plugins/shop`, or `plugin::navigation` for a package. */
  readonly code: string;
  /** Its names in `config/galley`: `plugin::shop`, its folder or one of its files. */
  readonly names: readonly string[];
  /** Path of its folder, inside the project or relative to it. */
  readonly folder: string;
  /** Paths of possible entry files. The first may import files that are not built; without any it cannot be loaded. */
  readonly entries: readonly string[];
  /** The message if there is no file to load; undefined if there is one. */
  readonly missing: string | undefined;
}

type FoundPlugin = Omit<PluginCode, 'names'>;

/** Strapi's own plugins: built in, only for the admin panel, or outside the content API. */
const OF_STRAPI_ITSELF: ReadonlySet<string> = new Set([
  ...KNOWN_PLUGINS,
  ...['sentry', 'documentation', 'graphql', 'seo'],
]);
const OF_STRAPI = /^@strapi\//;
/** Names of plugin packages that are not installed. */
const LIKE_A_PLUGIN = /strapi-(?:v\d+-)?plugin|plugin-strapi/;

/** Where the server code of a plugin below `src/plugins` begins, without the ending. */
const ENTRIES = ['strapi-server', 'server/src/index', 'server/index'];

/** The plugins that the configuration enables, and those that are installed, without Strapi's own. */
export function findPlugins(
  dir: string,
  { plugins, pluginsFile }: Pick<CodeConfig, 'plugins' | 'pluginsFile'>,
): PluginCode[] {
  const found = new Map<string, FoundPlugin>();
  const declared = new Set(plugins.map(({ name }) => name));
  const installed = new Map(dependenciesOf(dir).map((one) => [one.name, one.folder]));
  for (const { name, enabled, resolve: place } of plugins) {
    const isStrapis = OF_STRAPI_ITSELF.has(name) && (place === undefined || OF_STRAPI.test(place));
    if (!enabled || isStrapis) continue;
    const own = place === undefined ? undefined : localPlugin(dir, name, place);
    const folder = place === undefined ? installed.get(name) : folderOf(dir, place);
    const plugin = own ?? packagedPlugin(dir, name, folder, { file: pluginsFile, place });
    if (plugin) found.set(name, plugin);
  }
  for (const [name, folder] of installed) {
    if (declared.has(name) || OF_STRAPI_ITSELF.has(name)) continue;
    const plugin = packagedPlugin(dir, name, folder, { file: 'package.json', place: name });
    if (plugin) found.set(name, plugin);
  }
  return [...found.values()].map((plugin) => {
    const { name, code, entries } = plugin;
    return { ...plugin, names: [...new Set([code, `plugin::${name}`, ...entries])] };
  });
}

/** A plugin below `src/plugins`; undefined for a place elsewhere, and a folder without server code. */
function localPlugin(dir: string, name: string, place: string): FoundPlugin | undefined {
  const own = ownPlugin(dir, place);
  if (own === undefined) return undefined;
  const folder = `src/plugins/${own}`;
  const entries = ENTRIES.flatMap((entry) => {
    const files = codeEndings(dir).map((ending) => `${folder}/${entry}${ending}`);
    return files.find((file) => existsSync(join(dir, file))) ?? [];
  });
  return entries.length === 0 ? undefined : { name, code: folder, folder, entries, missing: undefined };
}

/** The file that names a plugin, and its `resolve` there. */
interface PluginSource {
  readonly file: string;
  readonly place: string | undefined;
}

/** A plugin that is a package; undefined for one that has code for the admin panel alone. */
function packagedPlugin(
  dir: string,
  name: string,
  folder: string | undefined,
  source: PluginSource,
): FoundPlugin | undefined {
  const code = `plugin::${name}`;
  if (folder === undefined) return { name, code, folder: '', entries: [], missing: notInstalled(name, source) };
  const exported = packageOf(folder)['exports'];
  const place = isObject(exported) ? required(exported['./strapi-server']) : undefined;
  const entry = join(folder, place ?? './strapi-server.js');
  const found = { name, code, folder: pathIn(dir, folder) };
  if (existsSync(entry)) return { ...found, entries: [pathIn(dir, entry)], missing: undefined };
  if (place === undefined) return undefined;
  const missing = `${source.file}: the plugin ${name} is not built: ${found.folder} has no ${place.replace(/^\.\//, '')}`;
  return { ...found, entries: [], missing };
}

function notInstalled(name: string, { file, place }: PluginSource): string {
  const named = place === undefined ? undefined : packageOfPlace(place);
  if (place !== undefined && named === undefined)
    return `${file}: resolve of the plugin ${name} names ${place}, which does not exist`;
  const command = named === undefined ? 'npm install PACKAGE adds its package' : `npm install ${named} adds it`;
  return `${file}: the plugin ${name} is not installed: ${command}`;
}

/** Plugins among the packages that a project depends on, which Strapi enables by itself. */
function dependenciesOf(dir: string): { name: string; folder: string | undefined }[] {
  const packages = packageOf(dir)['dependencies'];
  return Object.keys(isObject(packages) ? packages : {})
    .filter((dependency) => !OF_STRAPI.test(dependency))
    .flatMap((dependency): { name: string; folder: string | undefined }[] => {
      const folder = packageFolder(dir, dependency);
      if (folder === undefined) return LIKE_A_PLUGIN.test(dependency) ? [{ name: dependency, folder }] : [];
      const about = packageOf(folder)['strapi'];
      if (!isObject(about) || about['kind'] !== 'plugin') return [];
      return [{ name: String(about['name'] ?? dependency), folder }];
    });
}

/** The folder that `resolve` of a plugin means: one of the project, or that of a package. */
function folderOf(dir: string, place: string): string | undefined {
  const local = resolve(dir, place);
  const stats = statSync(local, { throwIfNoEntry: false });
  if (stats) return stats.isDirectory() ? local : dirname(local);
  const name = packageOfPlace(place);
  return name === undefined ? undefined : packageFolder(dir, name);
}

/** The package that `resolve` of a plugin names; undefined for a path. */
function packageOfPlace(place: string): string | undefined {
  const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return name === undefined || name.startsWith('.') ? undefined : name;
}

/** Where a package is installed, for the project or for a folder around it. */
function packageFolder(dir: string, name: string): string | undefined {
  for (let folder = dir; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The file that `require` gets of an entry of `exports`. */
function required(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return undefined;
  return required(entry['require']) ?? required(entry['default']) ?? required(entry['import']);
}

const pathIn = (dir: string, file: string): string => relative(dir, file).replaceAll('\\', '/');

/** Packages that new projects depend on, and drivers of databases: they are no plugins. */
const NO_PLUGINS: ReadonlySet<string> = new Set([
  ...['react', 'react-dom', 'react-router-dom', 'styled-components', 'typescript', 'galley'],
  ...DRIVERS,
  ...['strapi', 'utils', 'types', 'database', 'core', 'admin', 'logger', 'permissions'].map(
    (name) => `@strapi/${name}`,
  ),
  ...['icons', 'design-system', 'typescript-utils', 'sdk-plugin', 'client'].map((name) => `@strapi/${name}`),
]);
const NO_PLUGIN = /^@types\/|^@strapi\/provider-/;
/** Strapi's own plugins that are packages, under their names. */
const STRAPIS_PLUGIN =
  /^@strapi\/(?:plugin-)?(cloud|color-picker|content-manager|content-releases|content-type-builder|documentation|email|graphql|i18n|review-workflows|sentry|seo|upload|users-permissions)$/;

/**
 * Whether a project may have a plugin in the reference, by its name there: one that every project has, that its
 * configuration enables, that is among its dependencies, or in a folder of `src/plugins`. While a dependency is not
 * installed here, any name may be that of its plugin, unless the configuration switches it off.
 */
export function possiblePlugins(dir: string, { plugins }: Pick<CodeConfig, 'plugins'>): (name: string) => boolean {
  const written = packageOf(dir)['dependencies'];
  const dependencies = Object.entries(isObject(written) ? written : {});
  const possible = new Set([
    ...REFERENCE_PLUGINS,
    ...dependenciesOf(dir).map(({ name }) => name),
    ...namesInFolders(dir),
  ]);
  for (const [dependency] of dependencies) {
    const [, name] = STRAPIS_PLUGIN.exec(dependency) ?? [];
    if (name !== undefined) possible.add(name);
  }
  for (const { name, enabled } of plugins) {
    if (enabled) possible.add(name);
    else if (!BUILT_IN_PLUGINS.includes(name)) possible.delete(name);
  }
  const isOpen = dependencies.some(
    ([name, version]) => packageFolder(dir, name) === undefined && !isNoPlugin(name, version),
  );
  const disabled = new Set(plugins.flatMap(({ name, enabled }) => (enabled ? [] : [name])));
  return (name) => possible.has(name) || (isOpen && !disabled.has(name));
}

/** Whether a dependency that is not installed is no plugin; a version may be another package's (`npm:other@1`). */
function isNoPlugin(name: string, version: unknown): boolean {
  if (typeof version !== 'string' || /[:/]/.test(version)) return false;
  return NO_PLUGINS.has(name) || NO_PLUGIN.test(name) || STRAPIS_PLUGIN.test(name);
}

/** The names of the folders of `src/plugins`, and of their packages. */
function namesInFolders(dir: string): string[] {
  const root = join(dir, 'src/plugins');
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((folder) => {
    const about = packageOf(join(root, folder))['strapi'];
    return isObject(about) && typeof about['name'] === 'string' ? [folder, about['name']] : [folder];
  });
}
