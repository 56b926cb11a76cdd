/** `galley import`: brings the content of an archive of Strapi into the database of a project. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { openConfigured } from '../app.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { counted } from '../counted.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { wantedTables } from '../db/migration/migrate.ts';
import { UsageError } from '../errors.ts';
import { freeYoungGeneration } from '../heap.ts';
import { meant } from '../nearest.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { canonicalRows, lookIntoDatabase } from '../open-database.ts';
import { readCatalog } from '../project.ts';
import type { Catalog } from '../schema/catalog.ts';
import { type Layout, layOut } from '../schema/layout/layout.ts';
import { openArchive } from '../transfer/archive/open-archive.ts';
import { ArchiveSource } from '../transfer/archive/read.ts';
import { adoptFiles, sideFolderName, stageFiles } from '../transfer/files.ts';
import { countsOf, filledTables, load, notEmpty, type Survey, survey, type Written } from '../transfer/loader.ts';
import { countLines, type Findings } from '../transfer/report.ts';
import { FINDING_KINDS, type FindingKind } from '../transfer/rows.ts';
import { backUpFirst } from './backup.ts';
import { type Command, missingArgument, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { newDatabase } from './new-database.ts';
import { TimedBar } from './timed-bar.ts';

/** The environment variable with the password of an archive. */
const KEY = 'GALLEY_ARCHIVE_KEY';

export const importCommand: Command = {
  name: 'import',
  summary: 'bring the content of an archive of Strapi into the database',
  help: `galley import ARCHIVE [DIR] [--dry-run] [--skip KIND] [--replace] [--key PASSWORD]

Reads an archive of \`strapi export\` and writes its content into the database of the project in DIR (default: the working
folder): rows with their ids, links, files, accounts with their passwords, settings and webhooks. ARCHIVE is a tar file,
also compressed or encrypted, or an unpacked folder. Archives contain no administrators and no API tokens.

The whole archive is read first. Everything that does not fit is listed with its file and line; then nothing is written, and
the exit code is 1, unless --skip names its kind. All rows are written in one transaction: an interrupted import leaves the
database as it was. No server should run meanwhile.

  --dry-run       only read and list
  --skip KIND     import the rest without things of this kind, such as dangling-link; may be repeated
  --replace       make a backup, then replace the content of a database that is not empty
  --key PASSWORD  the password of an encrypted archive; better set ${KEY}, or type it

Kinds: ${FINDING_KINDS.join(', ')}.

  galley import export_20261130.tar.gz --dry-run
  galley import export_20261130.tar.gz --skip dangling-link --skip missing-file`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, print, warn } = surroundings;
  const options = {
    'dry-run': { type: 'boolean' },
    replace: { type: 'boolean' },
    skip: { type: 'string', multiple: true },
    key: { type: 'string' },
  } as const;
  const { flag, flags, switched, positionals } = readArguments('import', args, options, ['ARCHIVE', 'DIR']);
  const [place, dir] = positionals;
  if (place === undefined) throw missingArgument('import', 'an ARCHIVE');
  const skipped = skippedKinds(flags('skip'));
  freeYoungGeneration();
  const config = await loadConfig(dir ?? WORKING_FOLDER, { env, newSecrets: secretsIfNew });
  const catalog = await readCatalog(config);
  const layout = layOut(catalog);
  const password = async () => flag('key') ?? env[KEY] ?? (await surroundings.askSecret?.('Password of the archive: '));
  const source = await ArchiveSource.open(await openArchive(place, password), catalog, layout);
  const shapes = { tables: wantedTables(layout), form: await canonicalRows(config.database) };
  const bar = new TimedBar(surroundings, 'reading');
  const surveyed = await survey(source, shapes, bar.show).finally(bar.end);
  for (const notice of source.notices) print(notice);
  for (const key of surveyed.wider) print(`${key} stores values of any size, since the archive has larger ones`);
  const isRefused = listFindings(surveyed.findings, skipped, surroundings);
  const filled = await filledTarget(config, layout, surveyed);
  const isDry = switched('dry-run');
  if (isDry || isRefused) {
    for (const line of countLines(countsOf(surveyed, shapes.tables))) print(line);
    print('nothing was written');
    if (filled.length > 0 && !switched('replace')) warn(notEmpty(filled).message);
    return isRefused ? 1 : 0;
  }
  if (filled.length > 0) {
    if (!switched('replace')) throw notEmpty(filled);
    await backUpFirst(config, surroundings);
  }
  const request = { source, surveyed, config, catalog, shapes, replaces: switched('replace') };
  const { written, files } = await write(request, surroundings);
  for (const line of countLines(countsOf(surveyed, shapes.tables, written))) print(line);
  print(counted(files, 'file'));
  return 0;
}

/** @throws UsageError for a kind that does not exist. */
function skippedKinds(values: readonly string[]): ReadonlySet<FindingKind> {
  const kinds = values.flatMap((value) => value.split(',').map((kind) => kind.trim()));
  const known: readonly string[] = FINDING_KINDS;
  const wrong = kinds.find((kind) => !known.includes(kind));
  if (wrong !== undefined) {
    const hint = meant(wrong, known) || `: the kinds are ${known.join(', ')}`;
    throw new UsageError(`--skip ${wrong} is no kind${hint}`);
  }
  return new Set(kinds as FindingKind[]);
}

/** Prints what does not fit. Returns whether anything of it is not to be skipped. */
function listFindings(findings: Findings, skipped: ReadonlySet<FindingKind>, { print, warn }: Surroundings): boolean {
  for (const line of findings.lines()) print(line);
  const refused = [...findings.kinds.keys()].filter((kind) => !skipped.has(kind));
  if (refused.length === 0) return false;
  warn(`to import everything else, add ${refused.map((kind) => `--skip ${kind}`).join(' ')}`);
  return true;
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
  readonly source: ArchiveSource;
  readonly surveyed: Survey;
  readonly config: Config;
  readonly catalog: Catalog;
  readonly shapes: Pick<Parameters<typeof load>[1], 'tables' | 'form'>;
  readonly replaces: boolean;
}

/** Writes the rows and files. Returns the rows by table, and the number of files. */
async function write(
  { source, surveyed, config, shapes, replaces }: Writing,
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
    const request = { ...shapes, database, engine, layout, surveyed, replaces, switches: source.switches };
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
