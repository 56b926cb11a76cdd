/** `galley doctor`: finds problems in the database and the stored files of a project, and repairs them. */
import { type App, openProject } from '../app.ts';
import type { Finding } from '../content/doctor/check.ts';
import { Permittable, seenTypes } from '../content/roles/role-permissions.ts';
import { listStoredRoles } from '../content/roles/role-rows.ts';
import { counted } from '../counted.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { TableProblem } from '../db/migration/schema-engine.ts';
import { fileSubject, repairRows, repairTables, rowProblems, tableProblems } from '../doctor.ts';
import { reasonOf, UsageError } from '../errors.ts';
import { examineFiles, type FileFindings, type Orphan, removeOrphans } from '../media/doctor.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { commandText } from '../own-files.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { table } from './lists.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'report problems in the database, and repair them',
  help: `galley doctor [DIR] [--fix]

Examines the database of the project in DIR (default: the working folder), whether Galley or Strapi created it, and prints:
tables that differ from the schema, with the SQL that corrects them; inconsistent rows, such as links to deleted rows,
missing list positions, published rows without a draft, and unknown locales; stored files without a record, and records
without a file. It also names types whose entries a role of administrators cannot see, which is no problem. The exit code
is 0 if there is no problem or if all were repaired, otherwise 1.

  --fix   repairs what the command lists as repairable, in one transaction. Documents are never deleted. Stored uploads
          that have had no record for an hour are removed, so no other database may use the same folder or bucket`,
  run,
};

async function run(args: readonly string[], { env, print }: Surroundings): Promise<number> {
  const { switched, positionals } = readArguments('doctor', args, { fix: { type: 'boolean' } }, ['DIR']);
  const app = await openProject(positionals[0] ?? WORKING_FOLDER, { env, newSecrets: secretsIfNew });
  try {
    const tables = await examineTables(app, switched('fix'), print);
    const remaining = await app.database.transaction((tx) => examineAndHeal(app, tx, switched('fix'), print));
    const stored = await examineStored(app, switched('fix'), print);
    if (remaining.length === 0) {
      if (stored === 'fine' && tables === 'fine') print('no problems found');
    } else if (switched('fix')) {
      print('not repaired, because only you can decide:');
      printFindings(remaining, print);
    } else {
      const repairable = remaining.filter(({ check }) => check.repair).length;
      const kinds = remaining.length === 1 ? 'this 1 kind' : `these ${remaining.length} kinds`;
      print(`${commandText('doctor --fix', app.config.dir)} repairs ${repairable} of ${kinds}`);
    }
    for (const line of [...app.granted, ...(await blindRoles(app))]) print(line);
    return remaining.length === 0 && stored === 'fine' && tables === 'fine' ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** Prints problems of rows and, with `fix`, repairs them. Returns the problems that remain. */
async function examineAndHeal(
  app: App,
  tx: Transaction,
  fix: boolean,
  print: (line: string) => void,
): Promise<Finding[]> {
  const findings = await rowProblems(app, tx);
  if (findings.length === 0) return [];
  printFindings(findings, print);
  if (!fix) return findings;
  let isFirst = true;
  return repairRows(app, tx, (repaired) => {
    print(isFirst ? 'repairing:' : 'repairing problems that this revealed:');
    isFirst = false;
    for (const { check, count } of repaired) {
      const times = count === 1 ? 'once' : `${count} times`;
      print(`  ${check.table}, ${check.problem}: ${check.repair!.does}, ${times}`);
    }
  });
}

/** Lines about roles of administrators that cannot see the entries of some types, with the command that changes it. */
async function blindRoles({ catalog, database, config }: App): Promise<string[]> {
  const permittable = await Permittable.read(catalog, database);
  const offered = permittable.types.filter((uid) => catalog.contentTypes.get(uid)!.routed);
  const lines: string[] = [];
  for (const role of await listStoredRoles(database)) {
    const seen = await seenTypes(database, permittable, role);
    const unseen = offered.filter((uid) => !seen.includes(uid));
    if (unseen.length === 0) continue;
    const types = unseen.map((uid) => ` --type ${uid}`).join('');
    lines.push(
      `information: administrators with the role ${role.name} cannot see entries of ${unseen.join(', ')}. To change that, run:`,
      `  ${commandText(`admin role grant ${role.code}${types}`, config.dir)}`,
    );
  }
  return lines;
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

/**
 * Prints how tables differ from the schema, with the SQL that corrects them. With `fix` it runs the SQL that changes no row.
 *
 * @returns whether a difference remains.
 * @throws UsageError if the database refuses the change.
 */
async function examineTables(app: App, fix: boolean, print: (line: string) => void): Promise<'fine' | 'wrong'> {
  const { database, engine } = app;
  const problems = await tableProblems(app, database);
  const notes = (await engine.sequences?.notes(database)) ?? [];
  for (const note of notes) print(`note: ${note}${fix ? '' : ' (--fix forgets this note)'}`);
  if (fix && notes.length > 0) await database.transaction(async (tx) => engine.sequences?.clearNotes(tx));
  if (problems.length === 0) return 'fine';
  print(`${counted(problems.length, 'difference')} between the tables and the schema:`);
  for (const problem of problems) printTableProblem(problem, print);
  const repaired = problems.filter(({ isRepaired }) => isRepaired);
  if (!fix || repaired.length === 0) return 'wrong';
  try {
    await repairTables(app, repaired);
  } catch (error) {
    throw new UsageError(`the tables could not be repaired: ${reasonOf(error)}`, 1);
  }
  print(`repaired ${counted(repaired.length, 'difference')}`);
  return (await tableProblems(app, database)).length === 0 ? 'fine' : 'wrong';
}

function printTableProblem(
  { table, column, problem, remedy, isRepaired }: TableProblem,
  print: (line: string) => void,
) {
  print(
    `  ${column === undefined ? table : `${table}.${column}`} ${problem}${isRepaired ? ' (--fix repairs it)' : ''}`,
  );
  for (const statement of remedy) print(`    ${statement}`);
}

/** The most files that are listed for one problem. */
const LISTED = 50;

const ORPHANS: Readonly<Record<Orphan['kind'], { readonly problem: string; readonly remedy: string }>> = {
  left: { problem: 'stored file without a record', remedy: '--fix: remove it' },
  recent: {
    problem: 'stored file without a record yet',
    remedy: 'run the command again in an hour: this may be an upload in progress',
  },
  elsewhere: {
    problem: 'stored file whose record points elsewhere',
    remedy: 'check the configuration of the store; after a move, use media move --remove-source',
  },
  unclaimed: {
    problem: 'stored file in a library without records',
    remedy: 'check that this is the right database; after a move, use media move --remove-source',
  },
  foreign: { problem: 'stored file that is no upload', remedy: 'not removed: only you can decide' },
};
const MISSING = {
  problem: 'record whose bytes are missing',
  remedy: 'restore the file, replace it, or delete the record',
};

/** Prints the problems of stored files and, with `fix`, repairs them. Returns whether any remain. */
async function examineStored(app: App, fix: boolean, print: (line: string) => void): Promise<'fine' | 'wrong'> {
  const subject = fileSubject(app);
  const findings = await reaching(examineFiles(subject));
  const { orphans, missing } = findings;
  // a file that is no upload is no problem
  const problems = orphans.filter(({ kind }) => kind !== 'foreign').length + missing.length;
  printFiles(findings, print);
  if (!fix || problems === 0) return problems === 0 ? 'fine' : 'wrong';
  const removed = await reaching(removeOrphans(subject, orphans));
  if (removed.length > 0) {
    const bytes = removed.reduce((sum, { object }) => sum + object.size, 0);
    print(`removed ${removed.length} stored ${removed.length === 1 ? 'file' : 'files'}, ${sizeText(bytes)}`);
  }
  return removed.length === problems ? 'fine' : 'wrong';
}

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new UsageError(`the stored files cannot be listed: ${(error as Error).message}`, 1);
  }
}

function printFiles({ orphans, missing }: FileFindings, print: (line: string) => void): void {
  for (const [kind, texts] of Object.entries(ORPHANS)) {
    const rows = orphans
      .filter((orphan) => orphan.kind === kind)
      .map(({ storage, object }) => ({ place: storage.name, file: object.key, size: object.size }));
    printFileProblem(texts, rows, print);
  }
  const rows = missing.map(({ recordId, name, provider, url, size }) => {
    return { place: provider, file: `${url} (id ${recordId}, ${name})`, size };
  });
  printFileProblem(MISSING, rows, print);
}

function printFileProblem(
  { problem, remedy }: { readonly problem: string; readonly remedy: string },
  files: readonly { readonly place: string; readonly file: string; readonly size: number }[],
  print: (line: string) => void,
): void {
  if (files.length === 0) return;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  print(`${problem}: ${files.length}, ${sizeText(bytes)} (${remedy})`);
  const rows = files.slice(0, LISTED).map(({ place, file, size }) => [`  ${place}`, file, sizeText(size)]);
  for (const line of table(['  store', 'file', 'size'], rows)) print(line);
  if (files.length > LISTED) print(`  and ${files.length - LISTED} more`);
}

/** Bytes for a person: `14.2 KB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const exponent = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** exponent).toFixed(1)} ${['B', 'KB', 'MB', 'GB', 'TB'][exponent]}`;
}
