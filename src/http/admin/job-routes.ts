/** Jobs and cron tasks of the project, for super administrators: they are project code. */
import { notFound, refusal, validation } from '../../errors.ts';
import { type ListedJob, outcomeOf } from '../../runtime/jobs/job-runs.ts';
import type { HttpContext } from '../routes/context.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { forSuper } from './settings-rights.ts';

/** The most jobs in a list. */
const MOST_JOBS = 500;

export function jobRoutes({ running, http, database }: HttpContext): AdminRoute[] {
  const list: AdminHandler = async (call) => {
    const jobs = (await Promise.all((running?.jobs ?? []).map((some) => some.list()))).flat();
    return sendData(call.reply, jobs.slice(0, MOST_JOBS).map(described));
  };
  /** Starts a run without waiting for it: jobs may take long. */
  const run: AdminHandler = async (call) => {
    const { name, origin } = (call.request.body ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || typeof origin !== 'string') throw validation('name and origin must be texts');
    for (const jobs of running?.jobs ?? []) {
      const isThere = (await jobs.list()).some((job) => job.name === name && job.origin === origin);
      if (!isThere) continue;
      const begun = await jobs.begin(name);
      if (!begun) throw refusal('The job is running already');
      // the result of the job is logged where it runs
      begun.done.catch((error: unknown) => {
        http.log.code('error', `the run of ${name} could not be noted`, error);
      });
      await database.transaction(async (tx) => tx.recordAction({ action: 'job.run', type: 'job', id: name }));
      return call.reply.code(204).send();
    }
    throw notFound();
  };
  return [
    { path: '/jobs', methods: { GET: forSuper(list) } },
    { path: '/jobs/run', methods: { POST: forSuper(run) } },
  ];
}

/** @throws ContentError 403 for administrators without the role Super Admin. */
function described({ name, origin, rule, timezone, next, state }: ListedJob) {
  const outcome = outcomeOf(state);
  const { at = 0, began = at, done, failed } = state ?? {};
  const isOver = outcome === 'done' || outcome === 'failed';
  return {
    ...{ name, origin, rule },
    timezone: timezone ?? null,
    next: next?.toISOString() ?? null,
    last: outcome
      ? {
          outcome,
          at: timeOf(began),
          milliseconds: isOver && done !== undefined ? Math.max(0, done - began) : null,
          error: outcome === 'failed' ? (failed ?? null) : null,
        }
      : null,
  };
}
