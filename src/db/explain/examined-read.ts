/** Runs a read, and reports its plan, its time and missing indexes. */
import { ContentError } from '../../errors.ts';
import { adviseIndexes } from '../../plan/index-advice.ts';
import { searchedColumns } from '../indexes/building.ts';
import type { IndexPlace } from '../indexes/made-indexes.ts';
import type { Read, ReadOrigin } from '../interface/database.ts';
import type { AnswerSize, Finding } from '../interface/read-tuning.ts';
import type { EnginePlan, ExistingTable } from '../migration/schema-engine.ts';
import { findings, searchingOf } from './missing.ts';
import { layOutSql } from './sql-text.ts';

export interface ExaminingPlace extends IndexPlace {
  /** The longest time of a read in milliseconds; 0: unlimited. */
  readonly readTimeout: number;
}

export interface ExaminedRead {
  /** The statement, one clause per line, and its parameters. */
  readonly sql: readonly string[];
  readonly parameters: readonly string[];
  readonly engine: EnginePlan;
  /** Milliseconds of some runs; undefined if a limit stopped one. */
  readonly times: readonly number[] | undefined;
  /** Undefined if the plan of the read is not known. */
  readonly findings: readonly Finding[] | undefined;
  readonly existing: ReadonlyMap<string, ExistingTable>;
}

/** The time is the median of so many runs, fewer if they take longer than these milliseconds. */
const RUNS = 5;
const ENOUGH = 2000;
/** The most milliseconds for a run that shows the plan, if reads have no limit. */
const LIMIT = 30_000;
/** The most characters of a parameter that are shown. */
const SHOWN = 120;

/**
 * Examines a read.
 *
 * @param wasStopped whether a limit stopped the read, so that it is not run again.
 * @param size of the answer, if it is known.
 */
export async function examineRead(
  place: ExaminingPlace,
  read: Read,
  { wasStopped, size }: { readonly wasStopped: boolean; readonly size: AnswerSize | undefined },
): Promise<ExaminedRead> {
  const times = wasStopped ? undefined : await timesOf(place, read);
  const engine = await planOf(place, read, times !== undefined);
  const origin = read.origin?.();
  const existing = await place.engine.introspect(place.database);
  return {
    sql: layOutSql(read.text),
    parameters: parametersText(read, origin),
    engine,
    times,
    findings: origin && findingsOf(place, read, origin, { engine, existing, size }),
    existing,
  };
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** The parameters in their order, without the values of conditions on rows, which the caller must not see. */
function parametersText({ values }: Read, origin: ReadOrigin | undefined): string[] {
  return values.map((value, index) => {
    const { slot, kind } = origin?.parameters[index] ?? { slot: 0, kind: undefined };
    if (slot < 0) return `parameter ${index + 1}: of a condition on rows, not shown`;
    const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;
    return `parameter ${index + 1}: ${shown}${kind?.kind === 'value' ? ` (${kind.field})` : ''}`;
  });
}

/** Milliseconds of some runs; undefined if a limit stopped one. */
async function timesOf({ database }: ExaminingPlace, read: Read): Promise<number[] | undefined> {
  const times: number[] = [];
  const end = performance.now() + ENOUGH;
  try {
    do {
      const start = performance.now();
      await database.read(read);
      times.push(performance.now() - start);
    } while (times.length < RUNS && performance.now() < end);
  } catch (error) {
    if (isLate(error)) return undefined;
    throw error;
  }
  return times;
}

/** The engine's plan, with figures of a run if the engine offers them and the run does not take too long. */
async function planOf(
  { engine, database, readTimeout }: ExaminingPlace,
  read: Read,
  mayRun: boolean,
): Promise<EnginePlan> {
  if (mayRun) {
    try {
      return await engine.explain(database, read, readTimeout || LIMIT);
    } catch (error) {
      if (!isLate(error)) throw error;
    }
  }
  return engine.explain(database, read, undefined);
}

const isLate = (error: unknown): boolean => error instanceof ContentError && error.name === 'ServiceUnavailableError';

function findingsOf(
  { database, layout }: ExaminingPlace,
  read: Read,
  origin: ReadOrigin,
  { engine, existing, size }: Pick<ExaminedRead, 'engine' | 'existing'> & { readonly size: AnswerSize | undefined },
): Finding[] {
  const { plan } = origin;
  const listed = layout.tables.find(({ name }) => name === plan.table)!;
  return findings({
    plan,
    advice: adviseIndexes(layout, plan),
    searching: searchingOf(listed, searchedColumns(database, plan.table), origin, read, database.dialect.search),
    engine,
    existing,
    rows: size?.rows,
    total: size?.total,
    page: read.page,
  });
}
