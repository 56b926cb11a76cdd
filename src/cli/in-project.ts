/** Opens a project for a command, and closes it in any case. */
import { type App, type OpenOptions, openProject } from '../app.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { secretsIfNew, secretsOfNewProject } from '../new-secrets.ts';
import { type Surroundings, WORKING_FOLDER } from './command.ts';
import { newDatabase } from './new-database.ts';

type Opening = Pick<Surroundings, 'env' | 'warn'> &
  Pick<OpenOptions, 'overrides'> & {
    /** Whether the command creates or checks secrets, or runs project code that may do so. */
    readonly usesSecrets?: boolean;
  };

/** Opens a project, by default that of the working folder, runs `work` with its database, and closes it. */
export async function inProject<T>(
  dir: string | undefined,
  { env, warn, overrides, usesSecrets = false }: Opening,
  work: (app: App, db: Queryable) => Promise<T>,
): Promise<T> {
  const newSecrets = usesSecrets ? secretsOfNewProject : secretsIfNew;
  const app = await openProject(dir ?? WORKING_FOLDER, { env, overrides, newSecrets });
  try {
    const created = newDatabase(app);
    if (created !== undefined) warn(created);
    for (const sentence of app.granted) warn(sentence);
    return await work(app, app.database);
  } finally {
    await app.close();
  }
}

/** The same in one transaction. */
export function changeProject<T>(
  dir: string | undefined,
  opening: Opening,
  work: (app: App, tx: Transaction) => Promise<T>,
): Promise<T> {
  return inProject(dir, opening, (app) => app.database.transaction((tx) => work(app, tx)));
}
