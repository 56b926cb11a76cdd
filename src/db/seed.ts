/** First rows of a database: what the reference and the content API expect to find (behaviour-storage.md). */

import { id, join, render, type SqlValue, slot, sql } from '../sql/fragment.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import { ACCOUNT_ACTION_PREFIX, CORE_STORE, MIGRATIONS_TABLE, REFERENCE_MIGRATIONS, ROLES } from './bookkeeping.ts';
import type { ExistingTable, SchemaEngine } from './introspect.ts';
import type { Executor } from './queryable.ts';

export interface SeedOptions {
  readonly engine: SchemaEngine;
  /** Makes document ids. */
  readonly createId: () => string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Tables whose first rows are not there yet. */
export interface MissingRows {
  readonly migrations: boolean;
  readonly locales: boolean;
  readonly roles: boolean;
}

/** Looks which first rows a database lacks. Reads only. */
export async function missingRows(
  executor: Executor,
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<MissingRows> {
  const empty = async (table: string): Promise<boolean> => {
    if (!existing.has(table)) return true;
    return (await executor.rows(render(sql`select 1 from ${id(table)} limit 1`, String).text, [])).length === 0;
  };
  return {
    // Never added to a table that exists: which migrations ran there is the reference's to know.
    migrations: !existing.has(MIGRATIONS_TABLE),
    locales: await empty('i18n_locale'),
    roles: await empty('up_roles'),
  };
}

/** Writes the rows that are missing; the tables exist by now. */
export async function seed(tx: Executor, missing: MissingRows, options: SeedOptions): Promise<void> {
  const time = options.engine.ddl.datetime(options.now);
  const insert = inserter(tx, options.engine);
  const document = () => ({
    document_id: options.createId(),
    created_at: time,
    updated_at: time,
    published_at: time,
  });
  if (missing.migrations) {
    for (const name of REFERENCE_MIGRATIONS) await insert(MIGRATIONS_TABLE, { name, time });
  }
  if (missing.locales) await insert('i18n_locale', { ...document(), name: 'English (en)', code: 'en' });
  if (missing.roles) {
    for (const { name, description, type, actions } of ROLES) {
      const role = await insert('up_roles', { ...document(), name, description, type });
      let order = 0;
      for (const action of actions) {
        const permission = await insert('up_permissions', { ...document(), action: ACCOUNT_ACTION_PREFIX + action });
        order += 1;
        await insert('up_permissions_role_lnk', { permission_id: permission, role_id: role, permission_ord: order });
      }
    }
  }
  if (missing.migrations || missing.locales || missing.roles) await seedCoreStore(tx, insert);
}

async function seedCoreStore(tx: Executor, insert: Insert): Promise<void> {
  const rows = await tx.rows(render(sql`select ${id('key')} from ${id(CORE_STORE_TABLE)}`, String).text, []);
  const present = new Set(rows.map(([key]) => key));
  for (const { key, type, value } of CORE_STORE) {
    if (!present.has(key)) await insert(CORE_STORE_TABLE, { key, type, value: JSON.stringify(value) });
  }
}

type Insert = (table: string, row: Readonly<Record<string, SqlValue>>) => Promise<SqlValue>;

/** Inserts one row and gives its id. */
function inserter(tx: Executor, engine: SchemaEngine): Insert {
  return async (table, row) => {
    const columns = join(Object.keys(row).map(id), ', ');
    const values = join(
      Object.keys(row).map((_, i) => slot(i)),
      ', ',
    );
    const statement = sql`insert into ${id(table)} (${columns}) values (${values}) returning ${id('id')}`;
    const rows = await tx.rows(render(statement, engine.ddl.placeholder).text, Object.values(row));
    return rows[0]![0] as SqlValue;
  };
}
