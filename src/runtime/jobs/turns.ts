/** Settings by which processes that serve a project agree who does what. */
import { readEntry, storeEntry } from '../../db/interface/core-store.ts';
import type { Database } from '../../db/interface/database.ts';

/**
 * Changes a setting, while no other process does.
 *
 * @param next what becomes of its value, which is undefined where there is none; undefined leaves it as it is.
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
