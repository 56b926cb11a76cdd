/** `galley move`: transfers everything in the database of a project to another engine or server. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openProject } from '../app.ts';
import type { DatabaseConfig } from '../config/config.ts';
import { databaseAt } from '../config/database-config.ts';
import { counted } from '../counted.ts';
import { wantedTables } from '../db/migration/migrate.ts';
import { UsageError } from '../errors.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { canonicalRows, openDatabase, openSnapshot } from '../open-database.ts';
import { DatabaseSource } from '../transfer/database/database-source.ts';
import { chooseTables } from '../transfer/database/source-tables.ts';
import { survey } from '../transfer/loader.ts';
import { move, refuseFilled } from '../transfer/move.ts';
import { FINDING_KINDS } from '../transfer/rows.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { listFindings, skippedKinds } from './findings.ts';
import { TimedBar } from './timed-bar.ts';

export const moveCommand: Command = {
  name: 'move',
  summary: 'move the database to another engine or server',
  help: `galley move --to ADDRESS [DIR] [--dry-run] [--skip KIND]

Copies everything in the database of the project in DIR (default: the working folder) into an empty database: content,
administrators, roles, tokens, sessions, history, webhook deliveries, Galley's own tables and those of other programs, with
all ids. Before the end it compares every row of both databases. All happens in one transaction: after an error or an
interruption the target is empty. The source stays as it is.

Stop the servers first: what they write meanwhile is not in the target. Then give them the new address (DATABASE_URL).
Files of the media library stay where they are.

  --to ADDRESS  postgres://USER:PASSWORD@HOST:PORT/NAME, or sqlite:PATH
  --dry-run     only list what does not fit the target
  --skip KIND   move the rest without things of this kind; may be repeated

Values that the target cannot store, and tables that no engine has in this form, are listed first. Then nothing is written,
and the exit code is 1, unless --skip names their kind: ${FINDING_KINDS.join(', ')}.

  galley move --to postgres://galley@localhost/site
  galley move --to sqlite:backup/site.db`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, print, warn } = surroundings;
  const options = {
    to: { type: 'string' },
    'dry-run': { type: 'boolean' },
    skip: { type: 'string', multiple: true },
  } as const;
  const { flag, flags, switched, positionals } = readArguments('move', args, options, ['DIR']);
  const address = flag('to');
  if (address === undefined) throw new UsageError('galley move needs --to ADDRESS: postgres://… or sqlite:PATH');
  const skipped = skippedKinds(flags('skip'));
  const app = await openProject(positionals[0] ?? WORKING_FOLDER, { env, newSecrets: secretsIfNew });
  try {
    const { database: from, dir } = app.config;
    const to = targetAt(dir, address);
    const source = await sourceOf(from, wantedTables(app.layout));
    try {
      const tables = source.tables.map(({ definition }) => definition);
      const form = await canonicalRows(to);
      const reading = new TimedBar(surroundings, 'reading');
      const surveyed = await survey(source, { tables, form, takesOwnState: true }, reading.show).finally(reading.end);
      for (const key of surveyed.wider) print(`${key} stores values of any size, since the source has larger ones`);
      const isRefused = listFindings(surveyed.findings, skipped, surroundings);
      const [writing, comparing] = [new TimedBar(surroundings, 'writing'), new TimedBar(surroundings, 'comparing')];
      if (isRefused || switched('dry-run')) {
        print(`${counted(await source.total(), 'row')} in ${counted(tables.length, 'table')}; nothing was written`);
        return isRefused ? 1 : 0;
      }
      const rows = await intoNew(to, ({ database, schema: engine }) =>
        move(source, surveyed, { database, engine, form }, { writing: writing.show, comparing: comparing.show }),
      ).finally(writing.end);
      print(`moved ${counted(rows, 'row')} of ${counted(tables.length, 'table')} to ${placeOf(to)}, and compared them`);
      warn(`set DATABASE_URL to the new address, and start the server again`);
      return 0;
    } finally {
      await source.close();
    }
  } finally {
    await app.close();
  }
}

/** @throws UsageError for an address of another form, and for a database in memory. */
function targetAt(dir: string, address: string): DatabaseConfig {
  const to = databaseAt(dir, address);
  if (to.client === 'sqlite' && to.filename === ':memory:')
    throw new UsageError('a database in memory would be gone at the end of the command');
  return to;
}

/** The database of a project as a source of everything that is in it. */
async function sourceOf(from: DatabaseConfig, wanted: ReturnType<typeof wantedTables>): Promise<DatabaseSource> {
  const snapshot = await openSnapshot(from);
  const existing = await snapshot.tables();
  const choice = {
    snapshot,
    existing,
    wanted,
    unknownTable: () => 'brought' as const,
    unknownColumns: 'brought' as const,
  };
  return new DatabaseSource({ snapshot, ...(await chooseTables(choice)) });
}

/** Runs work with a database that is empty. A file that it creates is removed if the work fails. */
async function intoNew<T>(
  to: DatabaseConfig,
  work: (open: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
): Promise<T> {
  const file = to.client === 'sqlite' && !existsSync(to.filename) ? to.filename : undefined;
  const open = await openDatabase({ database: to, logSql: false });
  let isDone = false;
  try {
    await refuseFilled(open.database, open.schema);
    const result = await work(open);
    isDone = true;
    return result;
  } finally {
    await open.database.close();
    if (file !== undefined && !isDone) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  }
}

/** A database as it is shown, without its password. */
function placeOf(database: DatabaseConfig): string {
  if (database.client === 'sqlite') return path.relative('.', database.filename);
  const { connectionString = '' } = database;
  const { host, pathname } = new URL(connectionString);
  return `the database ${pathname.slice(1)} on ${host}`;
}
