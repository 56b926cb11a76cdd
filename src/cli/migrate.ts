/** `galley migrate`: brings the content of the database to changed schema files. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { counted } from '../counted.ts';
import { Engine } from '../engine.ts';
import { UsageError } from '../errors.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { buildProject, type ProjectFiles, readProject } from '../project.ts';
import { SchemaEditor, settleSchemaFiles } from '../schema-editor.ts';
import { type Alone, whileServersWait } from '../schema-holds.ts';
import { applyMigration, type Decisions, isDecided, isEmpty, planLines, planMigration } from '../schema-migration.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the content of the database to changed schema files',
  help: `galley migrate [DIR] [--dry-run] [--drop NAME] [--keep NAME] [--default NAME=VALUE] [--publish NAME] [--no-backup]

Compares the schema files of the project in DIR (default: the working folder) with those to which the content of its
database belongs, prints what changes, makes a backup and applies it in one transaction. Servers of the project keep
running: they read the files again at the end, and their requests wait for that moment. Names are those of the plan, such as
article.title. "renamedFrom": "title" in an attribute, or "renamedFrom": "api::post.post" in a type, says where its content
is; in an attribute with a component, {"metaTitle": "title"} moves values into the component. Where content could be lost,
nothing is done without a decision:

  --drop NAME           drops content that no attribute uses any more, values that do not fit a new type, and versions in
                        other locales (article.locale)
  --keep NAME           leaves such content in the database, where galley leftover lists it, and accepts values that break a
                        new rule
  --default NAME=VALUE  the value of documents without one, and in place of values that do not fit
  --publish NAME        publishes the drafts of a type that loses its drafts
  --dry-run             only prints the plan
  --no-backup           makes no backup; required on PostgreSQL, whose backups other programs make

  galley migrate --dry-run
  galley migrate --drop author.bio --default article.rating=0`,
  run: async (args, surroundings) => {
    const many = { type: 'string', multiple: true } as const;
    const options = { drop: many, keep: many, publish: many, default: many } as const;
    const switches = { 'dry-run': { type: 'boolean' }, 'no-backup': { type: 'boolean' } } as const;
    const { flags, switched, positionals } = readArguments('migrate', args, { ...options, ...switches }, ['DIR']);
    const decisions: Decisions = {
      drop: flags('drop'),
      keep: flags('keep'),
      publish: flags('publish'),
      defaults: new Map(flags('default').map(defaultOf)),
    };
    const [dir = WORKING_FOLDER] = positionals;
    const config = await loadConfig(dir, { env: surroundings.env, newSecrets: secretsIfNew });
    for (const line of await settleSchemaFiles(config)) surroundings.warn(`warning: ${line}`);
    const files = await readProject(config);
    try {
      const engine = await Engine.open(config);
      try {
        const isDry = switched('dry-run');
        return await migrate(engine, files, decisions, { isDry, hasBackup: !switched('no-backup') }, surroundings);
      } finally {
        await engine.close();
      }
    } finally {
      await files.code.close();
    }
  },
};

function defaultOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--default needs NAME=VALUE, not ${text}`);
  return [name, value!];
}

interface Use {
  readonly isDry: boolean;
  readonly hasBackup: boolean;
}

async function migrate(
  engine: Engine,
  files: ProjectFiles,
  decisions: Decisions,
  { isDry, hasBackup }: Use,
  { print, warn }: Surroundings,
): Promise<number> {
  await engine.refuseForeign(files.layout);
  const plan = await planMigration(engine, files, decisions);
  if (isEmpty(plan)) {
    print('the database fits the schema files');
    return 0;
  }
  for (const line of planLines(plan)) print(line);
  if (!isDecided(plan)) {
    const missing = plan.changes.filter(({ choices }) => choices.length > 0).length;
    if (plan.obstacles.length > 0) warn('the migration is not possible: nothing has been changed');
    else warn(`${counted(missing, 'decision')} missing: nothing has been changed`);
    return 1;
  }
  if (isDry) return 0;
  if (hasBackup) print(`backup: ${await backUp(engine, files.config)}`);
  const started = performance.now();
  const project = buildProject(engine, files, new SchemaEditor(engine, false));
  const alone = <T>(work: Alone<T>) => whileServersWait(engine, engine.stores.incoming.process, work);
  await applyMigration(engine, files, plan, (tx) => project.writer.context(tx), alone);
  await engine.migrate(files, true);
  print(`migrated in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return 0;
}

/** The folder of backups, inside the project. */
const BACKUPS = 'database/backups';

/**
 * Makes a backup before a migration, and returns the name of its file: the only place that decides how.
 *
 * @throws UsageError for an engine whose backups other programs make.
 */
async function backUp({ schema, database }: Engine, { dir }: Config): Promise<string> {
  if (!schema.backUp || !database.separately) {
    throw new UsageError('galley makes no backup of this database: make one, and use --no-backup', 1);
  }
  const folder = join(dir, BACKUPS);
  mkdirSync(folder, { recursive: true });
  const name = `before-migrate-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.db`;
  const file = join(folder, name);
  if (existsSync(file)) throw new UsageError(`${file} exists`, 1);
  await schema.backUp(database, file);
  return relative(dir, file);
}
