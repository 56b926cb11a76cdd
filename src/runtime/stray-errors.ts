/**
 * Unhandled errors of a project's code: a promise without an await, a timer that throws. Node ends the process for
 * them; errors of the project are logged instead.
 */
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleLoader } from '../config/modules/loader.ts';
import { PROGRAM_FOLDER } from '../own-files.ts';

/** The code of a project that runs. */
interface Owner {
  readonly loader: Pick<ModuleLoader, 'placeOf'>;
  readonly report: (error: unknown) => void;
}

const owners = new Set<Owner>();

/** Receives unhandled errors of some code until the returned function is called. */
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
 * Work of a project's code without an await often has no line of the code in its stack: `fetch`, a write of a document,
 * a rejection with no error. Such a promise is the project's. An error with lines of the server in its stack, and none
 * of the project, is the server's.
 */
function onError(error: unknown, origin: unknown): void {
  const all = [...owners];
  const isThrown = origin === 'uncaughtException';
  const owner =
    all.find(({ loader }) => loader.placeOf(error) !== undefined) ??
    (isThrown && isServers(error) ? undefined : all.at(-1));
  if (owner) {
    owner.report(error);
    return;
  }
  // not of the project: the process ends as usual
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
