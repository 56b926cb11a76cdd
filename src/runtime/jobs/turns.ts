/** Settings by which the processes of a project divide work. */
import type { Database } from '../../db/interface/database.ts';
import { insertRow, selectRows, updateRows } from '../../db/interface/statements.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';

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
    const [row] = await selectRows(tx, CORE_STORE_TABLE, ['id', 'value'], { key });
    const value = next(row && String(row[1]));
    if (value === undefined) return;
    if (row) await updateRows(tx, CORE_STORE_TABLE, { value }, { id: Number(row[0]) });
    else await insertRow(tx, CORE_STORE_TABLE, { key, value, type });
  });
}
