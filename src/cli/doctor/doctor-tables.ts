/** The part of `galley doctor` that compares the tables of the database with the schema. */
import type { App } from '../../app.ts';
import { counted } from '../../counted.ts';
import type { Executor } from '../../db/interface/queryable.ts';
import { wantedTables } from '../../db/migration/migrate.ts';
import type { TableProblem } from '../../db/migration/schema-engine.ts';
import { reasonOf, UsageError } from '../../errors.ts';

/**
 * Prints how tables differ from the schema, with the SQL that mends it, and runs of it what changes no row if that is
 * wanted. Returns whether any difference is left.
 *
 * @throws UsageError where the database does not let the tables be changed.
 */
export async function examineTables(app: App, fix: boolean, print: (line: string) => void): Promise<'fine' | 'wrong'> {
  const { database, engine, layout } = app;
  const wanted = wantedTables(layout);
  const problemsOf = async (executor: Executor) =>
    engine.tableProblems(executor, wanted, await engine.introspect(executor));
  const problems = await problemsOf(database);
  const notes = (await engine.sequences?.notes(database)) ?? [];
  for (const note of notes) print(`note: ${note}${fix ? '' : ' (--fix forgets this note)'}`);
  if (fix && notes.length > 0) await database.transaction(async (tx) => engine.sequences?.clearNotes(tx));
  if (problems.length === 0) return 'fine';
  print(`${counted(problems.length, 'difference')} between the tables and the schema:`);
  for (const problem of problems) printProblem(problem, print);
  const repaired = problems.filter(({ isRepaired }) => isRepaired);
  if (!fix || repaired.length === 0) return 'wrong';
  try {
    await database.transaction(async (tx) => {
      for (const { remedy } of repaired) for (const statement of remedy) await tx.rows(statement, []);
      await engine.sequences?.advance(tx);
    });
  } catch (error) {
    throw new UsageError(`the tables could not be repaired: ${reasonOf(error)}`, 1);
  }
  print(`repaired ${counted(repaired.length, 'difference')}`);
  return (await problemsOf(database)).length === 0 ? 'fine' : 'wrong';
}

function printProblem({ table, column, problem, remedy, isRepaired }: TableProblem, print: (line: string) => void) {
  print(
    `  ${column === undefined ? table : `${table}.${column}`} ${problem}${isRepaired ? ' (--fix repairs it)' : ''}`,
  );
  for (const statement of remedy) print(`    ${statement}`);
}
