/**
 * Has the modules of a project's configuration read anew. Node keeps each module for as long as the process lives; what
 * a file of `config` requires or imports, which may have been saved since, would stay as it was at the first start.
 */
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Counts the times that modules are read anew; part of their addresses, by which Node keeps them. */
let times = 0;
const projects = new Set<string>();

/** Forgets the modules of a project, those of packages excepted. */
export function forgetModules(dir: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (isOwn(file, dir)) delete cache[file];
  if (projects.size === 0) module.registerHooks({ resolve });
  projects.add(pathToFileURL(dir).href);
  times++;
}

const resolve: module.ResolveHookSync = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const isImport = context.conditions.includes('import');
  if (!isImport || !isOfProject(resolved.url)) return resolved;
  return { ...resolved, url: `${resolved.url}?read=${times}` };
};

function isOfProject(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('?') || url.includes('/node_modules/')) return false;
  return [...projects].some((project) => url.startsWith(`${project}/`));
}

const isOwn = (file: string, dir: string): boolean =>
  file.startsWith(dir + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);
