/**
 * Cuts the types of the package off from packages that are part of the bundle. These are not installed where the package
 * is, and what there is of them in its types is for its own parts alone: there it is `any`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What is taken by its name from a package, and from which. */
const NAMED = /^((?:import|export) type \{([^}]*)\} from )'([@a-z][^':]*)'/gm;
const FILE = 'packages.d.ts';

/**
 * Has what the types in a folder take from packages found in a file beside them.
 *
 * @param installed the packages that are installed with this one.
 */
export function cutOffTypes(folder: string, installed: readonly string[]): void {
  const taken = new Set<string>();
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const up = '../'.repeat(name.split(path.sep).length - 1) || './';
    const file = path.join(folder, name);
    const text = readFileSync(file, 'utf8').replace(NAMED, (whole, begin: string, names: string, from: string) => {
      if (installed.includes(from)) return whole;
      for (const one of names.split(',')) taken.add(one.trim());
      return `${begin}'${up}${FILE.replace('.d.ts', '.js')}'`;
    });
    writeFileSync(file, text);
  }
  const lines = Array.from(taken, (name) => `export type ${name} = any;\n`);
  writeFileSync(path.join(folder, FILE), lines.sort().join(''));
}
