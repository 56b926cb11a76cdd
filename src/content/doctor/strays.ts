/** A quick look for what `galley doctor` would remove, for those who start a server. */
import type { Database } from '../../db/interface/database.ts';
import { query } from '../../db/interface/statements.ts';
import { commandText } from '../../own-files.ts';
import { compileAnyFound } from '../../sql/doctor/findings.ts';
import { type Subject, strayChecks } from './orphans.ts';

/** Rows looked at in each table, the newest: the look takes no longer on a large database. */
const LOOKED_AT = 500;

/**
 * What is told of rows that lead nowhere, as other programs leave them; undefined where none is met. It looks at some
 * rows of each table alone.
 *
 * @param dir the project's folder, for the commands that are named.
 */
export async function strayNotice(
  { catalog, layout }: Pick<Subject, 'catalog' | 'layout'>,
  database: Database,
  dir: string,
): Promise<string | undefined> {
  for (const { table, find } of strayChecks({ catalog, layout, componentTables: [], newest: LOOKED_AT })) {
    const [met] = await query(database, compileAnyFound(find));
    if (met) {
      return (
        `the database contains links to content that no longer exists, for example in the table ${table}. Strapi leaves such ` +
        `rows behind; they are ignored and do no harm. "${commandText('doctor', dir)}" lists them, and ` +
        `"${commandText('doctor --fix', dir)}" removes them`
      );
    }
  }
  return undefined;
}
