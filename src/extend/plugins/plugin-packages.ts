/** The plugins of a project that are not built in: where their server code is, and its files. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { CodeConfig } from '../../config/config.ts';
import { KNOWN_PLUGINS } from '../../config/ignored-settings.ts';
import { ownPlugin, type SourceFile, sourceFile, unreadFile } from '../source-files.ts';
import { SOURCE_LIMITS } from '../source-limits.ts';

export interface PluginPackage {
  /** `plugin::navigation`: what `safeToSkip` names. */
  readonly code: string;
  readonly name: string;
  /** Path of the file that Strapi loads, with the files that it imports; undefined for one that is not there. */
  readonly entry: string | undefined;
  readonly files: readonly SourceFile[];
}

/** Strapi's own plugins: built in, only for the admin panel, or outside the content API. */
const KNOWN: ReadonlySet<string> = new Set([...KNOWN_PLUGINS, 'sentry', 'documentation', 'graphql', 'seo']);
const OF_STRAPI = /^@strapi\//;
/** What packages of plugins are called that are not installed. */
const LIKE_A_PLUGIN = /strapi-(?:v\d+-)?plugin|plugin-strapi/;

type Json = Readonly<Record<string, unknown>>;

/** The plugins that the configuration enables, and those that are installed, without Strapi's own. */
export function findPlugins(dir: string, { plugins }: Pick<CodeConfig, 'plugins'>): PluginPackage[] {
  const found = new Map<string, PluginPackage>();
  const declared = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const installed = new Map(dependenciesOf(dir).map((one) => [one.name, one.folder]));
  for (const { name, enabled, resolve: place } of plugins) {
    const isKnown = KNOWN.has(name) && (place === undefined || OF_STRAPI.test(place));
    if (!enabled || isKnown) continue;
    // what is below src/plugins is read with the project's own code
    if (place !== undefined && isOwn(dir, place)) continue;
    const folder = place === undefined ? installed.get(name) : folderOf(dir, place);
    found.set(name, pluginIn(dir, name, folder));
  }
  for (const [name, folder] of installed) {
    if (!declared.has(name) && !KNOWN.has(name)) found.set(name, pluginIn(dir, name, folder));
  }
  return [...found.values()];
}

/** Whether a plugin is one below `src/plugins` with more than what it was compiled to. */
function isOwn(dir: string, place: string): boolean {
  const name = ownPlugin(dir, place);
  const folder = name === undefined ? undefined : join(dir, 'src/plugins', name);
  return folder !== undefined && ['server', 'strapi-server.js'].some((inner) => existsSync(join(folder, inner)));
}

/** Plugins among the packages that a project depends on. Strapi enables them without being asked. */
export function dependenciesOf(dir: string): { name: string; folder: string | undefined }[] {
  const packages = jsonOf(join(dir, 'package.json'))?.['dependencies'];
  return Object.keys(isObject(packages) ? packages : {})
    .filter((dependency) => !OF_STRAPI.test(dependency))
    .flatMap((dependency): { name: string; folder: string | undefined }[] => {
      const folder = packageFolder(dir, dependency);
      if (folder === undefined) return LIKE_A_PLUGIN.test(dependency) ? [{ name: dependency, folder }] : [];
      const about = jsonOf(join(folder, 'package.json'))?.['strapi'];
      if (!isObject(about) || about['kind'] !== 'plugin') return [];
      return [{ name: String(about['name'] ?? dependency), folder }];
    });
}

/** The folder that `resolve` of a plugin means: one of the project, or that of a package. */
function folderOf(dir: string, place: string): string | undefined {
  const local = resolve(dir, place);
  const stats = statSync(local, { throwIfNoEntry: false });
  if (stats) return stats.isDirectory() ? local : dirname(local);
  const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return name === undefined || name.startsWith('.') ? undefined : packageFolder(dir, name);
}

/** Where a package is installed, for the project or for a folder around it. */
export function packageFolder(dir: string, name: string): string | undefined {
  for (let folder = dir; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function pluginIn(dir: string, name: string, folder: string | undefined): PluginPackage {
  const code = `plugin::${name}`;
  if (folder === undefined)
    return { code, name, entry: undefined, files: [unreadFile(code, 'the plugin is not installed here')] };
  const exported = jsonOf(join(folder, 'package.json'))?.['exports'];
  const place = (isObject(exported) && required(exported['./strapi-server'])) || './strapi-server.js';
  const entry = join(folder, place);
  // a plugin without server code is one of the admin panel; one of the project that is not built yet is not
  if (!existsSync(entry)) {
    const isBuilt = !isObject(exported) || exported['./strapi-server'] === undefined;
    return { code, name, entry: undefined, files: isBuilt ? [] : [unreadFile(code, 'the plugin is not built here')] };
  }
  const path = pathIn(dir, entry);
  return { code, name, entry: path, files: filesFrom(dir, path) };
}

/** The file that `require` gets of an entry of `exports`. */
function required(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return undefined;
  return required(entry['require']) ?? required(entry['default']) ?? required(entry['import']);
}

const pathIn = (dir: string, file: string): string => relative(dir, file).replaceAll('\\', '/');

/** Whatever a module imports by a relative path; a text in a comment only reads a file more. */
const IMPORTS = /(?:\brequire\s*\(\s*|\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.[^'"\n]*)\1/g;
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.json', '.ts', '/index.js', '/index.cjs', '/index.mjs', '/index.ts'];

/** A file, and those that it imports. */
function filesFrom(dir: string, entry: string): SourceFile[] {
  const files = new Map<string, SourceFile>();
  let bytes = 0;
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const { size } = statSync(join(dir, path));
    bytes += size;
    if (size > SOURCE_LIMITS.file || bytes > SOURCE_LIMITS.plugin) {
      files.set(path, unreadFile(path, 'the plugin has more code than is read'));
      continue;
    }
    const text = readFileSync(join(dir, path), 'utf8');
    files.set(path, { ...sourceFile(path, text), role: 'code', generated: false });
    for (const [, , place = ''] of text.matchAll(IMPORTS)) {
      const found = ENDINGS.map((ending) => join(dirname(join(dir, path)), place + ending)).find((file) =>
        statSync(file, { throwIfNoEntry: false })?.isFile(),
      );
      if (found !== undefined) waiting.push(pathIn(dir, found));
    }
  }
  return [...files.values()];
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a file of JSON says; undefined for one that is not there, or says no object. */
export function jsonOf(file: string): Json | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    // npm reports it, and nothing of it can be run
    return undefined;
  }
}
