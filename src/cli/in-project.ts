/** How commands work on the tables of a project: it is opened, and closed whatever happens. */
import { type App, type OpenOptions, openProject } from '../app.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { secretsIfNew, secretsOfNewProject } from '../new-secrets.ts';
import { type Surroundings, WORKING_FOLDER } from './command.ts';
import { newDatabase } from './serving.ts';

/** What opening a project takes of a command's surroundings. */
type Opening = Pick<Surroundings, 'env' | 'warn'> &
  Pick<OpenOptions, 'overrides'> & {
    /** Whether the command creates or checks secrets, or runs code of the project that may. */
    readonly usesSecrets?: boolean;
  };

/** Opens a project (the working folder's, without a `dir`), runs something that reads its tables, and closes it. */
export async function inProject<T>(
  dir: string | undefined,
  { env, warn, overrides, usesSecrets = false }: Opening,
  work: (app: App, db: Queryable) => Promise<T>,
): Promise<T> {
  const newSecrets = usesSecrets ? secretsOfNewProject : secretsIfNew;
  const app = await openProject(dir ?? WORKING_FOLDER, { env, overrides, newSecrets });
  try {
    const made = newDatabase(app);
    if (made !== undefined) warn(made);
    for (const sentence of app.granted) warn(sentence);
    return await work(app, app.database);
  } finally {
    await app.close();
  }
}

/** The same for something that changes them, in one transaction. */
export function changeProject<T>(
  dir: string | undefined,
  opening: Opening,
  work: (app: App, tx: Transaction) => Promise<T>,
): Promise<T> {
  return inProject(dir, opening, (app) => app.database.transaction((tx) => work(app, tx)));
}
