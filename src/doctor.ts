/**
 * Examines a project and repairs what can be repaired without losing content: its tables, its rows and its stored files.
 * Serves `galley doctor` and the health page of the administration.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Finding, InBatch } from './content/doctor/check.ts';
import { diagnose, heal } from './content/doctor/doctor.ts';
import type { Subject as RowSubject } from './content/doctor/orphans.ts';
import type { Writer } from './content/documents/writer.ts';
import type { Database } from './db/interface/database.ts';
import type { Executor, Queryable } from './db/interface/queryable.ts';
import type { Transaction } from './db/interface/transaction.ts';
import { wantedTables } from './db/migration/migrate.ts';
import type { SchemaEngine, TableProblem } from './db/migration/schema-engine.ts';
import { unavailable } from './errors.ts';
import type { Diagnosis, DoctorProgress } from './http/monitoring/diagnosis.ts';
import { examineFiles, type Subject as FileSubject, type Orphan, removeOrphans } from './media/doctor.ts';
import type { OpenStorage } from './media/storage/open-storage.ts';
import { programText } from './own-files.ts';
import type { Catalog } from './schema/catalog.ts';
import type { Layout } from './schema/layout/layout.ts';

/** The parts of a project that are examined. */
export interface Examined {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  readonly engine: SchemaEngine;
  readonly writer: Writer;
  readonly stores: Pick<OpenStorage, 'stores'>;
}

/** Milliseconds of an examination, after which it is given up. */
const LONGEST = 120_000;
/** Examples of a problem. */
const EXAMPLES = 3;

/** How tables differ from the schema. */
export async function tableProblems(
  { engine, layout }: Pick<Examined, 'engine' | 'layout'>,
  executor: Executor,
): Promise<readonly TableProblem[]> {
  return engine.tableProblems(executor, wantedTables(layout), await engine.introspect(executor));
}

/** Runs the statements of problems that are repaired without changing a row. */
export async function repairTables({ database, engine }: Examined, problems: readonly TableProblem[]): Promise<void> {
  const repaired = problems.filter(({ isRepaired }) => isRepaired);
  if (repaired.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { remedy } of repaired) for (const statement of remedy) await tx.rows(statement, []);
    await engine.sequences?.advance(tx);
  });
}

/** Recognizes component tables by their columns, because the schema may have lost the attributes that made them. */
async function rowSubject({ catalog, layout, engine }: Examined, db: Executor): Promise<RowSubject> {
  const tables = [...(await engine.introspect(db)).values()];
  const ties = tables.filter(({ columns }) =>
    ['entity_id', 'cmp_id', 'component_type'].every((column) => columns.some(({ name }) => name === column)),
  );
  return { catalog, layout, componentTables: ties.map(({ name }) => name) };
}

/** Problems of rows. */
export async function rowProblems(project: Examined, db: Queryable): Promise<Finding[]> {
  return diagnose(db, await rowSubject(project, db));
}

/**
 * Repairs problems of rows. Returns the problems that remain.
 *
 * @param report receives the problems of each round before they are repaired.
 */
export async function repairRows(
  project: Examined,
  tx: Transaction,
  report: (findings: readonly Finding[]) => void,
): Promise<Finding[]> {
  const subject = await rowSubject(project, tx);
  const context = project.writer.context(tx);
  await heal(tx, (work) => work(tx, context), subject, { found: report });
  return diagnose(tx, subject);
}

export const fileSubject = ({ database, stores }: Examined): FileSubject => ({
  db: database,
  stores: stores.stores,
});

/**
 * Examines everything, on a connection of its own where there is one.
 *
 * @throws ContentError 503 if it takes too long, or the signal ends it.
 */
export async function examineProject(project: Examined, signal?: AbortSignal): Promise<Diagnosis[]> {
  const { database, engine } = project;
  const { dialect } = database;
  const ofDatabase = async (executor: Executor): Promise<Diagnosis[]> => {
    const db: Queryable = { dialect, rows: (text, values) => executor.rows(text, values) };
    const tables = (await tableProblems(project, db)).map(ofTable);
    const notes = ((await engine.sequences?.notes(db)) ?? []).map(ofSequence);
    return [...tables, ...notes, ...(await rowProblems(project, db)).map(ofRows)];
  };
  return inTime(async (isLate) => {
    // rejecting the work also ends its connection
    const found = database.separately
      ? await database.separately((executor) => Promise.race([ofDatabase(executor), isLate]))
      : await ofDatabase(database);
    return [...found, ...(await ofFiles(project))];
  }, signal);
}

/**
 * Repairs everything that is repairable, as `galley doctor --fix` does. Rows are repaired in batches with a transaction
 * each, so that other writes do not wait long. Returns what remains.
 *
 * @param follow is called between the steps and batches.
 * @param signal ends the repair between two of them.
 */
export async function repairProject(
  project: Examined,
  follow: (progress: DoctorProgress) => Promise<unknown> = async () => undefined,
  signal?: AbortSignal,
): Promise<Diagnosis[]> {
  const { database, engine, writer } = project;
  let [repaired, of] = [0, 0];
  const reach = async (step: DoctorProgress['step']) => {
    await follow({ step, repaired, of });
    signal?.throwIfAborted();
  };
  await reach('tables');
  await repairTables(project, await tableProblems(project, database));
  await database.transaction(async (tx) => engine.sequences?.clearNotes(tx));
  // requests are answered between the statements of an engine within the process
  const inTurns = (db: Queryable): Queryable => ({
    dialect: db.dialect,
    rows: async (text, values) => {
      await nextTurn();
      return db.rows(text, values);
    },
  });
  const inBatch: InBatch = (work) =>
    database.transaction(async (tx) => {
      await tx.lock(() => [{ key: 'galley doctor', shared: false }]);
      return work(inTurns(tx), writer.context(tx));
    });
  const db = inTurns(database);
  await heal(db, inBatch, await rowSubject(project, db), {
    found: (findings) => {
      of = repaired + findings.reduce((sum, { count }) => sum + count, 0);
      return reach('rows');
    },
    repaired: (rows) => {
      repaired += rows;
      return reach('rows');
    },
  });
  await reach('files');
  const subject = fileSubject(project);
  await removeOrphans(subject, (await examineFiles(subject)).orphans);
  await reach('examination');
  return examineProject(project, signal);
}

/** Runs work that is given up after a time, or when the signal ends it; `isLate` then rejects. */
async function inTime<T>(work: (isLate: Promise<never>) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  const timer = setTimeout(() => {
    late.reject(unavailable(`The examination takes too long here: run ${programText()} doctor`));
  }, LONGEST);
  try {
    return await Promise.race([work(late.promise), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

const ofTable = ({ table, column, problem, isRepaired }: TableProblem): Diagnosis => ({
  kind: 'table',
  problem,
  place: column === undefined ? table : `${table}.${column}`,
  count: 1,
  isRepairable: isRepaired,
  examples: [],
});

const ofSequence = (note: string): Diagnosis => ({
  kind: 'sequence',
  problem: note,
  place: '',
  count: 1,
  isRepairable: true,
  examples: [],
});

const ofRows = ({ check: { kind, problem, table, repair }, count, examples }: Finding): Diagnosis => ({
  kind,
  problem,
  place: table,
  count,
  isRepairable: repair !== undefined,
  examples,
});

/** Files that are no uploads are no problem. */
async function ofFiles(project: Examined): Promise<Diagnosis[]> {
  const { orphans, missing } = await examineFiles(fileSubject(project));
  const groups = Map.groupBy(
    orphans.filter(({ kind }) => kind !== 'foreign'),
    ({ kind, storage }) => `${kind} ${storage.name}`,
  );
  const found = [...groups.values()].map((all): Diagnosis => {
    const [{ kind, storage }] = all as [Orphan];
    return {
      kind: `file-${kind}` as Diagnosis['kind'],
      problem: '',
      place: storage.name,
      count: all.length,
      isRepairable: kind === 'left',
      examples: all.slice(0, EXAMPLES).map(({ object }) => object.key),
    };
  });
  if (missing.length === 0) return found;
  const examples = missing.slice(0, EXAMPLES).map(({ recordId, name }) => `id ${recordId}, ${name}`);
  return [
    ...found,
    { kind: 'file-missing', problem: '', place: '', count: missing.length, isRepairable: false, examples },
  ];
}
