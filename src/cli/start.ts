/** `galley start` and `galley dev`: serve a project until a signal. */
import type { App, OpenOptions } from '../app.ts';
import { type ChooseNewSecrets, type ConfigOverrides, loadConfig } from '../config/load.ts';
import { workersIn } from '../config/workers-config.ts';
import { UsageError } from '../errors.ts';
import { type Command, integerFlag, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { nextSignal } from './serving.ts';

const FLAGS = { port: { type: 'string' }, host: { type: 'string' }, 'new-secrets': { type: 'boolean' } } as const;
const DIR = ['DIR'];
/** Only this machine: a project in development may be open to everyone who can reach it. */
const DEV_HOST = '127.0.0.1';
/** Frames of an error's stack, enough to include code of the project behind those of the server. */
export const FRAMES = 50;

export const startCommand: Command = {
  name: 'start',
  isServer: true,
  summary: 'serve a project',
  help: `galley start [DIR] [--port N] [--host H] [--workers N] [--watch] [--new-secrets]

Serves the project in DIR (default: the working folder) until SIGTERM or SIGINT. The server then finishes the requests in
flight, for at most 10 seconds (shutdown.timeout in config/server). A second signal ends it at once.

  --port N       port, 0 for any free one (default: PORT, config/server, 1337)
  --host H       address to listen on (default: HOST, config/server, 0.0.0.0)
  --workers N    number of processes that serve the project together; auto: one for each core (default: GALLEY_WORKERS,
                 config/server, 1)
  --watch        checks files when they are saved, and serves the new version at once, with new tables and columns. If the
                 files have mistakes, it prints them and serves the previous version. Uses one process
  --new-secrets  creates secrets that are missing in .env although the database has API tokens or accounts: those tokens
                 stop working, and site users must sign in again`,
  run: (args, surroundings) => {
    const options = { ...FLAGS, workers: { type: 'string' }, watch: { type: 'boolean' } } as const;
    const { flag, switched, positionals } = readArguments('start', args, options, DIR);
    const text = flag('workers');
    const watches = switched('watch');
    if (watches && text !== undefined) throw new UsageError('--watch uses one process: leave out --workers');
    const workers = text === undefined ? undefined : workersIn('--workers', text);
    const replacesSecrets = switched('new-secrets');
    return serve({ flag, dir: positionals[0], host: flag('host'), workers, watches, replacesSecrets }, surroundings);
  },
};

export const devCommand: Command = {
  name: 'dev',
  isServer: true,
  summary: 'serve a project for development: saved files take effect at once',
  help: `galley dev [DIR] [--port N] [--host H] [--new-secrets]

The same as galley start --watch, for development on this machine: it listens only on ${DEV_HOST}, and prints each request
in one line, and errors with the lines of the project that cause them. LOG_FORMAT=json prints the log as galley start does,
LOG_LEVEL=warn hides requests, and NO_COLOR=1 switches colours off.

  --port N       port, 0 for any free one (default: PORT, config/server, 1337)
  --host H       address to listen on (default: ${DEV_HOST}; HOST and config/server have no effect)
  --new-secrets  as for galley start`,
  run: (args, surroundings) => {
    const { flag, switched, positionals } = readArguments('dev', args, FLAGS, DIR);
    const [dir, host, replacesSecrets] = [positionals[0], flag('host') ?? DEV_HOST, switched('new-secrets')];
    return serve({ flag, dir, host, watches: true, replacesSecrets, isDev: true }, surroundings);
  },
};

interface ServeOptions {
  readonly flag: (name: string) => string | undefined;
  readonly dir: string | undefined;
  readonly host: string | undefined;
  readonly workers?: ConfigOverrides['workers'];
  readonly watches: boolean;
  /** Whether to create missing secrets although the database depends on the old ones. */
  readonly replacesSecrets: boolean;
  /** Whether a person reads the log. */
  readonly isDev?: boolean;
}

async function serve(
  { flag, dir = WORKING_FOLDER, host, workers, watches, replacesSecrets, isDev = false }: ServeOptions,
  surroundings: Surroundings,
): Promise<number> {
  const port = integerFlag('port', flag('port'), 0, 65535);
  if (isDev) Error.stackTraceLimit = FRAMES;
  // before the project opens, so that a signal ends that too
  const ended = nextSignal();
  const options: OpenOptions = {
    env: surroundings.env,
    overrides: { host, port, workers, isForPeople: isDev },
    editsSchemas: isDev,
  };
  // a process with a channel may be a worker
  if (process.send !== undefined) {
    const { roleOf, work } = await import('./workers/worker.ts');
    const role = roleOf(surroundings.env);
    if (role) return work(role, { dir, options, ended }, surroundings);
  }
  const watching = watches ? (await import('./watch/watch.ts')).ProjectWatch : undefined;
  const files = watching?.filesOf(dir);
  // imported only if needed: the parent of workers must stay small
  const newSecrets: ChooseNewSecrets = async (missing) => {
    const { secretsInPlaceOfLost, secretsOfNewProject } = await import('../new-secrets.ts');
    return replacesSecrets ? secretsInPlaceOfLost(missing, surroundings.warn) : secretsOfNewProject(missing);
  };
  const config = await loadConfig(dir, { ...options, newSecrets });
  if (!watches && config.workers !== 1) {
    const { workerCount } = await import('./workers/shares.ts');
    const count = workerCount(config);
    if (count > 1) return (await import('./workers/supervisor.ts')).supervise(config, { count, ended }, surroundings);
  }
  const watchOf = files && ((app: App) => new watching!(app, files, surroundings));
  const { serveAlone } = await import('./alone.ts');
  return serveAlone({ config, options, ended, watchOf }, surroundings);
}
