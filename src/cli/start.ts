/** `galley start` and `galley dev`: serve a project until they are told to end. */
import { relative } from 'node:path';
import { type App, openProject } from '../app.ts';
import { strayNotice } from '../content/doctor/strays.ts';
import { type Command, integerFlag, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { loadSeed } from './seed.ts';
import { packageVersion } from './version.ts';
import type { ProjectWatch } from './watch/watch.ts';

const PLACE = { port: { type: 'string' }, host: { type: 'string' } } as const;
const DIR = ['DIR'];
/** A project that is being written may be open to everybody who reaches it. */
const DEV_HOST = '127.0.0.1';

export const startCommand: Command = {
  name: 'start',
  summary: 'serve a project',
  help: `galley start [DIR] [--port N] [--host H] [--watch]

Serves the project in DIR (default: the working folder) until SIGTERM or SIGINT ends it. Requests in flight are
finished, for 10 seconds at most (config/server, shutdown.timeout); a second signal ends it at once.

  --port N   port to listen on, 0 for a free one (default: PORT, config/server, 1337)
  --host H   address to listen on (default: HOST, config/server, 0.0.0.0)
  --watch    checks schema files, code and configuration when they are saved and, if they are right, serves what they
             say from then on, new tables and columns included; if they are wrong, says what galley check says`,
  run: (args, surroundings) => {
    const { flag, switched, positionals } = readArguments('start', args, { ...PLACE, watch: { type: 'boolean' } }, DIR);
    return serve({ flag, dir: positionals[0], host: flag('host'), watches: switched('watch') }, surroundings);
  },
};

export const devCommand: Command = {
  name: 'dev',
  summary: 'serve a project while its schema is being written',
  help: `galley dev [DIR] [--port N] [--host H]

The same as galley start --watch, for this machine alone: see galley start --help.

  --port N   port to listen on, 0 for a free one (default: PORT, config/server, 1337)
  --host H   address to listen on (default: ${DEV_HOST}, whatever HOST and config/server say)`,
  run: (args, surroundings) => {
    const { flag, positionals } = readArguments('dev', args, PLACE, DIR);
    return serve({ flag, dir: positionals[0], host: flag('host') ?? DEV_HOST, watches: true }, surroundings);
  },
};

interface Serving {
  readonly flag: (name: string) => string | undefined;
  readonly dir: string | undefined;
  readonly host: string | undefined;
  readonly watches: boolean;
}

async function serve(
  { flag, dir = WORKING_FOLDER, host, watches }: Serving,
  surroundings: Surroundings,
): Promise<number> {
  const port = integerFlag('port', flag('port'), 0, 65535);
  // Listened for from the first moment: a signal while the project opens ends it too.
  const ended = nextSignal();
  // not loaded where nobody asks for it
  const watching = watches ? (await import('./watch/watch.ts')).ProjectWatch : undefined;
  const files = watching?.filesOf(dir);
  const app = await openProject(dir, { env: surroundings.env, overrides: { host, port } });
  const watch = files && new watching!(app, files, surroundings);
  try {
    const secrets = await loadSeed(app);
    const { url } = await app.listen();
    announce(app, url, secrets, surroundings);
    watch?.open();
    // a failed check is no reason to stop a server, and a slow one is no reason to keep it running
    const looked = strayNotice(app, app.database).catch(() => undefined);
    const notice = await Promise.race([looked, ended.then(() => undefined)]);
    if (notice !== undefined) surroundings.warn(`warning: ${notice}`);
    await ended;
  } finally {
    await endInTime(app, watch);
  }
  return 0;
}

/** Milliseconds that the database gets to close, beyond the time of the requests in flight. */
const CLOSING = 5000;

/**
 * Closes the project. Requests in flight are given up after `shutdown.timeout`; whatever then still holds the process
 * (a statement that does not end) does so for some seconds at most.
 */
async function endInTime(app: App, watch: ProjectWatch | undefined): Promise<void> {
  const { delay, timeout } = app.config.http.shutdown;
  const deadline = setTimeout(() => process.exit(1), delay + timeout + CLOSING);
  try {
    await watch?.close();
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}

function announce(app: App, url: string, secrets: ReadonlyMap<string, string>, { print, warn }: Surroundings): void {
  const { config } = app;
  for (const warning of app.warnings) warn(`warning: ${warning}`);
  const { database } = config;
  const place = database.client === 'sqlite' ? ` (${relative(config.dir, database.filename)})` : '';
  print(`galley ${packageVersion()} serves ${config.dir} from ${database.client}${place}`);
  const example = exampleUrl(app, url);
  if (example !== undefined) print(`  ${example}`);
  print(`  ${url}/_health`);
  for (const [name, secret] of secrets) print(`  token ${name} (shown once): ${secret}`);
}

/** Something to open at once: the list of the first type that has one which is open. Undefined where there is none. */
function exampleUrl({ catalog, code, config }: App, url: string): string | undefined {
  const routed = [...catalog.contentTypes.values()].filter((type) => type.routed);
  const lists = routed.filter(({ kind }) => kind === 'collectionType');
  for (const type of [...lists, ...routed]) {
    const made = code.routes.get(type.uid) ?? [{ prefix: '', names: new Set(['find']) }];
    const route = made.find(({ names }) => names.has('find'));
    if (!route || code.closed.has(`${type.uid}.find`)) continue;
    const name = type.kind === 'collectionType' ? type.pluralName : type.singularName;
    return `${url}${config.rest.prefix}${route.prefix}/${name}`;
  }
  return undefined;
}

/** Resolves at the first signal to end. A second one ends the process at once, as if none were listened for. */
function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
