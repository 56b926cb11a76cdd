/** Entries of the core store. Slots are in the order of the named values. */
import { id, type Sql, slot, sql } from './fragment.ts';

export const CORE_STORE_TABLE = 'strapi_core_store_settings';

/** Keys of entries about this database and its servers, unlike the settings of the site: they never leave it. */
export const OWN_STATE = /^galley_(?!site$)/;

/** Locks an entry by an empty update, because every engine locks the row that it writes. Value: the key. */
export function compileLockSetting(): Sql {
  return sql`update ${id(CORE_STORE_TABLE)} set "value" = "value" where "key" = ${slot(0)}`;
}

/** `key` and `value` of the entries whose keys begin with a text of this length. Value: the text. */
export function compileSettingsBelow(length: number): Sql {
  return sql`select "key", "value" from ${id(CORE_STORE_TABLE)} where substr("key", 1, ${length}) = ${slot(0)}`;
}

/** The table of the processes that serve the database. */
export const SERVERS_TABLE = 'galley_servers';
