/** `galley migration …`: the migrations of a project, and what its database has been through. */
import { loadConfig } from '../config/load.ts';
import type { MigrationRuns } from '../db/migration/project-migrations.ts';
import { Engine } from '../engine.ts';
import { UsageError } from '../errors.ts';
import { type MigrationFile, migrationFiles } from '../extend/migrations/migration-files.ts';
import { choices } from '../nearest.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { listing } from './table.ts';

/** Milliseconds that a mark waits for another process. */
const PATIENCE = 10_000;

export const migrationListCommand: Command = {
  name: 'migration list',
  summary: 'list the migrations of the project, and which were run',
  help: `galley migration list [--json] [DIR]

Lists the files of database/migrations of the project in DIR (default: the working folder) in the order in which they
run, and whether the database has been through each. Nothing is run.

  --json  a JSON object a line`,
  async run(args, { env, print }) {
    const { switched, positionals } = readArguments('migration list', args, { json: { type: 'boolean' } }, ['DIR']);
    const migrations = await onDatabase(positionals[0], env, async (files, runs) => {
      const executed = await runs.executed();
      return files.map(({ name }) => ({ name, done: executed.has(name) }));
    });
    const lines = listing(migrations, switched('json'), {
      heads: ['migration', ''],
      cells: ({ name, done }) => [name, done ? 'done' : 'waits'],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

export const migrationDoneCommand: Command = {
  name: 'migration done',
  summary: 'mark a migration as run without running it',
  help: `galley migration done NAME [DIR]

Marks a migration of the project in DIR (default: the working folder) as one that the database has been through, as
Strapi does when it has run it: for one that Galley cannot run, and that has nothing to do in this database or was done
by hand. NAME is that of the file.`,
  async run(args, { env, print }) {
    const { positionals } = readArguments('migration done', args, {}, ['NAME', 'DIR']);
    const [name, dir] = positionals;
    if (name === undefined)
      throw new UsageError('galley migration done needs a NAME; see galley migration done --help');
    await onDatabase(dir, env, async (files, runs) => {
      const names = files.map((file) => file.name);
      if (!names.includes(name)) {
        throw new UsageError(`there is no migration ${name}${choices(name, names)}`, 1);
      }
      await runs.mark(name, PATIENCE);
    });
    print(`${name} is marked as done`);
    return 0;
  },
};

type Work<T> = (files: readonly MigrationFile[], runs: MigrationRuns) => Promise<T>;

/** Works on the database of a project, which is left as it is otherwise. */
async function onDatabase<T>(dir: string | undefined, env: Surroundings['env'], work: Work<T>): Promise<T> {
  const config = await loadConfig(dir ?? WORKING_FOLDER, { env });
  const engine = await Engine.open(config);
  try {
    const runs = await engine.migrationRuns();
    try {
      return await work(migrationFiles(config), runs);
    } finally {
      await runs.close();
    }
  } finally {
    await engine.close();
  }
}
