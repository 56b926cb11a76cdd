/** The tables of a database that rows are taken from, and the tables in which they arrive. */

import type { Snapshot } from '../../db/interface/snapshot.ts';
import type { ExistingTable } from '../../db/migration/schema-engine.ts';
import type { ColumnDefinition, ColumnType, ForeignKeyDefinition, TableDefinition } from '../../schema/layout/table.ts';
import { SERVERS_TABLE } from '../../sql/settings.ts';
import { TOTALS_TABLE } from '../../sql/totals.ts';

/** A table whose rows are taken. */
export interface SourceTable {
  /** The table in which they arrive. */
  readonly definition: TableDefinition;
  /** Its columns that the source has, with the type of each in the source's own words. None: its rows are not taken. */
  readonly columns: readonly (ColumnDefinition & { readonly existing: string })[];
}

/** A table, or a column of one, whose values are not taken. */
export interface LeftOut {
  readonly table: string;
  readonly column?: string;
  /** Why, and what happens to the values. */
  readonly reason: string;
}

/** What becomes of a table or a column that the target's schema does not have. */
type Unknown = 'brought' | 'reported';

interface TableChoice {
  readonly snapshot: Snapshot;
  readonly existing: ReadonlyMap<string, ExistingTable>;
  /** The tables that the target has. */
  readonly wanted: readonly TableDefinition[];
  /** What becomes of a table that the target does not have. */
  readonly unknownTable: (name: string) => Unknown | 'ignored';
  readonly unknownColumns: Unknown;
}

/** Tables of which a search index may consist, which the server builds again, and the one of the processes of a source. */
const NOT_TAKEN = new RegExp(`^(?:galley_search|${SERVERS_TABLE}$)`);

/**
 * Chooses the tables and columns of a source whose rows are taken: those that the target has, in its order, and the
 * others that are to be brought, whose definitions follow from the types of their columns.
 */
export async function chooseTables(
  choice: TableChoice,
): Promise<{ readonly tables: SourceTable[]; readonly left: LeftOut[] }> {
  const { snapshot, existing, wanted, unknownTable, unknownColumns } = choice;
  const left: LeftOut[] = [];
  const known = new Set<string>();
  const chosen: SourceTable[] = [];
  for (const definition of wanted) {
    // some engines store names in lower case, and find them in any
    const found = existing.get(definition.name) ?? existing.get(definition.name.toLowerCase());
    if (!found) continue;
    known.add(found.name);
    if (NOT_TAKEN.test(definition.name)) continue;
    if (definition.name === TOTALS_TABLE) {
      // the triggers of the target count its rows
      chosen.push({ definition, columns: [] });
      continue;
    }
    const own = new Set(definition.columns.map(({ name }) => name));
    const others = found.columns.filter(({ name }) => !own.has(name));
    if (unknownColumns === 'reported') {
      for (const { name } of others)
        left.push({
          table: found.name,
          column: name,
          reason: 'the schema has no such attribute: its values are left out',
        });
    }
    const brought = unknownColumns === 'brought' ? others.map((column) => derivedColumn(snapshot, column)) : [];
    chosen.push(withTypes({ ...definition, columns: [...definition.columns, ...brought] }, found));
  }
  for (const table of existing.values()) {
    if (known.has(table.name) || NOT_TAKEN.test(table.name)) continue;
    const fate = unknownTable(table.name);
    if (fate === 'ignored') continue;
    if (fate === 'reported')
      left.push({ table: table.name, reason: 'the target has no such table: its rows are left out' });
    else if (!table.columns.some(({ name }) => name === 'id'))
      left.push({ table: table.name, reason: 'it has no column id: its rows are left out' });
    else chosen.push(withTypes(await derivedTable(snapshot, table), table));
  }
  return { tables: chosen, left };
}

function withTypes(definition: TableDefinition, found: ExistingTable): SourceTable {
  const types = new Map(found.columns.map(({ name, type }) => [name, type]));
  const columns = definition.columns.flatMap((column) => {
    const existing = types.get(column.name);
    return existing === undefined ? [] : [{ ...column, existing }];
  });
  return { definition, columns };
}

function derivedColumn(snapshot: Snapshot, { name, type }: ExistingTable['columns'][number]): ColumnDefinition {
  return { name, type: snapshot.typeOf(type) ?? 'text' };
}

const NUMBERED: Partial<Readonly<Record<ColumnType, ColumnType>>> = {
  integer: 'increments',
  biginteger: 'bigincrements',
};

/** A table of another program, with the parts that every engine has. */
async function derivedTable(snapshot: Snapshot, table: ExistingTable): Promise<TableDefinition> {
  const columns = table.columns.map((column) => {
    const derived = derivedColumn(snapshot, column);
    return column.name === 'id' ? { ...derived, type: NUMBERED[derived.type] ?? derived.type } : derived;
  });
  const indexes = table.indexes
    .filter(({ columns: parts, partial }) => !partial && !parts.includes(''))
    .map(({ name, columns: parts, unique }) => ({ name, columns: parts, unique }));
  return { name: table.name, columns, indexes, foreignKeys: await derivedKeys(snapshot, table.name) };
}

/** The most characters of a table's name in the name of a key: engines cut long names. */
const NAME = 50;

async function derivedKeys(snapshot: Snapshot, table: string): Promise<ForeignKeyDefinition[]> {
  const keys = new Map<string, ForeignKeyDefinition>();
  for (const { column, references, onDelete } of await snapshot.foreignKeys(table)) {
    if (onDelete !== 'CASCADE' && onDelete !== 'SET NULL') continue;
    // an engine may have the same key twice, and keys without names
    const name = `${table.slice(0, NAME)}_fk_${keys.size + 1}`;
    const key = `${column} ${references.table} ${references.column}`;
    if (!keys.has(key)) keys.set(key, { name, column, references, onDelete });
  }
  return [...keys.values()];
}
