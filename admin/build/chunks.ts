/**
 * Groups modules into files. By default the bundler creates a file for each set of pages that share modules, most of
 * them a few hundred bytes: a list took 77 requests, and as many reads of a cache.
 */
import path from 'node:path';

/** What the bundler knows about modules. */
interface Modules {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

const MAIN = path.join(import.meta.dirname, '../src/main.tsx');
/** The folders that all pages share. A language, and texts of some pages, are loaded only where they are used. */
const PARTS = /[\\/]admin[\\/]src[\\/](?:ui|data|keys|language|app)[\\/](?!de\b|en-)/;

const shell = new Set<string>();

/** Whether a module is loaded before any page. The start of the app is a file of its own, which the page names. */
function isOfShell(id: string, modules: Modules): boolean {
  const reach = (one: string): void => {
    for (const next of modules.getModuleInfo(one)?.importedIds ?? []) {
      if (shell.has(next)) continue;
      shell.add(next);
      reach(next);
    }
  };
  if (shell.size === 0) reach(MAIN);
  return shell.has(id);
}

/** The modules that every page needs, and those that several pages share. Each other page is a file of its own. */
export const GROUPS = [
  {
    debugName: 'shell',
    name: (id: string, modules: Modules) => (isOfShell(id, modules) ? 'shell' : null),
    priority: 2,
  },
  { name: 'parts', test: PARTS, minShareCount: 2, priority: 1 },
];
