/** Requests for the health of the server. */
import { flag, type Infer, list, moment, nullable, number, object, oneOf, type Shape, text } from './shape.ts';

/** Values of a period; null where nothing was measured. Durations are milliseconds, sizes bytes. */
const point = object({
  at: moment,
  perSecond: number,
  /** Requests with a status of 500 or more, and of 400 to 499. */
  failed: number,
  refused: number,
  p50: nullable(number),
  p95: nullable(number),
  p99: nullable(number),
  memory: nullable(number),
  /** Requests and statements that waited for their turn. */
  waiting: nullable(number),
  database: nullable(number),
  files: nullable(number),
});

const slowRequest = object({
  method: text,
  /** Without ids, and a query without values. */
  path: text,
  query: text,
  /** The number of slow requests, and the slowest one. */
  count: number,
  ms: number,
  status: number,
  at: moment,
  /** The type that it lists; null for other requests. */
  uid: nullable(text),
});

export const health = object({
  range: oneOf('hour', 'day', 'week', 'month'),
  /** Minutes of one point. */
  minutes: number,
  points: list(point),
  /** Of the range. */
  total: object({
    requests: number,
    failed: number,
    refused: number,
    p50: nullable(number),
    p95: nullable(number),
    p99: nullable(number),
  }),
  slow: list(slowRequest),
  /** Lines of the range by kind. The text is that of the last one; null where it may contain content. */
  logs: list(object({ level: text, kind: text, count: number, at: moment, text: nullable(text) })),
  webhooks: list(object({ id: number, name: text, waiting: number, failed: number })),
  /** Jobs whose run is late since a time, or whose last run failed. */
  jobs: list(object({ name: text, origin: oneOf('galley', 'config', 'code'), late: nullable(moment), failed: flag })),
  /** The scheduled backups: whether the last one failed, since when one is late, and when the last one was complete. */
  backup: nullable(object({ failed: flag, late: nullable(moment), done: nullable(moment) })),
  indexes: list(
    object({
      name: text,
      table: text,
      columns: text,
      origin: oneOf('learned', 'suggested', 'command'),
      /** The slow reads that lacked it, and their total milliseconds. */
      reads: number,
      milliseconds: number,
      usedAt: moment,
    }),
  ),
  queues: list(object({ name: oneOf('requests', 'database', 'webhooks'), waiting: number })),
  server: object({ version: text, node: text, engine: oneOf('sqlite', 'postgres'), startedAt: moment }),
});

const problem = object({
  kind: oneOf(
    'table',
    'sequence',
    'link',
    'component',
    'media',
    'note',
    'order',
    'unnamed',
    'draft',
    'doubled',
    'locale',
    'shared',
    'file-left',
    'file-recent',
    'file-elsewhere',
    'file-unclaimed',
    'file-missing',
  ),
  /** In technical words; empty where the kind says it all. */
  problem: text,
  /** The table, column or store. */
  place: text,
  count: number,
  isRepairable: flag,
  examples: list(text),
});

/** The examination or repair that runs, or the last one, in any process. */
export const examination = object({
  work: oneOf('examination', 'repair'),
  /** `given up`: the process that ran it has ended. */
  outcome: oneOf('running', 'done', 'failed', 'given up'),
  /** Shows the problems in technical words. */
  command: text,
  startedAt: moment,
  endedAt: nullable(moment),
  /** Of a repair, with the rows that are repaired, of those that were found by now. */
  progress: nullable(object({ step: oneOf('tables', 'rows', 'files', 'examination'), repaired: number, of: number })),
  /** Found, or left by a repair; null unless it is done. */
  problems: nullable(list(problem)),
  /** The reason of a failure; null if only the log has it. */
  error: nullable(text),
});

const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

export const HEALTH_REQUESTS = {
  /** Takes `range`. */
  'GET health': inData(health),
  /** Null if there was none. */
  'GET health/examination': inData(nullable(examination)),
  /** Begins an examination. */
  'POST health/examination': inData(nullable(examination)),
  /** Begins to repair what can be repaired without losing content. */
  'POST health/repair': inData(nullable(examination)),
} as const;

export type Health = Infer<typeof health>;
export type HealthPoint = Infer<typeof point>;
export type Examination = Infer<typeof examination>;
export type Problem = Infer<typeof problem>;
