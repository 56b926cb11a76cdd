/** Inserts rows of other databases and of archives into the tables of one. */
import type { CanonicalColumn, CanonicalRows } from '../db/interface/canonical-rows.ts';
import type { Executor } from '../db/interface/queryable.ts';
import type { TableDefinition } from '../schema/layout/table.ts';
import type { RowBatch } from './rows.ts';

export interface Insertion {
  /** Inserts rows with their ids, in any order of tables. Their values fit (`CanonicalRows.misfit`). */
  insert(batch: RowBatch): Promise<void>;
  /**
   * Ends the insertion, before the commit: enforces foreign keys, and numbers new rows after the inserted ones.
   *
   * @param lastIds by table, further ids that were given to rows which no longer exist.
   * @throws the engine's error if a row refers to a missing row; on some engines the commit throws it.
   */
  end(lastIds?: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * Begins to insert rows in a transaction. Until the end of the insertion no foreign keys are enforced.
 *
 * @param form how the engine takes rows (`canonicalRows` in open-database.ts).
 * @param tables the tables into which rows are inserted.
 */
export async function beginInsertion(
  tx: Executor,
  form: CanonicalRows,
  tables: readonly TableDefinition[],
): Promise<Insertion> {
  const types = new Map(
    tables.map(({ name, columns }) => [name, new Map(columns.map((column) => [column.name, column.type]))]),
  );
  const columnsOf = ({ table, columns }: RowBatch): CanonicalColumn[] =>
    columns.map((name) => {
      const type = types.get(table)?.get(name);
      if (type === undefined) throw new Error(`the insertion has no column ${name} of ${table}`);
      return { name, type };
    });
  const enforce = await form.suspend(tx, tables);
  return {
    insert: async (batch) => {
      if (batch.rows.length > 0) await form.insert(tx, batch.table, columnsOf(batch), batch.rows);
    },
    end: (lastIds = new Map()) => enforce(lastIds),
  };
}
