/**
 * Errors of a project's code that nobody waits for: a promise that is not awaited, a timer that throws. Node ends the
 * process for one; for one of the project's own there is a line in the log instead.
 */
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleLoader } from '../config/modules/loader.ts';
import { PROGRAM_FOLDER } from '../own-files.ts';

/** The code of a project that runs. */
interface Owner {
  readonly loader: Pick<ModuleLoader, 'placeOf'>;
  readonly tell: (error: unknown) => void;
}

const owners = new Set<Owner>();

/** Has errors of some code told to it, until the function that it gives is called. */
export function keepAlive(owner: Owner): () => void {
  if (owners.size === 0) {
    process.on('unhandledRejection', onError);
    process.on('uncaughtException', onError);
  }
  owners.add(owner);
  return () => {
    owners.delete(owner);
    if (owners.size > 0) return;
    process.off('unhandledRejection', onError);
    process.off('uncaughtException', onError);
  };
}

/**
 * What a project's code begins and does not wait for often leaves no line of it in the stack: `fetch`, a write of a
 * document, whatever is no error. Such a promise is the project's. An error that is thrown with the server's own lines in
 * its stack, and none of the project's, is the server's.
 */
function onError(error: unknown, origin: unknown): void {
  const all = [...owners];
  const isThrown = origin === 'uncaughtException';
  const owner =
    all.find(({ loader }) => loader.placeOf(error) !== undefined) ??
    (isThrown && isServers(error) ? undefined : all.at(-1));
  if (owner) {
    owner.tell(error);
    return;
  }
  // none of the project's: the process ends as it would have
  process.off('uncaughtException', onError);
  process.off('unhandledRejection', onError);
  setImmediate(() => {
    throw error;
  });
}

const SERVER = PROGRAM_FOLDER + sep;
const PLACES = [SERVER, pathToFileURL(SERVER).href];

function isServers(error: unknown): boolean {
  const { stack } = (error ?? {}) as { stack?: unknown };
  return typeof stack === 'string' && PLACES.some((place) => stack.includes(place));
}
