/** The reference's settings for images, which its panel stores in the core store. Both are on by default. */

import type { ReadContext } from '../content/rows/write-context.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import type { ProcessTarget } from './images/images.ts';

const SETTING = 'plugin_upload_settings';

/** The settings for processing images. */
export async function imageSettings({ tables }: ReadContext): Promise<Omit<ProcessTarget, 'folder'>> {
  const [row] = await tables.select(CORE_STORE_TABLE, ['value'], { key: SETTING }, ['id']);
  const settings = objectIn(row?.[0]);
  return {
    sizeOptimization: settings['sizeOptimization'] !== false,
    responsiveDimensions: settings['responsiveDimensions'] !== false,
  };
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(String(value));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
