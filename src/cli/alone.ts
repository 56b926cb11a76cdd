/** Serves a project from one process. */
import { type App, type OpenOptions, openConfigured } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { Surroundings } from './command.ts';
import { loadSeed } from './seed.ts';
import { announcementOf, endInTime, printAnnouncement, warnOfStrays } from './serving.ts';

interface Task {
  readonly config: Config;
  readonly options: OpenOptions;
  /** Resolves at the first signal. */
  readonly ended: Promise<void>;
  /** Makes the watcher of the project's files; undefined without `--watch`. */
  readonly watchOf: ((app: App) => { open(): void; close(): Promise<void> }) | undefined;
}

/**
 * Serves a project until a signal.
 *
 * @returns the exit code.
 * @throws UsageError in one line for a mistake in the project, its configuration or its database.
 */
export async function serveAlone(
  { config, options, ended, watchOf }: Task,
  surroundings: Surroundings,
): Promise<number> {
  const app = await openConfigured(config, options);
  const watch = watchOf?.(app);
  try {
    const seeded = await loadSeed(app);
    const { url } = await app.listen();
    printAnnouncement(await announcementOf(app, url, seeded), surroundings);
    watch?.open();
    await warnOfStrays(app, ended, surroundings);
    await ended;
  } finally {
    await endInTime(app, watch);
  }
  return 0;
}
