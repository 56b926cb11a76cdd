/**
 * Removes bundled packages from the types of this package, because they are not installed with it. Their types, which only
 * internal parts use, become `any`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** An import or export of named types from a package. */
const NAMED = /^((?:import|export) type \{([^}]*)\} from )'([@a-z][^':]*)'/gm;
const FILE = 'packages.d.ts';

/**
 * Redirects imports of bundled packages in declaration files to one file with types of `any`.
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
