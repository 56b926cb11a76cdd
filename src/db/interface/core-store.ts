/** Entries of the core store: texts with a type, most of them settings whose values are JSON objects. */
import { type JsonObject, objectOrEmpty } from '../../plain-values.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import type { Queryable } from './queryable.ts';
import { insertRow, selectRows, updateRows } from './statements.ts';
import type { Transaction } from './transaction.ts';

/** The text of an entry; undefined if there is none. */
export async function readEntry(db: Queryable, key: string): Promise<string | undefined> {
  const [row] = await selectRows(db, CORE_STORE_TABLE, ['value'], { key }, ['id']);
  return row && String(row[0]);
}

/**
 * Stores the text of an entry. The caller holds a lock, so that no other transaction adds the same entry.
 *
 * @param type of a new entry.
 */
export async function storeEntry(tx: Transaction, key: string, value: string, type: string): Promise<void> {
  const [row] = await selectRows(tx, CORE_STORE_TABLE, ['id'], { key }, ['id']);
  if (row) await updateRows(tx, CORE_STORE_TABLE, { value }, { id: Number(row[0]) });
  else await insertRow(tx, CORE_STORE_TABLE, { key, value, type, environment: null, tag: null });
}

/** The object of an entry; an empty one if there is no entry, or its value is no object. */
export async function readSetting(db: Queryable, key: string): Promise<JsonObject> {
  const value = await readEntry(db, key);
  try {
    return objectOrEmpty(value === undefined ? undefined : JSON.parse(value));
  } catch {
    return {};
  }
}

/** Stores the object of an entry. The caller holds a lock, so that no other transaction adds the same entry. */
export const storeSetting = (tx: Transaction, key: string, object: JsonObject): Promise<void> =>
  storeEntry(tx, key, JSON.stringify(object), 'object');
