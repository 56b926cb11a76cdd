/** How the tables of a database differ from the layout in ways that writes and reads fail at, for `galley doctor`. */
import type { ColumnDefinition, TableDefinition } from '../../schema/layout/table.ts';
import { render, type Sql } from '../../sql/fragment.ts';
import type { ExistingColumn, ExistingTable, TableProblem } from './schema-engine.ts';

/** A column of the layout with the one that is there. */
export interface ColumnPair {
  readonly table: string;
  readonly wanted: ColumnDefinition;
  readonly found: ExistingColumn;
}

/** The columns of the layout that are there. */
export function pairsOf(
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
): readonly ColumnPair[] {
  return wanted.flatMap((table) => {
    const columns = new Map(existing.get(table.name)?.columns.map((column) => [column.name, column]));
    return table.columns.flatMap((column) => {
      const found = columns.get(column.name);
      return found ? [{ table: table.name, wanted: column, found }] : [];
    });
  });
}

/**
 * Columns that the schema does not have and that need a value: no row can be added to their tables.
 *
 * @param remedy the statements that let a column be null.
 */
export function unknownRequired(
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
  remedy: (table: string, column: string) => readonly string[],
): TableProblem[] {
  return wanted.flatMap((table) => {
    const own = new Set(table.columns.map((column) => column.name));
    const others = existing.get(table.name)?.columns.filter(({ name }) => !own.has(name)) ?? [];
    return others
      .filter(({ nullable, defaultTo }) => !nullable && defaultTo === null)
      .map(({ name }) => ({
        table: table.name,
        column: name,
        problem: 'takes no null and has no default, and the schema does not have it: no row can be added',
        remedy: remedy(table.name, name),
        isRepaired: false,
      }));
  });
}

/** A statement as a person may run it. */
export const statementOf = (statement: Sql): string => `${render(statement, String).text};`;
