/** `strapi.store`: settings of code, kept in the table in which the reference keeps them. */
import { deleteRows, insertRow, selectRows, updateRows } from '../../../db/interface/statements.ts';
import { CORE_STORE_TABLE } from '../../../sql/settings.ts';
import type { CodeRooms } from '../rooms.ts';
import { accountDefaults } from './account-defaults.ts';

interface Place {
  readonly key?: string;
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly tag?: string;
}

/** The functions of a store, with what they name by themselves. */
export function storeOf({ database }: Pick<CodeRooms, 'database'>, defaults: Place = {}) {
  const keyOf = (place: Place): string => {
    const { key, type = 'core', name } = { ...defaults, ...place };
    if (key === undefined) throw new Error('strapi.store: a key is needed');
    return name ? `${type}_${name}_${key}` : `${type}_${key}`;
  };
  return {
    async get(place: Place = {}): Promise<unknown> {
      const key = keyOf(place);
      const [row] = await selectRows(database, CORE_STORE_TABLE, ['value', 'type'], { key });
      if (!row) return accountDefaults(key) ?? null;
      const [value, type] = row.map((one) => (one === null ? null : String(one)));
      if (value === null || value === undefined) return null;
      return type === 'string' ? value : (JSON.parse(value) as unknown);
    },
    async set({ value, ...place }: Place & { readonly value: unknown }): Promise<void> {
      const key = keyOf(place);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      await database.transaction(async (tx) => {
        const [row] = await selectRows(tx, CORE_STORE_TABLE, ['id'], { key });
        const columns = { value: text ?? null, type: value === null ? 'object' : typeof value };
        if (row) await updateRows(tx, CORE_STORE_TABLE, columns, { id: Number(row[0]) });
        else await insertRow(tx, CORE_STORE_TABLE, { key, ...columns, environment: null, tag: null });
      });
    },
    async delete(place: Place = {}): Promise<void> {
      const key = keyOf(place);
      await database.transaction((tx) => deleteRows(tx, CORE_STORE_TABLE, { key }));
    },
  };
}
