/**
 * Which modules are built into one file. Left to itself the build makes a file of whatever is shared by the same pages,
 * most of them a few hundred bytes: a list took 77 requests, and as many reads of a cache.
 */
import path from 'node:path';

/** What is known of modules while they are put together. */
interface Modules {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

const MAIN = path.join(import.meta.dirname, '../src/main.tsx');
/** What pages have in common; a language is loaded where it is spoken. */
const PARTS = /[\\/]admin[\\/]src[\\/](?:ui|data|keys|language|app)[\\/](?!de\b)/;

const shell = new Set<string>();

/** Whether a module is there before any page is. What starts the app is a file of its own, which the page names. */
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

/** What every page begins with, and what several pages share; all else is a file for each page that is gone to. */
export const GROUPS = [
  {
    debugName: 'shell',
    name: (id: string, modules: Modules) => (isOfShell(id, modules) ? 'shell' : null),
    priority: 2,
  },
  { name: 'parts', test: PARTS, minShareCount: 2, priority: 1 },
];
