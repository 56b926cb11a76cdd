/** Steps of every process that serves a project, alone or as a worker: the announcement, a check, and the end. */
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.ts';
import { meant } from '../nearest.ts';
import { packageVersion } from '../own-files.ts';
import type { Surroundings } from './command.ts';
import { newDatabase } from './new-database.ts';
import type { Seeded } from './seed.ts';

/** The lines that a start prints when it serves. */
export interface Announcement {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The announcement of a project that is served.
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
  const created = newDatabase(app);
  const lines = [
    `galley ${packageVersion()} serves ${config.dir} from ${database.client}${place}${processes}`,
    ...(created === undefined ? [] : [`  ${created}`]),
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

/** The warnings about a project that is served. */
export async function warningsOf(app: App): Promise<readonly string[]> {
  return [...app.warnings, ...(await unknownRoles(app))];
}

/** Warnings about rules of access for roles that do not exist, so that the rules for everyone apply to those callers. */
async function unknownRoles({ own, database }: App): Promise<string[]> {
  const named = new Set([...(own?.definition.access.values() ?? [])].flatMap(({ roles }) => Object.keys(roles)));
  if (named.size === 0) return [];
  const { listRoles } = await import('../users/roles/roles.ts');
  const types = (await listRoles(database)).flatMap(({ type }) => type ?? []);
  return [...named].flatMap((name) => {
    if (types.includes(name)) return [];
    return `src/galley has rules of access for the role ${name}, which does not exist${meant(name, types)}`;
  });
}

/** The address of the administration app, or the link for the first super admin as long as there is none. */
async function administrationLines({ config, database, firstToken }: App, url: string): Promise<string[]> {
  const { enabled, path, origin } = config.admin;
  if (!enabled) return [];
  const address = `${origin ?? url}${path}`;
  // not loaded by the parent of workers
  const { hasSuperAdministrator } = await import('../users/administrators/administrator-rows.ts');
  if (await hasSuperAdministrator(database)) return [`  ${address}`];
  // browsers do not send the part after the #, so no log contains the token
  return [`  ${address}/first#${firstToken.text} (creates the first administrator; works once)`];
}

/** Lines about writes that everyone can perform, so that the operator notices an unintended grant. */
async function publicWriteLines(app: App): Promise<string[]> {
  // not loaded by the parent of workers
  const { grantedPublicWrites, linesOf } = await import('./public-writes.ts');
  return linesOf(await grantedPublicWrites(app, app.database)).map((line) => `  ${line}`);
}

export function printAnnouncement({ lines, warnings }: Announcement, { print, warn }: Surroundings): void {
  for (const warning of warnings) warn(`warning: ${warning}`);
  for (const line of lines) print(line);
}

/** Milliseconds between the first moment of serving and the check for stray links, so that first requests do not wait. */
const STRAYS_DELAY = 300;

/** Warns about links to deleted rows, which Strapi leaves in the database. Stops at the signal to end. */
export async function warnOfStrays(app: App, ended: Promise<void>, { warn }: Surroundings): Promise<void> {
  // not loaded by a process that serves nothing itself
  const { strayNotice } = await import('../content/doctor/orphans.ts');
  await Promise.race([delay(STRAYS_DELAY, undefined, { ref: false }), ended]);
  // a failed check must not stop a server, and a slow one must not keep it running
  const checked = strayNotice(app, app.database, app.config.dir).catch(() => undefined);
  const notice = await Promise.race([checked, ended.then(() => undefined)]);
  if (notice !== undefined) warn(`warning: ${notice}`);
}

/** The address of the first open list, as an example; undefined if there is none. */
function exampleUrl({ catalog, code, config }: App, url: string): string | undefined {
  const routed = [...catalog.contentTypes.values()].filter((type) => type.routed);
  const lists = routed.filter(({ kind }) => kind === 'collectionType');
  for (const type of [...lists, ...routed]) {
    const routers = code.routes.get(type.uid) ?? [{ prefix: '', names: new Set(['find']) }];
    const route = routers.find(({ names }) => names.has('find'));
    if (!route || code.closed.has(`${type.uid}.find`)) continue;
    const name = type.kind === 'collectionType' ? type.pluralName : type.singularName;
    return `${url}${config.rest.prefix}${route.prefix}/${name}`;
  }
  return undefined;
}

/** Milliseconds that the database has to close after the requests in flight. */
export const CLOSING = 5000;

/**
 * Closes the project. Requests in flight are cut off after `shutdown.timeout`. If something else holds the process, such
 * as a statement that does not end, the process exits some seconds later.
 *
 * @param watch the watcher of the project's files, which is closed first.
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

/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once. */
export function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      // replaces the listener of main.ts
      process.removeAllListeners(signal);
      process.once(signal, () => {
        if (process.pid === 1) process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}
