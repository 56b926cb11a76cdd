/** Settings in the core store: entries whose values are JSON objects, as the reference stores them. */
import { type JsonObject, objectOrEmpty } from '../../plain-values.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import type { Queryable } from './queryable.ts';
import { insertRow, selectRows, updateRows } from './statements.ts';
import type { Transaction } from './transaction.ts';

/** The object of an entry; an empty one if there is no entry, or its value is no object. */
export async function readSetting(db: Queryable, key: string): Promise<JsonObject> {
  const [row] = await selectRows(db, CORE_STORE_TABLE, ['value'], { key }, ['id']);
  try {
    return objectOrEmpty(JSON.parse(String(row?.[0])));
  } catch {
    return {};
  }
}

/** Stores the object of an entry. The caller holds a lock, so that no other transaction adds the same entry. */
export async function storeSetting(tx: Transaction, key: string, object: JsonObject): Promise<void> {
  const value = JSON.stringify(object);
  const [row] = await selectRows(tx, CORE_STORE_TABLE, ['id'], { key }, ['id']);
  if (row) await updateRows(tx, CORE_STORE_TABLE, { value }, { id: Number(row[0]) });
  else await insertRow(tx, CORE_STORE_TABLE, { key, value, type: 'object', environment: null, tag: null });
}
