/** The backups of a project: what is backed up, and where backups are. */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Backup, type BackupRequest, createBackup, openIn } from './backup/creating.ts';
import type { ReadBackup } from './backup/reading.ts';
import { restoreBackup } from './backup/restoring.ts';
import type { Config } from './config/config.ts';
import type { DatabaseCopies } from './db/interface/database-copies.ts';
import { UsageError } from './errors.ts';
import { localStorage } from './media/storage/local-storage.ts';
import type { OpenStorage } from './media/storage/open-storage.ts';
import type { Storage } from './media/storage/storage.ts';

/** The folder of a project for backups that go nowhere else. */
export const BACKUPS_FOLDER = 'backups';

/** Where a backup is, or is to be. */
export interface BackupPlace {
  readonly storage: Storage;
  /** Its name; undefined for a folder, in which a new backup gets a name of its own. */
  readonly name: string | undefined;
  /** A folder for temporary files. */
  readonly scratch: string;
}

/** The settings of a bucket that only concern files of a library. */
const PLAIN_BUCKET = {
  ...{ provider: 's3', private: false, acl: undefined, baseUrl: undefined, signedUrlExpires: 0 },
} as const;

/** Names of backups: `x.tar`, `x.tar.gz`, and with `.enc`. */
const NAME = /\.tar(?:\.gz)?(?:\.enc)?$/;

/**
 * Opens a place of backups without contacting it.
 *
 * @param to a file, a folder, `s3://bucket/name` or `s3://bucket/prefix`; relative paths are below `base`.
 * @throws UsageError in one line if an object store is not configured.
 */
export async function openPlace(to: string, config: Config, base: string): Promise<BackupPlace> {
  if (/^s3:/i.test(to)) return openBucket(to, config);
  const file = path.resolve(base, to);
  const folder = NAME.test(file) ? path.dirname(file) : file;
  await mkdir(folder, { recursive: true });
  return { storage: localStorage(folder), name: folder === file ? undefined : path.basename(file), scratch: folder };
}

async function openBucket(to: string, { backup }: Config): Promise<BackupPlace> {
  const match = /^s3:\/\/([^/]+)\/?(.*)$/i.exec(to);
  if (!match) throw new UsageError(`${to} is no place for backups: write s3://BUCKET/PREFIX`);
  const [, bucket = '', rest = ''] = match;
  const parts = rest.split('/').filter((part) => part !== '');
  const name = NAME.test(rest) ? parts.pop() : undefined;
  const { openS3Storage } = await import('./media/storage/s3-storage.ts');
  const storage = await openS3Storage({ ...backup.s3, ...PLAIN_BUCKET, bucket, prefix: parts.join('/') });
  return { storage, name, scratch: tmpdir() };
}

/** The name of a new backup of a project: `blog-2026-11-30T09-15-00Z.tar.gz`. */
export function backupName({ name }: Pick<Config, 'name'>, isEncrypted: boolean, now = new Date()): string {
  const time = now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  return `${plainName(name)}-${time}.tar.gz${isEncrypted ? '.enc' : ''}`;
}

const plainName = (name: string): string => name.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '');

interface Backups {
  readonly config: Config;
  readonly stores: OpenStorage;
  /** The forms in which its database is backed up, the best first. */
  readonly copies: readonly DatabaseCopies[];
}

interface Wanted {
  readonly place: BackupPlace;
  readonly key: string | undefined;
  readonly files: boolean;
  readonly onStep?: BackupRequest['onStep'];
}

/**
 * Backs up a project (`createBackup`). A name is given to a backup in a folder.
 *
 * @throws UsageError in one line if a name contradicts the key.
 */
export async function backUp(
  { config, stores, copies }: Backups,
  { place, key, files, onStep }: Wanted,
): Promise<Backup> {
  const { storage, scratch, name = backupName(config, key !== undefined) } = place;
  if (name.endsWith('.enc') !== (key !== undefined)) {
    const advice = key === undefined ? 'set GALLEY_BACKUP_KEY or use --key' : `name it ${name}.enc`;
    throw new UsageError(`${name}: names of encrypted backups, and of no others, end with .enc; ${advice}`);
  }
  const backedUp = { copies: copies[0]!, stores: files ? stores.stores : [] };
  return createBackup({ backedUp, place: storage, name, scratch, key, onStep });
}

/** Restores a backup (`restoreBackup`). */
export async function restore(
  { stores, copies }: Pick<Backups, 'stores' | 'copies'>,
  { place, key, files }: Wanted,
  confirm: (backup: ReadBackup) => Promise<void>,
): Promise<ReadBackup> {
  const { storage, name } = place;
  if (name === undefined) throw new UsageError('galley restore needs the name of a backup, not a folder');
  const stream = await openIn(storage, name);
  const copiesOf = (form: string) => copies.find((one) => one.form === form);
  return stores.incoming.lend((folder) =>
    restoreBackup({ stream, key, copiesOf, stores: files ? stores.stores : [], folder, confirm }),
  );
}
