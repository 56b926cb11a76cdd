/** `galley migration list|done`: the migrations of a project, and which of them have run. */
import { loadConfig } from '../config/load.ts';
import type { MigrationRuns } from '../db/migration/project-migrations.ts';
import { Engine } from '../engine.ts';
import { UsageError } from '../errors.ts';
import { choices } from '../nearest.ts';
import { type MigrationFile, migrationFiles } from '../runtime/migrations/migration-files.ts';
import { argumentCommand, type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { listing } from './lists.ts';

/** The milliseconds that `done` waits for another process that runs migrations. */
const PATIENCE = 10_000;

const migrationListCommand: Command = {
  name: 'migration list',
  summary: 'list the migrations of the project, and which have run',
  help: `galley migration list [--json] [DIR]

Lists the files of database/migrations of the project in DIR (default: the working folder) in the order in which they run,
and whether each has run on the database. The command runs none of them.

  --json  prints one JSON object per line`,
  async run(args, { env, print }) {
    const { switched, positionals } = readArguments('migration list', args, { json: { type: 'boolean' } }, ['DIR']);
    const migrations = await onDatabase(positionals[0], env, async (files, runs) => {
      const executed = await runs.executed();
      return files.map(({ name }) => ({ name, done: executed.has(name) }));
    });
    const lines = listing(migrations, switched('json'), {
      heads: ['migration', ''],
      cells: ({ name, done }) => [name, done ? 'done' : 'pending'],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

const migrationDoneCommand = argumentCommand({
  name: 'migration done',
  summary: 'mark a migration as run without running it',
  argument: 'NAME',
  about: `Marks a migration of the project in DIR (default: the working folder) as run without running it. Use this for a migration
that Galley cannot run, if it has nothing to do in this database or was done by hand. NAME is the name of the file.`,
  run: async (name, dir, { env, print }) => {
    await onDatabase(dir, env, async (files, runs) => {
      const names = files.map((file) => file.name);
      if (!names.includes(name)) throw new UsageError(`no migration ${name}${choices(name, names)}`, 1);
      await runs.mark(name, PATIENCE);
    });
    print(`marked ${name} as done`);
    return 0;
  },
});

type Work<T> = (files: readonly MigrationFile[], runs: MigrationRuns) => Promise<T>;

/** Opens the database of a project without bringing it up to the schema, and closes it after `work`. */
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

export const migrationCommands: readonly Command[] = [migrationListCommand, migrationDoneCommand];
