/** A worker: one of several processes that serve a project at one port. */
import cluster from 'node:cluster';
import { type OpenOptions, openConfigured } from '../../app.ts';
import { loadConfig } from '../../config/load.ts';
import { secretsOfNewProject } from '../../new-secrets.ts';
import type { Surroundings } from '../command.ts';
import { loadSeed, NOTHING_SEEDED } from '../seed.ts';
import { announcementOf, endInTime, warnOfStrays } from '../serving.ts';
import { leads, ROLE_VARIABLE, type Role } from './messages.ts';
import { ParentLink } from './parent-link.ts';
import { shareOf } from './shares.ts';
import { removeSignalFile } from './signal-file.ts';

/** The role of this process; undefined if it is not a worker. */
export function roleOf(env: Surroundings['env']): Role | undefined {
  const text = env[ROLE_VARIABLE];
  return cluster.isWorker && text !== undefined ? (JSON.parse(text) as Role) : undefined;
}

interface Task {
  readonly dir: string;
  readonly options: OpenOptions;
  /** Resolves at the first signal. */
  readonly ended: Promise<void>;
}

/**
 * Serves a project with the other workers, until the parent or a signal ends it. The first worker opens the project before
 * the others do, so that the database then matches the schema. All of them listen when all are prepared, so that long-lived
 * connections are spread over them.
 *
 * @returns the exit code.
 * @throws UsageError in one line for a mistake in the project, its configuration or its database.
 */
export async function work(role: Role, { dir, options, ended }: Task, surroundings: Surroundings): Promise<number> {
  const link = new ParentLink(role);
  const end = Promise.race([ended, link.ordered('end')]);
  const { workers, isReplacement, signal } = role;
  // a worker whose parent was killed exits as well (node:cluster), and must remove the file in its place
  process.once('exit', () => {
    if (!process.connected) removeSignalFile(signal);
  });
  try {
    const config = await loadConfig(dir, { ...options, newSecrets: secretsOfNewProject });
    if (!leads(role) && !isReplacement && !(await isBefore(link.ordered('open'), end))) return 0;
    const app = await openConfigured(shareOf(config, workers), options, link.shared());
    try {
      const seeded = leads(role) ? await loadSeed(app) : NOTHING_SEEDED;
      link.send({ kind: 'prepared' });
      if (await isBefore(link.ordered('listen'), end)) {
        const { url } = await app.listen();
        const announcement = await announcementOf(app, url, seeded, workers);
        link.send({ kind: 'serving', url, announcement });
        if (leads(role) && !isReplacement) await warnOfStrays(app, end, surroundings);
        await end;
      }
    } finally {
      await endInTime(app);
    }
    return 0;
  } finally {
    // no more messages can arrive
    process.channel?.unref();
  }
}

/** Whether one promise resolves before the other. */
const isBefore = (one: Promise<void>, other: Promise<void>): Promise<boolean> =>
  Promise.race([one.then(() => true), other.then(() => false)]);
