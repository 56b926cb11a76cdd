/** Tables that a target of rows lacks. */
import type { Transaction } from '../db/interface/transaction.ts';
import { planMigration } from '../db/migration/migration-plan.ts';
import type { ExistingTable, SchemaEngine } from '../db/migration/schema-engine.ts';
import type { TableDefinition } from '../schema/layout/table.ts';
import { compileIndex, compileTables } from '../sql/ddl.ts';

/** Creates tables that do not exist, without their indexes. The returned function adds those, and counts the rows from then on. */
export async function createTables(
  tx: Transaction,
  definitions: readonly TableDefinition[],
  { ddl }: SchemaEngine,
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<() => Promise<void>> {
  const plan = planMigration(definitions, existing, ddl);
  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of ddl.batch(statements)) await tx.rows(statement, []);
  };
  await run(
    compileTables(
      plan.tables.map((table) => ({ ...table, indexes: [] })),
      ddl,
    ),
  );
  return async () => {
    await run(plan.tables.flatMap(({ name, indexes }) => indexes.map((index) => compileIndex(name, index, ddl))));
    for (const table of plan.totals) await run(ddl.keepTotals(table));
  };
}
