/** What a process does that serves a project, alone or with others: it says so, and ends in time. */
import path, { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.ts';
import { nearest } from '../nearest.ts';
import { packageVersion } from '../own-files.ts';
import type { Surroundings } from './command.ts';
import type { Seeded } from './seed.ts';

/** What is printed when a project is served. */
export interface Announcement {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * What is to be said of a project that is served.
 *
 * @param workers the number of processes that serve it.
 */
export async function announcementOf(
  app: App,
  url: string,
  { secrets, revoked }: Seeded,
  workers = 1,
): Promise<Announcement> {
  const { config } = app;
  const { database } = config;
  const place = database.client === 'sqlite' ? ` (${relative(config.dir, database.filename)})` : '';
  const processes = workers === 1 ? '' : ` with ${workers} workers`;
  const example = exampleUrl(app, url);
  const made = newDatabase(app);
  const lines = [
    `galley ${packageVersion()} serves ${config.dir} from ${database.client}${place}${processes}`,
    ...(made === undefined ? [] : [`  ${made}`]),
    ...(example === undefined ? [] : [`  ${example}`]),
    `  ${url}${config.rest.prefix}/docs (the API, described)`,
    ...(await administrationLines(app, url)),
    `  ${url}/_health`,
    ...(await publicWriteLines(app)),
    ...Array.from(secrets, ([name, secret]) => `  token ${name} (shown once): ${secret}`),
    ...revoked.map((grant) => `  seed.json revoked from ${grant}`),
    ...app.granted.map((sentence) => `  ${sentence}`),
  ];
  return { lines, warnings: await warningsOf(app) };
}

/** What is to be warned of while a project is served as it is. */
export async function warningsOf(app: App): Promise<readonly string[]> {
  return [...app.warnings, ...(await unknownRoles(app))];
}

/** Roles of rules of access that there are none of: for whoever was meant, what is said for everybody holds. */
async function unknownRoles({ own, database }: App): Promise<string[]> {
  const named = new Set([...(own?.definition.access.values() ?? [])].flatMap(({ roles }) => Object.keys(roles)));
  if (named.size === 0) return [];
  const { listRoles } = await import('../users/roles/roles.ts');
  const known = (await listRoles(database)).flatMap(({ type }) => type ?? []);
  return [...named].flatMap((name) => {
    if (known.includes(name)) return [];
    const hint = nearest(name, known);
    const meant = hint === undefined ? '' : `: did you mean ${hint}?`;
    return `src/galley has rules of access for the role ${name}, and there is no such role${meant}`;
  });
}

/** Where the administration is; without a super admin who can sign in or is invited, the link for the first one. */
async function administrationLines({ config, database, firstToken }: App, url: string): Promise<string[]> {
  const { enabled, path, origin } = config.admin;
  if (!enabled) return [];
  const place = `${origin ?? url}${path}`;
  // not loaded by the parent of workers
  const { hasSuperAdministrator } = await import('../users/administrators/administrator-rows.ts');
  if (await hasSuperAdministrator(database)) return [`  ${place}`];
  // behind the # nothing is sent, so that the token is in no log
  return [`  ${place}/first#${firstToken.text} (makes the first administrator, once)`];
}

/** What everyone can write, so that an opening that was not meant is seen. */
async function publicWriteLines(app: App): Promise<string[]> {
  // not loaded by the parent of workers
  const { grantedPublicWrites, linesOf } = await import('./public-writes.ts');
  return linesOf(await grantedPublicWrites(app, app.database)).map((line) => `  ${line}`);
}

export function say({ lines, warnings }: Announcement, { print, warn }: Surroundings): void {
  for (const warning of warnings) warn(`warning: ${warning}`);
  for (const line of lines) print(line);
}

/** Milliseconds from the start of serving on after which is looked for what Strapi leaves behind. */
const LOOKED_FOR_STRAYS = 300;

/** Looks for what Strapi leaves behind, until it is told to end, and warns of it. */
export async function lookForStrays(app: App, ended: Promise<void>, { warn }: Surroundings): Promise<void> {
  // not loaded by a process that serves nothing itself
  const { strayNotice } = await import('../content/doctor/orphans.ts');
  // who has waited for the server is answered first
  await Promise.race([delay(LOOKED_FOR_STRAYS, undefined, { ref: false }), ended]);
  // a failed check is no reason to stop a server, and a slow one is no reason to keep it running
  const looked = strayNotice(app, app.database, app.config.dir).catch(() => undefined);
  const notice = await Promise.race([looked, ended.then(() => undefined)]);
  if (notice !== undefined) warn(`warning: ${notice}`);
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

/** Milliseconds that the database gets to close, beyond the time of the requests in flight. */
export const CLOSING = 5000;

/**
 * Closes the project. Requests in flight are given up after `shutdown.timeout`; whatever then still holds the process
 * (a statement that does not end) does so for some seconds at most.
 *
 * @param watch what looks at the project's files, which is ended first.
 */
export async function endInTime(app: App, watch?: { close(): Promise<void> }): Promise<void> {
  const { delay, timeout } = app.config.http.shutdown;
  const deadline = setTimeout(() => process.exit(1), delay + timeout + CLOSING);
  try {
    await watch?.close();
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}

/** Resolves at the first signal to end. A second one ends the process at once, as if none were listened for. */
export function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      // what main.ts does with one that no command waits for
      process.removeAllListeners(signal);
      process.once(signal, () => {
        if (process.pid === 1) process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}

/** A sentence about the database of a project; undefined for one that was there before. */
export function newDatabase({ fresh, config }: Pick<App, 'fresh' | 'config'>): string | undefined {
  const { database, dir } = config;
  if (!fresh || (database.client === 'sqlite' && database.filename === ':memory:')) return undefined;
  if (database.client === 'sqlite') {
    const inside = path.relative(dir, database.filename);
    return `made a new database: ${inside.startsWith('..') ? database.filename : inside}`;
  }
  return 'the database was empty: made its tables';
}
