/** `galley backup` and `galley restore`. */
import { BACKUPS_FOLDER, backUp, openPlace, restore } from '../backups.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { openStorage } from '../media/storage/open-storage.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { databaseCopies, hasContent } from '../open-database.ts';
import { type Command, missingArgument, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { forgetServers, refuseServers } from './running-servers.ts';

const KEY_HELP =
  '--key KEY        the key of encrypted backups (default: GALLEY_BACKUP_KEY, which other users cannot see)';
const OPTIONS = { key: { type: 'string' }, 'without-files': { type: 'boolean' } } as const;

export const backupCommand: Command = {
  name: 'backup',
  summary: 'back up the database and the files',
  help: `galley backup [FILE|FOLDER|s3://BUCKET/PREFIX] [DIR] [--key KEY] [--without-files]

Backs up the project in DIR (default: the working folder) while its server runs: the database as it is at one moment, and
the files that it names. The backup is then read again: its checksums and the rows of each table are compared with what was
written. FILE ends with .tar or .tar.gz; in a FOLDER (default: ${BACKUPS_FOLDER} of the project) the backup is named after the
project and the time. With a key it is encrypted, and its name ends with .enc.

The project's folder and .env are not part of a backup: without the secrets of .env, tokens and sessions are invalid.

  ${KEY_HELP}
  --without-files  leaves out the files of the media library

  galley backup
  galley backup /mnt/backups/blog.tar.gz
  GALLEY_BACKUP_KEY=… galley backup s3://backups/blog`,
  run: runBackup,
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'restore a backup',
  help: `galley restore FILE|s3://BUCKET/NAME [DIR] [--replace] [--key KEY] [--without-files]

Replaces the database and the files of the project in DIR (default: the working folder) by those of a backup. Stop the
server first. The whole backup is read and checked before anything is changed. The database must be empty, unless --replace
is given: then it is backed up first, into ${BACKUPS_FOLDER} of the project.

  --replace        replaces a database with content
  ${KEY_HELP}
  --without-files  leaves the files as they are

  galley restore backups/blog-2026-11-30T03-00-00Z.tar.gz --replace`,
  run: runRestore,
};

async function runBackup(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, print, warn } = surroundings;
  const { flag, switched, positionals } = readArguments('backup', args, OPTIONS, ['TARGET', 'DIR']);
  const [to, dir = WORKING_FOLDER] = positionals;
  const config = await loadConfig(dir, { env, newSecrets: secretsIfNew });
  const key = flag('key') ?? config.backup.key;
  const place = await openPlace(to ?? BACKUPS_FOLDER, config, to === undefined ? config.dir : process.cwd());
  const stores = await openStorage(config);
  try {
    const copies = await databaseCopies(config.database);
    const files = !switched('without-files');
    const { name, size, manifest } = await backUp({ config, stores, copies }, { place, key, files });
    const rows = Object.values(manifest.database.rows).reduce((sum, count) => sum + count, 0);
    const tables = Object.keys(manifest.database.rows).length;
    print(
      `${name}: ${counted(rows, 'row')} of ${counted(tables, 'table')}, ${counted(manifest.files.count, 'file')}, ${megabytes(size)}, read again and complete`,
    );
    const { missing } = manifest.files;
    if (missing > 0)
      warn(
        `${counted(missing, 'file')} that the database names ${missing === 1 ? 'does' : 'do'} not exist; galley doctor lists them`,
      );
    return 0;
  } finally {
    await place.storage.close();
    await close(stores);
  }
}

async function runRestore(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, print } = surroundings;
  const { flag, switched, positionals } = readArguments('restore', args, { ...OPTIONS, replace: { type: 'boolean' } }, [
    'BACKUP',
    'DIR',
  ]);
  const [from, dir = WORKING_FOLDER] = positionals;
  if (from === undefined) throw missingArgument('restore', 'a BACKUP');
  const config = await loadConfig(dir, { env, newSecrets: async () => [] });
  const key = flag('key') ?? config.backup.key;
  const files = !switched('without-files');
  const place = await openPlace(from, config, process.cwd());
  const stores = await openStorage(config);
  try {
    const copies = await databaseCopies(config.database);
    await refuseServers(config.database);
    const isReplaced = await hasContent(config.database);
    if (isReplaced && !switched('replace'))
      throw new UsageError('the database has content: with --replace it is backed up and then replaced', 1);
    const { manifest } = await restore({ stores, copies }, { place, key, files }, async () => {
      if (isReplaced) await backUpFirst(config, surroundings);
    });
    await forgetServers(config.database);
    const rows = Object.values(manifest.database.rows).reduce((sum, count) => sum + count, 0);
    print(
      `restored ${counted(rows, 'row')}${files ? ` and ${counted(manifest.files.count, 'file')}` : ''} of ${manifest.createdAt}`,
    );
    return 0;
  } finally {
    await place.storage.close();
    await close(stores);
  }
}

/** Backs up what is about to be replaced. */
export async function backUpFirst(config: Config, { print }: Pick<Surroundings, 'print'>): Promise<void> {
  const place = await openPlace(BACKUPS_FOLDER, config, config.dir);
  const stores = await openStorage(config);
  try {
    const copies = await databaseCopies(config.database);
    const { name } = await backUp({ config, stores, copies }, { place, key: config.backup.key, files: true });
    print(`backup: ${BACKUPS_FOLDER}/${name}`);
  } finally {
    await close(stores);
  }
}

async function close({ stores, incoming }: Awaited<ReturnType<typeof openStorage>>): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
  await incoming.close();
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
