/** `config/galley`: `backup`, the backups. Galley's own. */
import type { BackupConfig } from './config.ts';
import { type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import { s3Access } from './storage-config.ts';
import { booleanAt, ConfigMistake, integerAt, textAt, textVariable, unknownSetting, valueAt, wrong } from './values.ts';

const KEYS = ['cron', 'keep', 'to', 'files', 'mail'];
/** Scheduled backups that stay, unless it is configured otherwise. */
const KEPT = 7;
const MOST_KEPT = 10_000;
/** The folder of backups in the project. */
const FOLDER = 'backups';
/** The variable with the key that encrypts backups. */
const KEY = 'GALLEY_BACKUP_KEY';
/** The least characters of a key. */
const SHORTEST_KEY = 8;

/** The settings of backups. @throws UsageError, naming the key, for a wrong value. */
export async function backupConfig(
  { galley, plugins }: Pick<ConfigFiles, 'galley' | 'plugins'>,
  variables: Variables,
): Promise<BackupConfig> {
  const whole = valueAt(galley, 'backup') ?? {};
  if (!isTree(whole)) throw wrong(galley, 'backup', "an object, such as { cron: '0 3 * * *', keep: 7 }");
  for (const key of Object.keys(whole)) {
    if (!KEYS.includes(key)) throw unknownSetting(galley.path, `backup.${key}`, KEYS);
  }
  const cron = textAt(galley, 'backup.cron');
  if (cron !== undefined && !(await isCron(cron)))
    throw wrong(galley, 'backup.cron', "a cron expression, such as '0 3 * * *'");
  const key = textVariable(variables, KEY);
  if (key !== undefined && key.length < SHORTEST_KEY) {
    // the value is secret
    throw new ConfigMistake(`${KEY} must have at least ${SHORTEST_KEY} characters`, { variables: [KEY] });
  }
  return {
    ...{ cron, key },
    keep: integerAt(galley, 'backup.keep', KEPT, 1, MOST_KEPT),
    to: textAt(galley, 'backup.to') ?? FOLDER,
    files: booleanAt(galley, 'backup.files', true),
    mail: textAt(galley, 'backup.mail'),
    s3: s3Access(plugins, variables),
  };
}

async function isCron(text: string): Promise<boolean> {
  // loaded only where backups are scheduled
  const { CronPattern } = await import('croner');
  try {
    new CronPattern(text);
    return true;
  } catch {
    return false;
  }
}
