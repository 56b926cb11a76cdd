/** `galley doctor`: what is wrong in a project's database, and its repair. */

import { type App, openProject } from '../../app.ts';
import type { Finding } from '../../content/doctor/check.ts';
import { diagnose, heal } from '../../content/doctor/doctor.ts';
import type { Subject } from '../../content/doctor/orphans.ts';
import { Permittable, seenTypes } from '../../content/roles/role-permissions.ts';
import { listStoredRoles } from '../../content/roles/role-rows.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { secretsIfNew } from '../../new-secrets.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from '../command.ts';
import { table } from '../table.ts';
import { examineStored } from './doctor-files.ts';
import { examineTables } from './doctor-tables.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'report problems in the database, and repair them',
  help: `galley doctor [DIR] [--fix]

Looks over the database of the project in DIR (default: the working folder), Galley's or Strapi's. Prints tables that
differ from the schema, as those that other tools have created or filled may, with the SQL that mends them: columns of
other types, ids without a sequence or ahead of it, columns that need a value. Then prints what is wrong in their rows,
how often, and examples: links and components that lead to rows which are gone, places of lists that are missing
or taken twice, published rows without a draft, several rows of one version, unknown locales, shared attributes that
differ between locales. Then holds the stored files against their records, both ways. Exits 0 when nothing is wrong or
all of it was repaired, 1 otherwise. Types that a role of administrators sees nothing of are printed for information.

  --fix   then repairs, in one transaction, what it says it would; of the tables, sequences and defaults
          of ids. Documents are never deleted. Removes stored uploads that have had no record for an hour, so a folder or
          bucket must belong to this database alone`,
  run,
};

async function run(args: readonly string[], { env, print }: Surroundings): Promise<number> {
  const { switched, positionals } = readArguments('doctor', args, { fix: { type: 'boolean' } }, ['DIR']);
  const app = await openProject(positionals[0] ?? WORKING_FOLDER, { env, newSecrets: secretsIfNew });
  try {
    // findings and repairs are printed at once, the outcome when it is certain
    const tables = await examineTables(app, switched('fix'), print);
    const left = await app.database.transaction((tx) => examineAndHeal(app, tx, switched('fix'), print));
    const stored = await examineStored(app, switched('fix'), print);
    if (left.length === 0) {
      if (stored === 'fine' && tables === 'fine') print('no problems found');
    } else if (switched('fix')) {
      print('left for you:');
      printFindings(left, print);
    } else {
      const repairable = left.filter(({ check }) => check.repair).length;
      print(
        `galley doctor --fix repairs ${repairable} of ${left.length === 1 ? 'this 1 kind' : `these ${left.length} kinds`}`,
      );
    }
    for (const line of [...app.granted, ...(await blindRoles(app))]) print(line);
    return left.length === 0 && stored === 'fine' && tables === 'fine' ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** Prints what is wrong and, where it is to be repaired, how. Gives what is wrong at the end. */
async function examineAndHeal(
  app: App,
  tx: Transaction,
  fix: boolean,
  print: (line: string) => void,
): Promise<Finding[]> {
  const subject = await subjectOf(app, tx);
  const findings = await diagnose(tx, subject);
  if (findings.length === 0) return [];
  printFindings(findings, print);
  if (!fix) return findings;
  let isFirst = true;
  await heal(tx, app.writer.context(tx), subject, (found) => {
    print(isFirst ? 'repairing:' : 'and what this revealed:');
    isFirst = false;
    for (const { check, count } of found) {
      const times = count === 1 ? 'once' : `${count} times`;
      print(`  ${check.table}, ${check.problem}: ${check.repair!.does}, ${times}`);
    }
  });
  return diagnose(tx, subject);
}

/** Roles of administrators that see nothing of some types, which may well be meant, with the command that changes it. */
async function blindRoles({ catalog, database }: App): Promise<string[]> {
  const permittable = await Permittable.read(catalog, database);
  const offered = permittable.types.filter((uid) => catalog.contentTypes.get(uid)!.routed);
  const lines: string[] = [];
  for (const role of await listStoredRoles(database)) {
    const seen = await seenTypes(database, permittable, role);
    const unseen = offered.filter((uid) => !seen.includes(uid));
    if (unseen.length === 0) continue;
    const types = unseen.map((uid) => ` --type ${uid}`).join('');
    lines.push(
      `information: administrators with the role ${role.name} see nothing of ${unseen.join(', ')}. To change that:`,
      `  galley admin role grant ${role.code}${types}`,
    );
  }
  return lines;
}

/** Component tables are recognized by their columns: the schema may have lost the attributes that made some tables. */
async function subjectOf({ catalog, layout, engine }: App, db: Queryable): Promise<Subject> {
  const tables = [...(await engine.introspect(db)).values()];
  const ties = tables.filter(({ columns }) =>
    ['entity_id', 'cmp_id', 'component_type'].every((column) => columns.some(({ name }) => name === column)),
  );
  return { catalog, layout, componentTables: ties.map(({ name }) => name) };
}

function printFindings(findings: readonly Finding[], print: (line: string) => void): void {
  const rows = findings.map(({ check, count, examples }) => [
    check.problem,
    check.table,
    String(count),
    check.repair ? `--fix: ${check.repair.does}` : (check.advice ?? ''),
    examples.join('; '),
  ]);
  for (const line of table(['problem', 'table', 'count', 'remedy', 'examples'], rows)) print(line);
}
