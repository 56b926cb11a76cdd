/** The reference's settings for images, which its panel stores in the core store. By default pictures are recompressed and copied, and not turned. */
import type { ReadContext } from '../content/rows/write-context.ts';
import { readSetting, storeSetting } from '../db/interface/core-store.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { Failures, flagsIn } from '../failures.ts';
import { objectOrEmpty } from '../plain-values.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import type { ProcessTarget } from './images/images.ts';

const SETTING = 'plugin_upload_settings';
const FLAGS = ['sizeOptimization', 'responsiveDimensions', 'autoOrientation'] as const;

export type ImageSettings = Required<Omit<ProcessTarget, 'folder'>>;

/** The settings for processing images. */
export async function imageSettings({ tables }: ReadContext): Promise<ImageSettings> {
  const [row] = await tables.select(CORE_STORE_TABLE, ['value'], { key: SETTING }, ['id']);
  return settingsIn(objectIn(row?.[0]));
}

/**
 * Changes the settings. Keys that the body leaves out stay unchanged, and so do other ones in the database.
 *
 * @throws ContentError 400 with the paths of all wrong values.
 */
export async function changeImageSettings(tx: Transaction, body: unknown): Promise<ImageSettings> {
  await tx.lock(() => [{ key: 'galley image settings', shared: false }]);
  const wanted = objectOrEmpty(body);
  const failures = new Failures();
  const change = flagsIn(wanted, FLAGS, failures);
  failures.throwAny();
  const stored = await readSetting(tx, SETTING);
  const next = { ...settingsIn(stored), ...stored, ...change };
  await storeSetting(tx, SETTING, next);
  tx.recordAction({ action: 'settings.update', type: 'settings', id: 'images', fields: Object.keys(change) });
  return settingsIn(next);
}

const settingsIn = (stored: Readonly<Record<string, unknown>>): ImageSettings => ({
  sizeOptimization: stored['sizeOptimization'] !== false,
  responsiveDimensions: stored['responsiveDimensions'] !== false,
  autoOrientation: stored['autoOrientation'] === true,
});

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  try {
    return objectOrEmpty(JSON.parse(String(value)));
  } catch {
    return {};
  }
}
