/** Serving a project from this process alone. */
import { type App, type OpenOptions, openConfigured } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { Surroundings } from './command.ts';
import { loadSeed } from './seed.ts';
import { announcementOf, endInTime, lookForStrays, say } from './serving.ts';

export interface Task {
  readonly config: Config;
  readonly options: OpenOptions;
  /** Resolves at the first signal to end. */
  readonly ended: Promise<void>;
  /** Makes what looks at the project's files while they are served; undefined where nothing does. */
  readonly watchOf: ((app: App) => { open(): void; close(): Promise<void> }) | undefined;
}

/**
 * Serves a project until a signal ends it, and gives the exit code.
 *
 * @throws UsageError in one line for whatever is wrong with the project, its configuration or its database.
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
    say(await announcementOf(app, url, seeded), surroundings);
    watch?.open();
    await lookForStrays(app, ended, surroundings);
    await ended;
  } finally {
    await endInTime(app, watch);
  }
  return 0;
}
