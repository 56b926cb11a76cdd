/** The files of `database/migrations`: which there are, in the order in which they run. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';

export interface MigrationFile {
  /** As it is marked in the database. */
  readonly name: string;
  /** Path inside the project. */
  readonly path: string;
}

const FOLDER = 'database/migrations';

/**
 * The migrations that the reference runs: `*.js` and `*.sql`, by name. With TypeScript migrations
 * (`settings.useTypescriptMigrations`) it runs the compiled files under these names.
 */
export function migrationFiles({ dir, migrations }: Pick<Config, 'dir' | 'migrations'>): MigrationFile[] {
  const found = new Map<string, MigrationFile>();
  const add = (folder: string, pattern: RegExp): void => {
    for (const file of filesIn(dir, folder)) {
      if (!pattern.test(file)) continue;
      const name = file.replace(/\.ts$/, '.js');
      if (!found.has(name)) found.set(name, { name, path: `${folder}/${file}` });
    }
  };
  if (migrations.typescript) {
    // a compiled file counts if its source is missing
    add(FOLDER, /(?<!\.d)\.ts$/);
    add(`dist/${FOLDER}`, /\.(?:js|sql)$/);
  }
  add(FOLDER, /\.(?:js|sql)$/);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function filesIn(dir: string, folder: string): string[] {
  const place = join(dir, folder);
  if (!existsSync(place)) return [];
  return readdirSync(place).filter(
    (name) => !name.startsWith('.') && statSync(join(place, name), { throwIfNoEntry: false })?.isFile(),
  );
}
