/** `galley job list|run`: jobs of `src/galley`, and cron tasks. */
import type { App } from '../app.ts';
import { ContentError, UsageError } from '../errors.ts';
import { OwnJobs } from '../extend/galley/own-jobs.ts';
import { type JobOrigin, type Jobs, outcomeOf, type ToldJob } from '../extend/jobs/job-runs.ts';
import { CronTasks, configuredTasks } from '../extend/running/strapi/cron.ts';
import { Settings } from '../extend/running/strapi/settings.ts';
import { framesOf } from '../log-text.ts';
import { choices } from '../nearest.ts';
import { type Command, readArguments } from './command.ts';
import { inProject } from './in-project.ts';
import { FRAMES } from './start.ts';
import { iso, listing, second } from './table.ts';

/** How the list names where jobs are from. */
const ORIGINS: Readonly<Record<JobOrigin, string>> = {
  galley: 'src/galley',
  config: 'config/server',
  code: 'strapi.cron.add',
};

export const jobListCommand: Command = {
  name: 'job list',
  summary: 'list jobs and cron tasks with their last runs',
  help: `galley job list [--json] [DIR]

Lists the jobs of src/galley and the cron tasks of the project in DIR (default: the working folder): name, times, where
each is from, the next run if a server is running then, and the last run with what came of it. The project's code is not
started for it: tasks that it adds by strapi.cron.add are listed once they have run. Times are UTC.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('job list', args, { json: { type: 'boolean' } }, ['DIR']);
    const jobs = (await inProject(positionals[0], { env, warn }, listJobs)).map(shownOf);
    const lines = listing(jobs, switched('json'), {
      heads: ['name', 'times', 'from', 'next run', 'last run', ''],
      cells: (job) => [job.name, timesOf(job), job.from, nextOf(job), ...lastOf(job)],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

export const jobRunCommand: Command = {
  name: 'job run',
  summary: 'run a job or a cron task now',
  help: `galley job run NAME [DIR]

Runs a job of src/galley, or else a cron task, of the project in DIR (default: the working folder) once, in this process,
and waits for it. For a cron task the project's code is started, with register and bootstrap. A job that another
process is running is left to it, with exit code 1.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('job run', args, {}, ['NAME', 'DIR']);
    const [name, dir] = positionals;
    if (name === undefined) throw new UsageError('galley job run needs a NAME; see galley job run --help');
    Error.stackTraceLimit = FRAMES;
    return inProject(dir, { env, warn, usesSecrets: true, overrides: { isForPeople: true } }, async (app) => {
      const begun = await withJob(app, name, async (jobs) => {
        const run = await jobs.begin(name, (failure) => tell(failure, app.config.dir, warn));
        return run && (await run.done);
      });
      if (begun === undefined) {
        warn(`galley: another process is running ${name}`);
        return 1;
      }
      if (begun.failed !== undefined) return 1;
      print(`${name} is done`);
      return 0;
    });
  },
};

/** Says why a run has failed. What a rule of content refuses is no matter of lines of code. */
function tell(failure: Error, dir: string, warn: (line: string) => void): void {
  warn(`galley: ${failure.message}`);
  if (failure.cause instanceof ContentError) return;
  for (const frame of framesOf(failure.stack, dir)) warn(`  ${frame}`);
}

async function listJobs({ own, code, config, database }: App): Promise<ToldJob[]> {
  const jobs = own ? await new OwnJobs(own, database).list() : [];
  if (!code.running) return jobs;
  const cron = new CronTasks({ database, tools: {}, failed: String });
  cron.add(configuredTasks(new Settings(await config.code.settings())), 'config');
  return [...jobs, ...(await cron.listWithRecorded())];
}

/**
 * Works with the scheduler that has a job. The project's code is started where `src/galley` has no such job.
 *
 * @throws UsageError where none has it.
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
  throw new UsageError(`there is no job ${name}${choices(name, names)}`);
}

/** A job as it is shown, with times in ISO 8601. */
interface ShownJob {
  readonly name: string;
  readonly rule: string;
  readonly timezone: string | undefined;
  readonly from: string;
  /** Null: never; undefined: not known. */
  readonly next: string | null | undefined;
  /** When it last was to run; null: never. */
  readonly last: string | null;
  readonly outcome: ReturnType<typeof outcomeOf>;
  readonly error: string | undefined;
}

function shownOf({ name, rule, timezone, origin, next, state }: ToldJob): ShownJob {
  const outcome = outcomeOf(state);
  return {
    ...{ name, rule, timezone, from: ORIGINS[origin] },
    next: next === null ? (origin === 'code' ? undefined : null) : iso(next.getTime()),
    last: state && outcome !== undefined ? iso(state.at) : null,
    outcome,
    error: outcome === 'failed' ? state!.failed : undefined,
  };
}

const timesOf = ({ rule, timezone }: ShownJob): string => (timezone === undefined ? rule : `${rule} (${timezone})`);

const nextOf = ({ next }: ShownJob): string => (next === undefined ? 'not known' : timeOf(next));

const timeOf = (time: string | null): string => (time === null ? 'never' : second(Date.parse(time)));

const lastOf = ({ last, outcome, error }: ShownJob): [time: string, outcome: string] => [
  timeOf(last),
  error ?? outcome ?? '',
];
