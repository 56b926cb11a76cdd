/** `history` and `trash` of `config/galley`: which replaced versions and deleted documents are stored, and for how long. */
import type { HistoryConfig, Retention, TrashConfig } from './config.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import { integerAt, unknownSetting, valueAt, wrong } from './values.ts';

const DAYS = 90;
const MOST_DAYS = 36_500;
const VERSIONS = 100;
const MOST_VERSIONS = 10_000;
/** Seconds. */
const INTERVAL = 300;
const LONGEST_INTERVAL = 86_400;

const KEYS = ['days', 'versions', 'interval', 'types'];
const TYPE_KEYS = ['days', 'versions'];

/** Days for which deleted documents can be restored, and the most of them. */
const TRASH_DAYS = 30;
const TRASH_DOCUMENTS = 100_000;
const MOST_TRASH_DOCUMENTS = 10_000_000;

/** The settings of the trash. @throws UsageError, naming the key, for a wrong value. */
export function trashConfig(galley: ConfigFile): TrashConfig {
  const whole = valueAt(galley, 'trash') ?? {};
  if (!isTree(whole)) throw wrong(galley, 'trash', 'an object, such as { days: 30 }');
  refuseUnknown(galley, 'trash', whole, ['days', 'documents']);
  return {
    days: integerAt(galley, 'trash.days', TRASH_DAYS, 0, MOST_DAYS),
    documents: integerAt(galley, 'trash.documents', TRASH_DOCUMENTS, 1, MOST_TRASH_DOCUMENTS),
  };
}

/** The settings of the history. @throws UsageError, naming the key, for a wrong value. */
export function historyConfig(galley: ConfigFile): HistoryConfig {
  const whole = valueAt(galley, 'history') ?? {};
  if (!isTree(whole)) throw wrong(galley, 'history', 'an object, such as { days: 90, versions: 100 }');
  refuseUnknown(galley, 'history', whole, KEYS);
  const types = valueAt(galley, 'history.types') ?? {};
  if (!isTree(types))
    throw wrong(galley, 'history.types', "an object, such as { 'api::article.article': { days: 30 } }");
  const general = retentionOf(galley, 'history', whole, { days: DAYS, versions: VERSIONS });
  return {
    ...general,
    interval: integerAt(galley, 'history.interval', INTERVAL, 0, LONGEST_INTERVAL) * 1000,
    types: Object.freeze(
      Object.fromEntries(
        Object.entries(types).map(([uid, own]) => {
          const path = `history.types.${uid}`;
          if (!isTree(own)) throw wrong(galley, path, 'an object, such as { days: 30, versions: 10 }');
          refuseUnknown(galley, path, own, TYPE_KEYS);
          return [uid, Object.freeze(retentionOf(galley, path, own, general))];
        }),
      ),
    ),
  };
}

function retentionOf(galley: ConfigFile, path: string, tree: object, otherwise: Retention): Retention {
  const { days, versions } = tree as { readonly days?: unknown; readonly versions?: unknown };
  return {
    days: within(galley, `${path}.days`, days, MOST_DAYS, 1) ?? otherwise.days,
    versions: within(galley, `${path}.versions`, versions, MOST_VERSIONS, 0) ?? otherwise.versions,
  };
}

/** An integer; uids contain dots, so values of types are not read by a dotted path. */
function within(galley: ConfigFile, path: string, value: unknown, most: number, least: number): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw wrong(galley, path, `an integer from ${least} to ${most}`);
}

function refuseUnknown(galley: ConfigFile, path: string, tree: object, keys: readonly string[]): void {
  for (const key of Object.keys(tree)) {
    if (!keys.includes(key))
      throw unknownSetting(
        galley.path,
        `${path}.${key}`,
        keys.map((one) => `${path}.${one}`),
      );
  }
}
