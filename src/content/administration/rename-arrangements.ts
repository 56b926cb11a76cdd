/** Renames types and attributes in stored arrangements of forms and lists. */
import { readEntry } from '../../db/interface/core-store.ts';
import { updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { isObject } from '../../plain-values.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { FormerNames } from '../../schema/editing/places.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { arrangementKey } from './arrangement.ts';

/** Keys of settings with the name of an attribute. */
const NAMING = ['mainField', 'defaultSortBy'];

/** @param before the catalog with the former names. */
export async function renameInArrangements(tx: Transaction, before: Catalog, names: FormerNames): Promise<void> {
  for (const uid of new Set([...names.types.keys(), ...names.attributes.keys()])) {
    const former = names.types.get(uid) ?? uid;
    const model = before.contentTypes.get(former) ?? before.components.get(former);
    if (!model) continue;
    const key = arrangementKey(model);
    const newNames = new Map(Array.from(names.attributes.get(uid) ?? [], ([now, old]) => [old, now]));
    const stored = await readEntry(tx, key);
    if (stored === undefined) continue;
    const value = JSON.stringify(renamedArrangement(parsed(stored), uid, newNames));
    await updateRows(tx, CORE_STORE_TABLE, { key: arrangementKey({ ...model, uid }), value }, { key });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function renamedArrangement(stored: unknown, uid: string, names: ReadonlyMap<string, string>): unknown {
  if (!isObject(stored)) return stored;
  const renamed = (name: unknown): unknown => names.get(String(name)) ?? name;
  const part = (key: string) => (isObject(stored[key]) ? stored[key] : {});
  const settings = Object.entries(part('settings')).map(([key, value]) => [
    key,
    NAMING.includes(key) ? renamed(value) : value,
  ]);
  const metadatas = Object.entries(part('metadatas')).map(([name, value]) => [renamed(name), value]);
  const { edit, list, ...layouts } = part('layouts');
  return {
    ...stored,
    uid,
    settings: Object.fromEntries(settings),
    metadatas: Object.fromEntries(metadatas),
    layouts: {
      ...layouts,
      list: Array.isArray(list) ? list.map(renamed) : list,
      edit: Array.isArray(edit)
        ? edit.map((row) => {
            if (!Array.isArray(row)) return row;
            return row.map((cell) => (isObject(cell) ? { ...cell, name: renamed(cell['name']) } : cell));
          })
        : edit,
    },
  };
}
