/**
 * Errors of a project's code that nobody waits for: a promise that is not awaited, a timer that throws. Node ends the
 * process for one; for one of the project's own there is a line in the log instead.
 */
import type { ModuleLoader } from '../../config/modules/loader.ts';

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

function onError(error: unknown): void {
  const owner = [...owners].find(({ loader }) => loader.placeOf(error) !== undefined);
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
