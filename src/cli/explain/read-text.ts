/** The text about an answer: the error, or the statements with plan, time and missing indexes. */
import type { App } from '../../app.ts';
import { counted } from '../../counted.ts';
import { searchedColumns } from '../../db/indexes/building.ts';
import type { Read, ReadOrigin } from '../../db/interface/database.ts';
import type { EnginePlan } from '../../db/migration/schema-engine.ts';
import { Lanes } from '../../db/scheduling/lanes.ts';
import { ContentError } from '../../errors.ts';
import type { InnerResponse } from '../../http/server.ts';
import { adviseIndexes } from '../../plan/index-advice.ts';
import { count, missing, searchingOf } from './missing.ts';
import { usedIndexes } from './reached.ts';
import { layOutSql } from './sql-text.ts';

/** An answer with its reads. */
export type Answered = InnerResponse & { readonly reads: readonly Read[] };

/** The time is the median of so many runs, fewer if they take longer than these milliseconds. */
const RUNS = 5;
const ENOUGH = 2000;
/** The most milliseconds for a run that shows the plan, if reads have no limit. */
const LIMIT = 30_000;
/** The most characters of a parameter that are printed. */
const SHOWN = 120;

/** Lines of an answer. */
export async function readText(app: App, answered: Answered): Promise<string[]> {
  const { status, body, reads } = answered;
  const lines = status < 400 ? [] : refusalText(status, body);
  const size = status < 400 ? sizeOf(body) : undefined;
  for (const read of reads) lines.push(...(await statementText(app, read, status === 503, size)));
  return lines;
}

function refusalText(status: number, body: string): string[] {
  // a 405 has a plain text
  if (!body.startsWith('{')) return ['', `Refused: ${status} ${body}`];
  const { error } = JSON.parse(body) as { error: { name: string; message: string; details?: unknown } };
  const details = JSON.stringify(error.details ?? {});
  return ['', `Refused: ${status} ${error.name}: ${error.message}${details === '{}' ? '' : ` ${details}`}`];
}

/** The size of an answer. */
interface AnswerSize {
  readonly rows: number;
  readonly total: number | undefined;
  readonly bytes: number;
}

function sizeOf(body: string): AnswerSize {
  const { data, meta } = JSON.parse(body) as {
    data: unknown;
    meta?: { pagination?: { total?: number } };
  };
  const rows = Array.isArray(data) ? data.length : data === null ? 0 : 1;
  return { rows, total: meta?.pagination?.total, bytes: Buffer.byteLength(body) };
}

async function statementText(
  app: App,
  read: Read,
  wasStopped: boolean,
  size: AnswerSize | undefined,
): Promise<string[]> {
  const times = wasStopped ? undefined : await timesOf(app, read);
  const engine = await planOf(app, read, times !== undefined);
  const origin = read.origin?.();
  const indexes = await usedIndexes(app, [read.text, ...engine.lines].join('\n'));
  return [
    ...section('SQL', [...layOutSql(read.text), ...parametersText(read, origin)]),
    ...section(times ? 'Plan' : 'Plan, without running it', engine.lines),
    ...(indexes.length > 0 ? section('Indexes', indexes) : []),
    ...section('Time', timeText(read, engine, times, size)),
    ...(origin ? section('Missing', await missingText(app, read, origin, engine, size)) : []),
  ];
}

const section = (title: string, lines: readonly string[]): string[] => ['', title, ...lines.map((line) => `  ${line}`)];

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
async function timesOf({ database }: App, read: Read): Promise<number[] | undefined> {
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
async function planOf({ engine, database, config }: App, read: Read, mayRun: boolean): Promise<EnginePlan> {
  if (mayRun) {
    try {
      return await engine.explain(database, read, config.database.readTimeout || LIMIT);
    } catch (error) {
      if (!isLate(error)) throw error;
    }
  }
  return engine.explain(database, read, undefined);
}

const isLate = (error: unknown): boolean => error instanceof ContentError && error.name === 'ServiceUnavailableError';

function timeText(read: Read, engine: EnginePlan, times: readonly number[] | undefined, size?: AnswerSize): string[] {
  const lanes = new Lanes((table) => engine.sizes.get(table), engine.laneTimes);
  for (const milliseconds of times ?? []) lanes.note(read, { caller: '', lane: 'slow', milliseconds });
  const isQuick = lanes.choose(read, '') === 'quick';
  const { small, quick } = engine.laneTimes;
  const why = read.cost.dependsOnValues
    ? 'its work depends on its values'
    : `its tables are so large that it may take more than ${quick} ms`;
  const lane = isQuick
    ? `counts as quick: by its plan it stays below ${small} ms, or it was seen to take less than ${quick} ms`
    : `may be slow, so it runs apart from quick reads: ${why}`;
  const spent = times
    ? `${median(times).toFixed(2)} ms, the median of ${counted(times.length, 'run')}`
    : 'stopped at the time limit for reads';
  const total = size?.total === undefined ? '' : ` of ${size.total.toLocaleString('en-US')}`;
  const sizes = size ? [`${count(size.rows)}${total}, ${size.bytes.toLocaleString('en-US')} bytes`] : [];
  return [spent, ...sizes, lane];
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

async function missingText(
  app: App,
  read: Read,
  origin: ReadOrigin,
  engine: EnginePlan,
  size: AnswerSize | undefined,
): Promise<string[]> {
  const { plan } = origin;
  const { database, layout } = app;
  const existing = await app.engine.introspect(database);
  const listed = layout.tables.find(({ name }) => name === plan.table)!;
  const sentences = missing({
    plan,
    advice: adviseIndexes(layout, plan),
    searching: searchingOf(listed, searchedColumns(database, plan.table), origin, read, database.dialect.search),
    engine,
    existing,
    rows: size?.rows,
    total: size?.total,
    page: read.page,
  });
  return sentences.length === 0 ? ['nothing is missing'] : sentences;
}
