/**
 * Reads the modules of a project's configuration again. Node caches each module for as long as the process lives, so
 * files that a configuration requires or imports would stay as they were at the first start.
 */
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Part of the modules' URLs, by which Node caches them. */
let reads = 0;
const projects = new Set<string>();

/** Removes a project's own modules from Node's cache. */
export function forgetModules(dir: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (isOwn(file, dir)) delete cache[file];
  if (projects.size === 0) module.registerHooks({ resolve });
  projects.add(pathToFileURL(dir).href);
  reads++;
}

const resolve: module.ResolveHookSync = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const isImport = context.conditions.includes('import');
  if (!isImport || !isOfProject(resolved.url)) return resolved;
  return { ...resolved, url: `${resolved.url}?read=${reads}` };
};

function isOfProject(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('?') || url.includes('/node_modules/')) return false;
  return [...projects].some((project) => url.startsWith(`${project}/`));
}

const isOwn = (file: string, dir: string): boolean =>
  file.startsWith(dir + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);
