/** The reference's settings for images, which its panel stores in the core store. Both are on by default. */

import type { ReadContext } from '../content/rows/write-context.ts';
import { insertRow, selectRows, updateRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { at, Failures } from '../failures.ts';
import { objectOrEmpty } from '../plain-values.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import type { ProcessTarget } from './images/images.ts';

const SETTING = 'plugin_upload_settings';
const FLAGS = ['sizeOptimization', 'responsiveDimensions'] as const;

export type ImageSettings = Omit<ProcessTarget, 'folder'>;

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
  const change: Record<string, unknown> = {};
  for (const key of FLAGS) {
    const value = wanted[key];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') failures.add(at(key), `${key} must be true or false`, value);
    change[key] = value;
  }
  failures.throwAny();
  const [row] = await selectRows(tx, CORE_STORE_TABLE, ['value', 'id'], { key: SETTING }, ['id']);
  const stored = objectIn(row?.[0]);
  const next = { autoOrientation: false, ...settingsIn(stored), ...stored, ...change };
  const value = JSON.stringify(next);
  if (row) await updateRows(tx, CORE_STORE_TABLE, { value }, { id: Number(row[1]) });
  else await insertRow(tx, CORE_STORE_TABLE, { key: SETTING, value, type: 'object', environment: null, tag: null });
  return settingsIn(next);
}

const settingsIn = (stored: Readonly<Record<string, unknown>>): ImageSettings => ({
  sizeOptimization: stored['sizeOptimization'] !== false,
  responsiveDimensions: stored['responsiveDimensions'] !== false,
});

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  try {
    return objectOrEmpty(JSON.parse(String(value)));
  } catch {
    return {};
  }
}
