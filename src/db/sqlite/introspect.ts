/** What an SQLite database contains (https://sqlite.org/pragma.html#pragfunc). */

import type { Executor } from '../interface/queryable.ts';
import {
  assemble,
  type ExistingForeignKey,
  type ExistingTable,
  type SchemaEngine,
} from '../migration/schema-engine.ts';
import { sqliteDdl } from './ddl.ts';
import { explain } from './explain.ts';
import { sqliteSearchEngine } from './search/indexes.ts';
import { tableProblems, unnumberedTable } from './table-problems.ts';
import { addIndex, dropIndex, isSmall, keepTotals } from './upkeep/later-work.ts';
import { hasTotals, TRIGGERS } from './upkeep/totals.ts';

const COLUMNS = `
  select m.name, c.name, c.type, c."notnull" = 0, c.dflt_value
  from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'
  order by m.name, c.cid`;

const INDEXES = `
  select m.name, i.name, iif(c.coll = 'BINARY', c.name, null), i."unique", i.partial, 0
  from sqlite_schema m join pragma_index_list(m.name) i join pragma_index_xinfo(i.name) c
  where m.type = 'table' and i.origin <> 'pk' and c.key
  order by m.name, i.name, c.seqno`;

const FOREIGN_KEYS = `select f."from", f."table", f."to", f.on_delete from pragma_foreign_key_list(?) f order by f.id`;

async function introspect(executor: Executor): Promise<ReadonlyMap<string, ExistingTable>> {
  const triggers = new Set((await executor.rows(TRIGGERS, [])).map(([trigger]) => trigger));
  return assemble(await executor.rows(COLUMNS, []), await executor.rows(INDEXES, []), (table) =>
    hasTotals(triggers, table),
  );
}

/** SQLite does not report the names of foreign keys: `name` is empty. */
async function foreignKeys(executor: Executor, table: string): Promise<readonly ExistingForeignKey[]> {
  const rows = (await executor.rows(FOREIGN_KEYS, [table])) as readonly (readonly (string | null)[])[];
  return rows.map(([column, target, to, onDelete]) => ({
    name: '',
    column: column!,
    references: { table: target!, column: to ?? 'id' },
    onDelete: onDelete!,
  }));
}

/** Needs no more than the driver's transaction, which is a writing one from its start (`begin immediate`). */
async function lock(): Promise<void> {}

/** An index is built whole or not at all. */
async function clearIndexes(): Promise<void> {}

export const sqliteSchema: SchemaEngine = {
  ddl: sqliteDdl,
  search: sqliteSearchEngine,
  introspect,
  tableProblems,
  unnumberedTable,
  foreignKeys,
  lock,
  clearIndexes,
  explain,
  isSmall,
  addIndex,
  keepTotals,
  dropIndex,
  // others wait while an index is built, and for 5 seconds at most
  unaskedRows: 1_500_000,
};
