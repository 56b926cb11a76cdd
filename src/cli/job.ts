/** `galley job list|run`: the jobs of a project's `src/galley`. */
import { UsageError } from '../errors.ts';
import { OwnJobs, type ToldJob } from '../extend/galley/own-jobs.ts';
import { nearest } from '../schema/check/nearest.ts';
import { type Command, readArguments } from './command.ts';
import { inProject } from './in-project.ts';
import { table } from './table.ts';

export const jobListCommand: Command = {
  name: 'job list',
  summary: 'list the jobs of src/galley with their last runs',
  help: `galley job list [DIR]

Lists the jobs of the project in DIR (default: the working folder): name, times, the next run as far as a server is
running then, and the last run with what came of it. Times are UTC.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('job list', args, {}, ['DIR']);
    const jobs = await inProject(positionals[0], { env, warn }, async (app) =>
      app.own ? new OwnJobs(app.own, app.database).list() : [],
    );
    const rows = jobs.map((job) => [job.name, timesOf(job), toldTime(job.next?.getTime()), ...outcomeOf(job)]);
    for (const line of table(['name', 'times', 'next run', 'last run', ''], rows)) print(line);
    return 0;
  },
};

export const jobRunCommand: Command = {
  name: 'job run',
  summary: 'run a job of src/galley now',
  help: `galley job run NAME [DIR]

Runs a job of the project in DIR (default: the working folder) once, in this process, and waits for it. A job that
another process is running is left to it, with exit code 1.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('job run', args, {}, ['NAME', 'DIR']);
    const [name, dir] = positionals;
    if (name === undefined) throw new UsageError('galley job run needs a NAME; see galley job run --help');
    return inProject(dir, { env, warn }, async ({ own, database }) => {
      const names = [...(own?.definition.jobs.keys() ?? [])];
      if (!own || !names.includes(name)) {
        const hint = nearest(name, names);
        throw new UsageError(`there is no job ${name}${hint === undefined ? '' : `: did you mean ${hint}?`}`);
      }
      const outcome = await new OwnJobs(own, database).run(name);
      if (outcome === undefined) {
        warn(`galley: another process is running ${name}`);
        return 1;
      }
      if (outcome.failed !== undefined) {
        warn(`galley: ${outcome.failed}`);
        return 1;
      }
      print(`${name} is done`);
      return 0;
    });
  },
};

const timesOf = ({ cron, timezone }: ToldJob): string => (timezone === undefined ? cron : `${cron} (${timezone})`);

const toldTime = (time: number | undefined): string =>
  time === undefined ? 'never' : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}`;

function outcomeOf({ state }: ToldJob): [time: string, outcome: string] {
  if (!state || (state.done === undefined && state.until === 0)) return ['never', ''];
  const outcome = state.until > Date.now() ? 'running' : (state.failed ?? (state.until === 0 ? 'done' : 'given up'));
  return [toldTime(state.at), outcome];
}
