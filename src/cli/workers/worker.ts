/** A worker: one of several processes that serve a project at one port. */
import cluster from 'node:cluster';
import { type OpenOptions, openConfigured } from '../../app.ts';
import { loadConfig } from '../../config/load.ts';
import { secretsOfNewProject } from '../../new-secrets.ts';
import type { Surroundings } from '../command.ts';
import { loadSeed, NOTHING_SEEDED } from '../seed.ts';
import { announcementOf, endInTime, lookForStrays } from '../serving.ts';
import { leads, ROLE_VARIABLE, type Role } from './messages.ts';
import { ParentLink } from './parent-link.ts';
import { shareOf } from './shares.ts';
import { removeSignalFile } from './signal-file.ts';

/** What this process is among several; undefined for one that serves alone. */
export function roleOf(env: Surroundings['env']): Role | undefined {
  const text = env[ROLE_VARIABLE];
  return cluster.isWorker && text !== undefined ? (JSON.parse(text) as Role) : undefined;
}

interface Task {
  readonly dir: string;
  readonly options: OpenOptions;
  /** Resolves at the first signal to end. */
  readonly ended: Promise<void>;
}

/**
 * Serves a project with the other workers, until the parent or a signal ends it, and gives the exit code. The first
 * worker opens the project before the others do: by then the database is what the schema says. All listen when all are
 * prepared, so that clients who keep their connections are spread over them.
 *
 * @throws UsageError in one line for whatever is wrong with the project, its configuration or its database.
 */
export async function work(role: Role, { dir, options, ended }: Task, surroundings: Surroundings): Promise<number> {
  const link = new ParentLink(role);
  const end = Promise.race([ended, link.told('end')]);
  const { workers, isReplacement, signal } = role;
  // a worker whose parent was killed ends as well (node:cluster), and nobody else is left to remove the file
  process.once('exit', () => {
    if (!process.connected) removeSignalFile(signal);
  });
  try {
    const config = await loadConfig(dir, { ...options, newSecrets: secretsOfNewProject });
    if (!leads(role) && !isReplacement && !(await isBefore(link.told('open'), end))) return 0;
    const app = await openConfigured(shareOf(config, workers), options, link.shared());
    try {
      const seeded = leads(role) ? await loadSeed(app) : NOTHING_SEEDED;
      link.send({ kind: 'prepared' });
      if (await isBefore(link.told('listen'), end)) {
        const { url } = await app.listen();
        const announcement = await announcementOf(app, url, seeded, workers);
        link.send({ kind: 'serving', url, announcement });
        if (leads(role) && !isReplacement) await lookForStrays(app, end, surroundings);
        await end;
      }
    } finally {
      await endInTime(app);
    }
    return 0;
  } finally {
    // nothing is left to be told
    process.channel?.unref();
  }
}

/** Whether one of two comes before the other. */
const isBefore = (one: Promise<void>, other: Promise<void>): Promise<boolean> =>
  Promise.race([one.then(() => true), other.then(() => false)]);
