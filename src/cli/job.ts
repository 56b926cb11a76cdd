/** `galley job list|run`: the jobs of `src/galley`, and cron tasks. */
import type { App } from '../app.ts';
import { ContentError, UsageError } from '../errors.ts';
import { framesOf } from '../log-text.ts';
import { choices } from '../nearest.ts';
import { OwnJobs } from '../runtime/galley/own-jobs.ts';
import { type JobOrigin, type Jobs, type ListedJob, outcomeOf } from '../runtime/jobs/job-runs.ts';
import { CronTasks, configuredTasks } from '../runtime/strapi/cron.ts';
import { Settings } from '../runtime/strapi/settings.ts';
import { argumentCommand, type Command } from './command.ts';
import { inProject } from './in-project.ts';
import { iso, listCommand, second } from './lists.ts';
import { FRAMES } from './start.ts';

/** The sources of jobs, as the list names them. */
const ORIGINS: Readonly<Record<JobOrigin, string>> = {
  galley: 'src/galley',
  config: 'config/server',
  code: 'strapi.cron.add',
};

const jobListCommand = listCommand({
  name: 'job list',
  summary: 'list jobs and cron tasks with their last runs',
  about: `Lists the jobs of src/galley and the cron tasks of the project in DIR (default: the working folder): name, schedule, source,
the next run if a server is running then, and the last run with its outcome. The command does not start the project's code,
so tasks of strapi.cron.add appear once they have run. Times are UTC.`,
  read: async (app) => (await listJobs(app)).map(shownOf),
  heads: ['name', 'schedule', 'source', 'next run', 'last run', 'outcome'],
  cells: (job) => [job.name, scheduleOf(job), job.from, nextOf(job), ...lastOf(job)],
});

const jobRunCommand = argumentCommand({
  name: 'job run',
  summary: 'run a job or a cron task now',
  argument: 'NAME',
  about: `Runs a job of src/galley, or else a cron task, of the project in DIR (default: the working folder) once in this process, and
waits for it. For a cron task the command starts the project's code, with register and bootstrap. If another process is
running the job, the exit code is 1.`,
  run: (name, dir, { env, print, warn }) => {
    Error.stackTraceLimit = FRAMES;
    return inProject(dir, { env, warn, usesSecrets: true, overrides: { isForPeople: true } }, async (app) => {
      const run = await withJob(app, name, async (jobs) => {
        const begun = await jobs.begin(name, (failure) => printFailure(failure, app.config.dir, warn));
        return begun && (await begun.done);
      });
      if (run === undefined) {
        warn(`galley: another process is running ${name}`);
        return 1;
      }
      if (run.failed !== undefined) return 1;
      print(`${name} is done`);
      return 0;
    });
  },
});

/** Prints why a run failed, with the lines of code unless a rule of content refused a write. */
function printFailure(failure: Error, dir: string, warn: (line: string) => void): void {
  warn(`galley: ${failure.message}`);
  if (failure.cause instanceof ContentError) return;
  for (const frame of framesOf(failure.stack, dir)) warn(`  ${frame}`);
}

async function listJobs({ own, code, config, database }: App): Promise<ListedJob[]> {
  const jobs = own ? await new OwnJobs(own, database).list() : [];
  if (!code.running) return jobs;
  const cron = new CronTasks({ database, tools: {}, failed: String });
  cron.add(configuredTasks(new Settings(await config.code.settings())), 'config');
  return [...jobs, ...(await cron.listWithRecorded())];
}

/**
 * Runs `work` with the scheduler of a job. It starts the project's code if `src/galley` has no such job.
 *
 * @throws UsageError if no scheduler has the job.
 */
async function withJob<T>(app: App, name: string, work: (jobs: Jobs) => Promise<T>): Promise<T> {
  const { own, code, database } = app;
  const names = [...(own?.definition.jobs.keys() ?? [])];
  if (own && names.includes(name)) return work(new OwnJobs(own, database));
  const running = code.running && (await app.startCode());
  try {
    for (const jobs of running?.jobs ?? []) {
      const listed = (await jobs.list()).map((job) => job.name);
      if (listed.includes(name)) return await work(jobs);
      names.push(...listed);
    }
  } finally {
    await running?.close();
  }
  throw new UsageError(`no job ${name}${choices(name, names)}`);
}

/** A job as the command prints it, with times in ISO 8601. */
interface ShownJob {
  readonly name: string;
  readonly rule: string;
  readonly timezone: string | undefined;
  readonly from: string;
  /** Null: never; undefined: unknown. */
  readonly next: string | null | undefined;
  /** The time for which the last run was due; null: never. */
  readonly last: string | null;
  readonly outcome: ReturnType<typeof outcomeOf>;
  readonly error: string | undefined;
}

function shownOf({ name, rule, timezone, origin, next, state }: ListedJob): ShownJob {
  const outcome = outcomeOf(state);
  return {
    ...{ name, rule, timezone, from: ORIGINS[origin] },
    next: next === null ? (origin === 'code' ? undefined : null) : iso(next.getTime()),
    last: state && outcome !== undefined ? iso(state.at) : null,
    outcome,
    error: outcome === 'failed' ? state!.failed : undefined,
  };
}

const scheduleOf = ({ rule, timezone }: ShownJob): string => (timezone === undefined ? rule : `${rule} (${timezone})`);

const nextOf = ({ next }: ShownJob): string => (next === undefined ? 'unknown' : timeOf(next));

const timeOf = (time: string | null): string => (time === null ? 'never' : second(Date.parse(time)));

const lastOf = ({ last, outcome, error }: ShownJob): [time: string, outcome: string] => [
  timeOf(last),
  error ?? outcome ?? '',
];

export const jobCommands: readonly Command[] = [jobListCommand, jobRunCommand];
