/** The health of the server for super administrators: its measurements over time, and the examination of the project. */
import { refusal, validation } from '../../errors.ts';
import { deliveryCounts } from '../../events/webhooks/deliveries.ts';
import { listWebhooks } from '../../events/webhooks/webhook.ts';
import { commandText, packageVersion } from '../../own-files.ts';
import { outcomeOf } from '../../runtime/jobs/job-runs.ts';
import { waitingStatements } from '../http-engine.ts';
import type { DoctorRun, DoctorWork } from '../monitoring/diagnosis.ts';
import { percentile } from '../monitoring/durations.ts';
import { ofPeriods, type Period, type Sample } from '../monitoring/sample.ts';
import type { SlowRequest } from '../monitoring/traffic.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf } from '../routes/routes.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { forSuper } from './settings-rights.ts';

const MINUTE = 60_000;
/** The ranges, with the minutes of one point, the number of points, and the milliseconds for which they are stored. */
const RANGES = {
  hour: { minutes: 1, points: 60, stored: 0 },
  day: { minutes: 15, points: 96, stored: MINUTE },
  week: { minutes: 120, points: 84, stored: 5 * MINUTE },
  month: { minutes: 360, points: 120, stored: 10 * MINUTE },
} as const;
type Range = keyof typeof RANGES;

/** The most rows of each list. */
const MOST = 50;
const STARTED = Date.now() - Math.round(performance.now());

export function healthRoutes(context: HttpContext): AdminRoute[] {
  const { http, health, config } = context;
  const toldRun = tellingRun(commandText('doctor', config.dir));
  const stored = new Map<Range, { readonly until: number; readonly measured: ReturnType<typeof measure> }>();
  /** What was measured in a range. A long range is read only now and then. */
  const measuredIn = (range: Range): ReturnType<typeof measure> => {
    const known = stored.get(range);
    const now = Date.now();
    if (known && known.until > now) return known.measured;
    const measured = measure(context, range, now);
    stored.set(range, { until: now + RANGES[range].stored, measured });
    measured.catch(() => stored.delete(range));
    return measured;
  };
  const read: AdminHandler = async (call) => {
    const { range: name = 'hour' } = paramsOf(call.request);
    const range = Object.keys(RANGES).find((known): known is Range => known === name);
    if (!range) throw validation(`range must be one of ${Object.keys(RANGES).join(', ')}`);
    const [measured, webhooks, jobs, indexes, backup] = await Promise.all([
      measuredIn(range),
      failingWebhooks(context),
      lateJobs(context),
      health.indexes(),
      health.backup(),
    ]);
    return sendData(call.reply, {
      range,
      minutes: RANGES[range].minutes,
      ...measured,
      ...{ webhooks: webhooks.failing, jobs },
      backup: backup ? { failed: backup.failed, late: timeOf(backup.lateSince), done: timeOf(backup.doneAt) } : null,
      indexes: indexes.slice(0, MOST).map((one) => ({ ...one, usedAt: timeOf(one.usedAt) })),
      queues: [
        { name: 'requests', waiting: http.admission.waiting },
        { name: 'database', waiting: waitingStatements(context.database) },
        { name: 'webhooks', waiting: webhooks.waiting },
      ],
      server: serverOf(context),
    });
  };
  const last: AdminHandler = async (call) => sendData(call.reply, toldRun(await health.doctorRun()));
  /** Begins a run without waiting for it: it may take long. */
  const beginning =
    (work: DoctorWork): AdminHandler =>
    async (call) => {
      if (!(await health.beginDoctor(work))) throw refusal('The project is being examined or repaired already');
      return sendData(call.reply, toldRun(await health.doctorRun()), 202);
    };
  return [
    { path: '/health', methods: { GET: forSuper(read) } },
    { path: '/health/examination', methods: { GET: forSuper(last), POST: forSuper(beginning('examination')) } },
    { path: '/health/repair', methods: { POST: forSuper(beginning('repair')) } },
  ];
}

/** @param command lists the problems of the project with the statements that solve them. */
const tellingRun = (command: string) => (run: DoctorRun | undefined) =>
  run ? { ...run, command, startedAt: timeOf(run.startedAt), endedAt: timeOf(run.endedAt) } : null;

/** What was measured in a range until now. */
async function measure(context: HttpContext, range: Range, now: number) {
  const first = firstPoint(range, now);
  const periods = await context.http.history.since(first, now);
  const whole = ofPeriods(periods);
  return {
    points: pointsOf(range, periods, first, now),
    total: totalOf(whole),
    slow: whole.slow.map((one) => toldRequest(context, one)),
    logs: logsOf(whole),
  };
}

/** When the first point of a range begins. */
function firstPoint(range: Range, now: number): number {
  const { minutes, points } = RANGES[range];
  const length = minutes * MINUTE;
  return now - (now % length) - (points - 1) * length;
}

function pointsOf(range: Range, periods: readonly Period[], first: number, now: number) {
  const { minutes, points } = RANGES[range];
  const length = minutes * MINUTE;
  const byPoint = Map.groupBy(periods, ({ at }) => Math.floor((at - first) / length));
  return Array.from({ length: points }, (_, n) => {
    const at = first + n * length;
    const sample = byPoint.has(n) ? ofPeriods(byPoint.get(n)!) : undefined;
    // the current sample may have begun before the last point
    const seconds = Math.max(1, Math.min(length, now - at) / 1000, sample?.seconds ?? 0);
    return { at: timeOf(at), perSecond: (sample?.requests ?? 0) / seconds, ...measuresOf(sample) };
  });
}

/** Null where nothing was measured. */
function measuresOf(sample: Sample | undefined) {
  const { failed = 0, refused = 0, durations = [], gauges = {} } = sample ?? {};
  return {
    ...{ failed, refused },
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    p99: percentile(durations, 0.99),
    memory: gauges.memory ?? null,
    waiting: gauges.waiting ?? null,
    database: gauges.database ?? null,
    files: gauges.files ?? null,
  };
}

const totalOf = (sample: Sample) => {
  const { failed, refused, p50, p95, p99 } = measuresOf(sample);
  return { requests: sample.requests, failed, refused, p50, p95, p99 };
};

/** A slow request, with the type that it lists, which the page of the API can explain. */
function toldRequest(context: HttpContext, { at, ...request }: SlowRequest) {
  return { ...request, at: timeOf(at), uid: listedType(context, request) };
}

/** The uid of the type whose documents a request lists; null for other requests. */
function listedType({ catalog, config }: HttpContext, { method, path }: Pick<SlowRequest, 'method' | 'path'>) {
  const { prefix } = config.rest;
  if (method !== 'GET' || !path.startsWith(`${prefix}/`)) return null;
  const name = path.slice(prefix.length + 1).replace(/\/$/, '');
  for (const { uid, routed, kind, pluralName } of catalog.contentTypes.values()) {
    if (routed && kind === 'collectionType' && pluralName === name) return uid;
  }
  return null;
}

function logsOf({ logs }: Sample) {
  return logs.slice(0, MOST).map(({ level, kind, count, at, text }) => ({ level, kind, count, at: timeOf(at), text }));
}

/** Webhooks whose last delivery did not arrive, and the number of deliveries that wait. */
async function failingWebhooks({ database }: HttpContext) {
  const webhooks = await listWebhooks(database);
  const counts = await deliveryCounts(
    database,
    webhooks.map(({ id }) => id),
  );
  const all = webhooks.map(({ id, name }) => {
    const { last, waiting = 0, failed = 0 } = counts.get(id) ?? {};
    const isFailing = last?.state === 'failed' || (last?.state === 'waiting' && last.attempts > 0);
    return { id, name, waiting, failed, isFailing };
  });
  const failing = all.filter(({ isFailing }) => isFailing).slice(0, MOST);
  return {
    failing: failing.map(({ id, name, waiting, failed }) => ({ id, name, waiting, failed })),
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
  };
}

/** Jobs that are late, and those whose last run failed. */
async function lateJobs({ running }: HttpContext) {
  const jobs = (await Promise.all((running?.jobs ?? []).map((some) => some.list()))).flat();
  const shown = jobs.flatMap(({ name, origin, state, lateSince }) => {
    const outcome = outcomeOf(state);
    const hasFailed = outcome === 'failed' || outcome === 'given up';
    if (!hasFailed && !lateSince) return [];
    return [{ name, origin, late: lateSince?.toISOString() ?? null, failed: hasFailed }];
  });
  return shown.slice(0, MOST);
}

function serverOf({ config }: HttpContext) {
  return {
    version: packageVersion(),
    node: process.version,
    engine: config.database.client,
    startedAt: timeOf(STARTED),
  };
}
