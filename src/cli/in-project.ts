/** How commands work on the tables of a project: it is opened, and closed whatever happens. */
import { type App, openProject } from '../app.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Transaction } from '../db/transaction.ts';
import { type Surroundings, WORKING_FOLDER } from './command.ts';

/** Opens a project (the working folder's, without a `dir`), runs something that reads its tables, and closes it. */
export async function inProject<T>(
  dir: string | undefined,
  env: Surroundings['env'],
  work: (app: App, db: Queryable) => Promise<T>,
): Promise<T> {
  const app = await openProject(dir ?? WORKING_FOLDER, { env });
  try {
    return await work(app, app.database);
  } finally {
    await app.close();
  }
}

/** The same for something that changes them, in one transaction. */
export function changeProject<T>(
  dir: string | undefined,
  env: Surroundings['env'],
  work: (app: App, tx: Transaction) => Promise<T>,
): Promise<T> {
  return inProject(dir, env, (app) => app.database.transaction((tx) => work(app, tx)));
}
