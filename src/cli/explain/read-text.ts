/** The text about an answer: the error, or the statements with plan, time and missing indexes. */
import type { App } from '../../app.ts';
import { counted } from '../../counted.ts';
import { type ExaminedRead, examineRead, median } from '../../db/explain/examined-read.ts';
import { count } from '../../db/explain/missing.ts';
import type { Read } from '../../db/interface/database.ts';
import type { AnswerSize } from '../../db/interface/read-tuning.ts';
import { Lanes } from '../../db/scheduling/lanes.ts';
import type { InnerResponse } from '../../http/server.ts';
import { usedIndexes } from './reached.ts';

/** An answer with its reads. */
export type Answered = InnerResponse & { readonly reads: readonly Read[] };

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

function sizeOf(body: string): AnswerSize & { readonly bytes: number } {
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
  size: (AnswerSize & { readonly bytes: number }) | undefined,
): Promise<string[]> {
  const place = { ...placeOf(app), readTimeout: app.config.database.readTimeout };
  const { sql, parameters, engine, times, findings } = await examineRead(place, read, { wasStopped, size });
  const indexes = await usedIndexes(app, [read.text, ...engine.lines].join('\n'));
  const reasons = findings?.map(({ text }) => text);
  return [
    ...section('SQL', [...sql, ...parameters]),
    ...section(times ? 'Plan' : 'Plan, without running it', engine.lines),
    ...(indexes.length > 0 ? section('Indexes', indexes) : []),
    ...section('Time', timeText(read, engine, times, size)),
    ...(reasons ? section('Missing', reasons.length === 0 ? ['nothing is missing'] : reasons) : []),
  ];
}

const placeOf = ({ database, engine, layout }: App) => ({ database, engine, layout });

const section = (title: string, lines: readonly string[]): string[] => ['', title, ...lines.map((line) => `  ${line}`)];

function timeText(
  read: Read,
  engine: ExaminedRead['engine'],
  times: readonly number[] | undefined,
  size?: AnswerSize & { readonly bytes: number },
): string[] {
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
