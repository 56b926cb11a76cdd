/** `galley start` and `galley dev`: serve a project until they are told to end. */
import type { App, OpenOptions } from '../app.ts';
import { type ChooseNewSecrets, type ConfigOverrides, loadConfig } from '../config/load.ts';
import { workersIn } from '../config/workers-config.ts';
import { UsageError } from '../errors.ts';
import { type Command, integerFlag, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { nextSignal } from './serving.ts';

const PLACE = { port: { type: 'string' }, host: { type: 'string' }, 'new-secrets': { type: 'boolean' } } as const;
const DIR = ['DIR'];
/** A project that is being written may be open to everybody who reaches it. */
const DEV_HOST = '127.0.0.1';
/** Frames of the stack of an error. */
export const FRAMES = 50;

export const startCommand: Command = {
  name: 'start',
  summary: 'serve a project',
  help: `galley start [DIR] [--port N] [--host H] [--workers N] [--watch] [--new-secrets]

Serves the project in DIR (default: the working folder) until SIGTERM or SIGINT ends it. Requests in flight are
finished, for 10 seconds at most (config/server, shutdown.timeout); a second signal ends it at once.

  --port N      port to listen on, 0 for a free one (default: PORT, config/server, 1337)
  --host H      address to listen on (default: HOST, config/server, 0.0.0.0)
  --workers N   processes that serve it together, auto for as many as there are cores (default: GALLEY_WORKERS,
                config/server, 1)
  --watch       checks schema files, code and configuration when they are saved and, if they are right, serves what they
                say from then on, new tables and columns included; if they are wrong, says what galley check says.
                One process serves, whatever the configuration says of workers
  --new-secrets creates secrets in the place of those that are missing from .env although the database already has API
                tokens or people: those tokens stop working, and site users must sign in again`,
  run: (args, surroundings) => {
    const options = { ...PLACE, workers: { type: 'string' }, watch: { type: 'boolean' } } as const;
    const { flag, switched, positionals } = readArguments('start', args, options, DIR);
    const text = flag('workers');
    const watches = switched('watch');
    if (watches && text !== undefined) throw new UsageError('--watch serves from one process: leave out --workers');
    const workers = text === undefined ? undefined : workersIn('--workers', text);
    const replacesSecrets = switched('new-secrets');
    return serve({ flag, dir: positionals[0], host: flag('host'), workers, watches, replacesSecrets }, surroundings);
  },
};

export const devCommand: Command = {
  name: 'dev',
  summary: 'serve a project while its schema is being written',
  help: `galley dev [DIR] [--port N] [--host H] [--new-secrets]

The same as galley start --watch, for this machine alone and for a person at a terminal: see galley start --help. It
prints a line for each request, and errors with the lines of the project that lead to them. LOG_FORMAT=json writes the
log as galley start does, LOG_LEVEL=warn leaves out requests, and NO_COLOR=1 the colours.

  --port N       port to listen on, 0 for a free one (default: PORT, config/server, 1337)
  --host H       address to listen on (default: ${DEV_HOST}, whatever HOST and config/server say)
  --new-secrets  as for galley start`,
  run: (args, surroundings) => {
    const { flag, switched, positionals } = readArguments('dev', args, PLACE, DIR);
    const [dir, host, replacesSecrets] = [positionals[0], flag('host') ?? DEV_HOST, switched('new-secrets')];
    return serve({ flag, dir, host, watches: true, replacesSecrets, isDev: true }, surroundings);
  },
};

interface Serving {
  readonly flag: (name: string) => string | undefined;
  readonly dir: string | undefined;
  readonly host: string | undefined;
  readonly workers?: ConfigOverrides['workers'];
  readonly watches: boolean;
  /** Whether missing secrets are replaced although the database depends on them. */
  readonly replacesSecrets: boolean;
  /** Whether a person watches it, rather than a program. */
  readonly isDev?: boolean;
}

async function serve(
  { flag, dir = WORKING_FOLDER, host, workers, watches, replacesSecrets, isDev = false }: Serving,
  surroundings: Surroundings,
): Promise<number> {
  const port = integerFlag('port', flag('port'), 0, 65535);
  // behind frames of the server there is the project's own, which a person looks for
  if (isDev) Error.stackTraceLimit = FRAMES;
  // Listened for from the first moment: a signal while the project opens ends it too.
  const ended = nextSignal();
  const options: OpenOptions = { env: surroundings.env, overrides: { host, port, workers, isForPeople: isDev } };
  // a process that is given a channel may be one of several
  if (process.send !== undefined) {
    const { roleOf, work } = await import('./workers/worker.ts');
    const role = roleOf(surroundings.env);
    if (role) return work(role, { dir, options, ended }, surroundings);
  }
  // not loaded where nobody asks for it
  const watching = watches ? (await import('./watch/watch.ts')).ProjectWatch : undefined;
  const files = watching?.filesOf(dir);
  // not loaded where no secret is missing: the parent of workers needs nothing of the server
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
  // the parent of workers needs nothing of the server
  const { serveAlone } = await import('./alone.ts');
  return serveAlone({ config, options, ended, watchOf }, surroundings);
}
