/** `galley import`: brings the content of an archive of Strapi into the database of a project. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { openConfigured } from '../app.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { counted } from '../counted.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { wantedTables } from '../db/migration/migrate.ts';
import { freeYoungGeneration } from '../heap.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { canonicalRows, lookIntoDatabase } from '../open-database.ts';
import { readCatalog } from '../project.ts';
import { type Layout, layOut } from '../schema/layout/layout.ts';
import type { TableDefinition } from '../schema/layout/table.ts';
import { openArchive } from '../transfer/archive/open-archive.ts';
import { ArchiveSource } from '../transfer/archive/read.ts';
import { adoptFiles, sideFolderName, stageFiles } from '../transfer/files.ts';
import {
  countsOf,
  filledTables,
  load,
  notEmpty,
  type Shapes,
  type Survey,
  type SwitchesByType,
  survey,
  type Written,
} from '../transfer/loader.ts';
import { countLines } from '../transfer/report.ts';
import { FINDING_KINDS, type FindingKind, type Source } from '../transfer/rows.ts';
import { backUpFirst } from './backup.ts';
import { type Command, missingArgument, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { listFindings, skippedKinds } from './findings.ts';
import { newDatabase } from './new-database.ts';
import { refuseServers } from './running-servers.ts';
import { databaseAddress, openSourceDatabase } from './source-database.ts';
import { TimedBar } from './timed-bar.ts';

/** The environment variable with the password of an archive. */
const KEY = 'GALLEY_ARCHIVE_KEY';

export const importCommand: Command = {
  name: 'import',
  summary: 'bring an archive or a database of Strapi into the database',
  help: `galley import SOURCE [DIR] [--dry-run] [--skip KIND] [--replace] [--key PASSWORD] [--timezone ZONE]

Writes content of Strapi 5 into the database of the project in DIR (default: the working folder): rows with their ids,
links, accounts with their passwords, settings and webhooks. SOURCE is

  an archive of \`strapi export\`: a tar file, also compressed or encrypted, or an unpacked folder. It has the files, but no
  administrators and no API tokens;
  a database, which is only read: a path of an SQLite file, or postgres://…, mysql://… or mariadb://USER:PASSWORD@HOST/NAME.
  It has everything but the files: copy public/uploads.

The whole source is read first. Everything that does not fit is listed with its place; then nothing is written, and the exit
code is 1, unless --skip names its kind. All rows are written in one transaction: an interrupted import leaves the
database as it was. No server should run meanwhile.

  --dry-run       only read and list
  --skip KIND     import the rest without things of this kind, such as dangling-link; may be repeated
  --replace       make a backup, then replace the content of a database that is not empty
  --key PASSWORD  the password of an encrypted archive; better set ${KEY}, or type it
  --timezone ZONE the time zone of the Strapi process, such as Europe/Berlin, by whose clock times are stored in MySQL and
                  MariaDB (default: UTC)

Kinds: ${FINDING_KINDS.join(', ')}.

  galley import export_20261130.tar.gz --dry-run
  galley import export_20261130.tar.gz --skip dangling-link --skip missing-file
  galley import mysql://strapi:PASSWORD@localhost/site --timezone Europe/Berlin`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env } = surroundings;
  const options = {
    'dry-run': { type: 'boolean' },
    replace: { type: 'boolean' },
    skip: { type: 'string', multiple: true },
    key: { type: 'string' },
    timezone: { type: 'string' },
  } as const;
  const { flag, flags, switched, positionals } = readArguments('import', args, options, ['SOURCE', 'DIR']);
  const [place, dir] = positionals;
  if (place === undefined) throw missingArgument('import', 'a SOURCE');
  const skipped = skippedKinds(flags('skip'));
  freeYoungGeneration();
  const config = await loadConfig(dir ?? WORKING_FOLDER, { env, newSecrets: secretsIfNew });
  const catalog = await readCatalog(config);
  const layout = layOut(catalog);
  const password = async () => flag('key') ?? env[KEY] ?? (await surroundings.askSecret?.('Password of the archive: '));
  const address = await databaseAddress(place);
  const own = wantedTables(layout);
  const wanted = { layout, wanted: own, timezone: flag('timezone') };
  const { source, added }: { source: Source; added: readonly TableDefinition[] } =
    address === undefined
      ? { source: await ArchiveSource.open(await openArchive(place, password), catalog, layout), added: [] }
      : await openSourceDatabase({ ...wanted, address });
  try {
    const shapes = { tables: [...own, ...added], form: await canonicalRows(config.database) };
    const modes = { skipped, isDry: switched('dry-run'), replaces: switched('replace') };
    return await bring({ source, added, shapes, config, layout, ...modes }, surroundings);
  } finally {
    await source.close();
  }
}

interface Import {
  readonly source: Source;
  readonly added: readonly TableDefinition[];
  readonly shapes: Shapes;
  readonly config: Config;
  readonly layout: Layout;
  readonly skipped: ReadonlySet<FindingKind>;
  readonly isDry: boolean;
  readonly replaces: boolean;
}

/** Reads a source, and writes it if everything fits. Returns the exit code. */
async function bring(
  { source, added, shapes, config, layout, skipped, isDry, replaces }: Import,
  surroundings: Surroundings,
): Promise<number> {
  const { print, warn } = surroundings;
  const bar = new TimedBar(surroundings, 'reading');
  const surveyed = await survey(source, shapes, bar.show).finally(bar.end);
  for (const notice of source.notices ?? []) print(notice);
  for (const key of surveyed.wider) print(`${key} stores values of any size, since the source has larger ones`);
  const isRefused = listFindings(surveyed.findings, skipped, surroundings);
  const filled = await filledTarget(config, layout, surveyed);
  if (isDry || isRefused) {
    for (const line of countLines(countsOf(surveyed, shapes.tables))) print(line);
    print('nothing was written');
    if (filled.length > 0 && !replaces) warn(notEmpty(filled).message);
    return isRefused ? 1 : 0;
  }
  await refuseServers(config.database);
  if (filled.length > 0) {
    if (!replaces) throw notEmpty(filled);
    await backUpFirst(config, surroundings);
  }
  const switches = source instanceof ArchiveSource ? { switches: source.switches } : {};
  const request = { source, added, ...switches, surveyed, config, shapes, replaces };
  const { written, files } = await write(request, surroundings);
  for (const line of countLines(countsOf(surveyed, shapes.tables, written))) print(line);
  print(counted(files, 'file'));
  return 0;
}

/** The tables of the project's database that have rows. */
async function filledTarget({ database }: Config, layout: Layout, surveyed: Survey): Promise<readonly string[]> {
  const look = lookIntoDatabase(database, async ({ database, schema }) => {
    const existing = await schema.introspect(database);
    return filledTables(database, layout, surveyed, new Set(existing.keys()));
  });
  return (await look) ?? [];
}

interface Writing {
  readonly source: Source;
  readonly added: readonly TableDefinition[];
  readonly switches?: SwitchesByType;
  readonly surveyed: Survey;
  readonly config: Config;
  readonly shapes: Shapes;
  readonly replaces: boolean;
}

/** Writes the rows and files. Returns the rows by table, and the number of files. */
async function write(
  { source, surveyed, config, shapes, replaces, ...more }: Writing,
  surroundings: Surroundings,
): Promise<{ readonly written: Written; readonly files: number }> {
  const { env, print, warn } = surroundings;
  const app = await openConfigured(config, { env, newSecrets: secretsIfNew });
  const bar = new TimedBar(surroundings, 'writing');
  try {
    const created = newDatabase(app);
    if (created !== undefined) warn(created);
    const { database, engine, layout } = app;
    const uploads = path.join(config.publicDir, 'uploads');
    await adoptFiles(database, uploads);
    const staged = await stageFiles(source, uploads, sideFolderName(randomBytes(8).toString('hex')));
    const request = { ...shapes, ...more, database, engine, layout, surveyed, replaces };
    const before = async (tx: Transaction, rows: number): Promise<void> => {
      await staged.note(tx);
      tx.recordAction({ action: 'content.import', type: null, id: null, more: { rows, files: staged.count } });
    };
    const written = await load(source, { ...request, onProgress: bar.show, before }).catch(async (error: unknown) => {
      await staged.remove();
      throw error;
    });
    bar.end();
    await adoptFiles(database, uploads);
    if (staged.count > 0 && config.upload.storage.store !== 'local')
      print('the files are on the local disk: galley media move --to s3 brings them to the object store');
    return { written, files: staged.count };
  } finally {
    bar.end();
    await app.close();
  }
}
