/**
 * Differences between tables and the layout that make writes or reads fail, for `galley doctor`: the part that both
 * engines share.
 */
import type { ColumnDefinition, TableDefinition } from '../../schema/layout/table.ts';
import { render, type Sql } from '../../sql/fragment.ts';
import type { ExistingColumn, ExistingTable, TableProblem } from './schema-engine.ts';

/** A column of the layout with the existing one. */
export interface ColumnPair {
  readonly table: string;
  readonly wanted: ColumnDefinition;
  readonly found: ExistingColumn;
}

/** The columns of the layout that exist. */
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
 * Columns outside the schema that require a value, so that no row can be added to their tables.
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
        problem: 'is not in the schema, allows no null and has no default: no row can be added',
        remedy: remedy(table.name, name),
        isRepaired: false,
      }));
  });
}

/** A statement for the operator to run. */
export const statementOf = (statement: Sql): string => `${render(statement, String).text};`;
