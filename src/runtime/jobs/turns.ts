/** Settings by which processes that serve a project agree who does what. */
import { readEntry, storeEntry } from '../../db/interface/core-store.ts';
import type { Database } from '../../db/interface/database.ts';

/**
 * Changes a setting, while no other process does.
 *
 * @param next returns the new value from the stored one, if any; undefined changes nothing.
 */
export function changeSetting(
  database: Database,
  { key, type }: { readonly key: string; readonly type: string },
  next: (value: string | undefined) => string | undefined,
): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.lock(() => [{ key, shared: false }]);
    const value = next(await readEntry(tx, key));
    if (value !== undefined) await storeEntry(tx, key, value, type);
  });
}
