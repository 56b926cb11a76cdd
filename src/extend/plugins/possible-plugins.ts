/** Which plugins a project may have in the reference, by their names there. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeConfig } from '../../config/config.ts';
import { DRIVERS } from '../../config/ignored-settings.ts';
import { PLUGINS, SERVICES } from '../strapi/reference.ts';
import { dependenciesOf, isObject, jsonOf, packageFolder } from './plugin-packages.ts';

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
const OF_STRAPI =
  /^@strapi\/(?:plugin-)?(cloud|color-picker|content-manager|content-releases|content-type-builder|documentation|email|graphql|i18n|review-workflows|sentry|seo|upload|users-permissions)$/;

/**
 * Whether a project may have a plugin in the reference, by its name there: one that every project has, that its
 * configuration enables, that is among its dependencies, or in a folder of `src/plugins`. A package does not tell outside
 * of itself what its plugin is called, or whether it is one: while a dependency is not installed here, any name may be
 * that of its plugin, unless the configuration switches it off.
 */
export function possiblePlugins(dir: string, { plugins }: Pick<CodeConfig, 'plugins'>): (name: string) => boolean {
  const written = jsonOf(join(dir, 'package.json'))?.['dependencies'];
  const dependencies = Object.entries(isObject(written) ? written : {});
  const known = new Set([...PLUGINS, ...dependenciesOf(dir).map(({ name }) => name), ...namesInFolders(dir)]);
  for (const [dependency] of dependencies) {
    const [, name] = OF_STRAPI.exec(dependency) ?? [];
    if (name !== undefined) known.add(name);
  }
  for (const { name, enabled } of plugins) {
    if (enabled) known.add(name);
    else if (!Object.hasOwn(SERVICES, name)) known.delete(name);
  }
  const isOpen = dependencies.some(
    ([name, version]) => packageFolder(dir, name) === undefined && !isKnown(name, version),
  );
  const disabled = new Set(plugins.flatMap(({ name, enabled }) => (enabled ? [] : [name])));
  return (name) => known.has(name) || (isOpen && !disabled.has(name));
}

/** Whether a dependency that is not installed is known; a version may be another package's (`npm:other@1`). */
function isKnown(name: string, version: unknown): boolean {
  if (typeof version !== 'string' || /[:/]/.test(version)) return false;
  return NO_PLUGINS.has(name) || NO_PLUGIN.test(name) || OF_STRAPI.test(name);
}

/** What the folders of `src/plugins` are called, and what they call themselves. */
function namesInFolders(dir: string): string[] {
  const root = join(dir, 'src/plugins');
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((folder) => {
    const about = jsonOf(join(root, folder, 'package.json'))?.['strapi'];
    return isObject(about) && typeof about['name'] === 'string' ? [folder, about['name']] : [folder];
  });
}
