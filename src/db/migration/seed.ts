/** First rows of a database: those that the reference and the content API expect. */
import { id, list, render, type SqlValue, slot, sql } from '../../sql/fragment.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import type { Executor, Row } from '../interface/queryable.ts';
import { insertRow, type RowValues, selectRows } from '../interface/statements.ts';
import type { Transaction } from '../interface/transaction.ts';
import {
  ACCOUNT_ACTION_PREFIX,
  CORE_STORE,
  DEFAULT_LOCALE,
  MIGRATIONS_TABLE,
  REFERENCE_MIGRATIONS,
  ROLES,
} from './bookkeeping.ts';
import type { ExistingTable, SchemaEngine } from './schema-engine.ts';

export interface SeedOptions {
  readonly engine: SchemaEngine;
  readonly createId: () => string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The default locale of a database without locales; English if left out. */
  readonly locale?: { readonly code: string; readonly name: string };
  /** Returns the roles of administrators; undefined: none are created. */
  readonly roles?: (() => readonly NewRole[]) | undefined;
}

/** A role of administrators, with its permissions as the reference stores them. */
export interface NewRole {
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly permissions: readonly {
    readonly action: string;
    readonly subject: string | null;
    readonly fields: readonly string[] | undefined;
    /** Whether the properties list the locales of the database. */
    readonly localized: boolean;
    readonly conditions: readonly string[];
  }[];
}

/** The default locale without another configuration, as in the reference. */
const ENGLISH = { code: 'en', name: 'English (en)' };
const BATCH = 100;

/** Groups of tables that lack their first rows. */
export interface MissingRows {
  readonly migrations: boolean;
  readonly locales: boolean;
  readonly roles: boolean;
  readonly administration: boolean;
}

/** Finds out which first rows a database lacks. Only reads. */
export async function missingRows(
  executor: Executor,
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<MissingRows> {
  const empty = async (table: string): Promise<boolean> => {
    if (!existing.has(table)) return true;
    return (await executor.rows(render(sql`select 1 from ${id(table)} limit 1`, String).text, [])).length === 0;
  };
  return {
    // never added to an existing table: only the reference knows which migrations it has run
    migrations: !existing.has(MIGRATIONS_TABLE),
    locales: await empty('i18n_locale'),
    roles: await empty('up_roles'),
    administration: await empty('admin_roles'),
  };
}

/** Writes the missing rows into existing tables. */
export async function seed(tx: Transaction, missing: MissingRows, options: SeedOptions): Promise<void> {
  const time = options.engine.ddl.datetime(options.now);
  const insert = (table: string, row: RowValues) => insertRow(tx, table, row);
  const document = () => ({
    document_id: options.createId(),
    created_at: time,
    updated_at: time,
    published_at: time,
  });
  const locale = (missing.locales ? options.locale : undefined) ?? ENGLISH;
  if (missing.migrations) {
    for (const name of REFERENCE_MIGRATIONS) await insert(MIGRATIONS_TABLE, { name, time });
  }
  if (missing.locales) await insert('i18n_locale', { ...document(), ...locale });
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
  if (missing.administration) {
    const locales = await selectRows(tx, 'i18n_locale', ['code'], {});
    const codes = locales.map(([code]) => String(code)).sort();
    for (const { permissions, ...role } of options.roles?.() ?? []) {
      const roleId = await insert('admin_roles', { ...document(), ...role });
      const rows = permissions.map(({ action, subject, fields, localized, conditions }) => ({
        ...document(),
        action,
        action_parameters: '{}',
        subject,
        properties: JSON.stringify({ ...(fields ? { fields } : {}), ...(localized ? { locales: codes } : {}) }),
        conditions: JSON.stringify(conditions),
      }));
      const ids = await insertAll(tx, options.engine, 'admin_permissions', rows);
      const links = rows.map(({ document_id }, index) => {
        return { permission_id: ids.get(document_id)!, role_id: roleId, permission_ord: index + 1 };
      });
      await insertAll(tx, options.engine, 'admin_permissions_role_lnk', links);
    }
  }
  if (missing.migrations || missing.locales || missing.roles) await seedCoreStore(tx, locale.code);
}

async function seedCoreStore(tx: Transaction, locale: string): Promise<void> {
  const rows = await selectRows(tx, CORE_STORE_TABLE, ['key'], {});
  const present = new Set(rows.map(([key]) => key));
  for (const { key, type, value } of [{ key: DEFAULT_LOCALE, type: 'string', value: locale }, ...CORE_STORE]) {
    if (!present.has(key)) await insertRow(tx, CORE_STORE_TABLE, { key, type, value: JSON.stringify(value) });
  }
}

/** Inserts rows with the same columns, and returns their ids by document id, if they have any. */
async function insertAll(
  tx: Executor,
  engine: SchemaEngine,
  table: string,
  rows: readonly RowValues[],
): Promise<ReadonlyMap<string, SqlValue>> {
  const ids = new Map<string, SqlValue>();
  for (let from = 0; from < rows.length; from += BATCH) {
    const part = rows.slice(from, from + BATCH);
    const hasDocuments = 'document_id' in part[0]!;
    // the engine may return rows in another order
    const inserted = await insertRows(tx, engine, table, part, hasDocuments ? ['id', 'document_id'] : ['id']);
    if (hasDocuments) for (const [id, document] of inserted) ids.set(String(document), id as SqlValue);
  }
  return ids;
}

function insertRows(
  tx: Executor,
  engine: SchemaEngine,
  table: string,
  rows: readonly RowValues[],
  returned: readonly string[],
): Row[] | Promise<Row[]> {
  const columns = Object.keys(rows[0]!);
  const values = rows.map((_, n) => {
    const slots = columns.map((_column, i) => slot(n * columns.length + i));
    return sql`(${list(slots)})`;
  });
  const statement = sql`insert into ${id(table)} (${list(columns.map(id))}) values ${list(values)}
    returning ${list(returned.map(id))}`;
  const { text } = render(statement, engine.ddl.placeholder);
  return tx.rows(
    text,
    rows.flatMap((row) => columns.map((column) => row[column]!)),
  );
}
