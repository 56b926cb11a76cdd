/** A project whose code keeps it from starting. */
import { rejects } from 'node:assert/strict';
import { openProject } from '../../../src/app.ts';
import type { Engine } from '../databases/databases.ts';
import { makeProject, type ProjectFiles } from '../servers/project.ts';

/** Starts a server that is not to start. @param message what it is to say. */
export async function refusesToStart(engine: Engine, project: ProjectFiles, message: RegExp): Promise<void> {
  const folder = await makeProject(project);
  const database = await engine.databaseFor(folder);
  const app = await openProject(folder.dir, { env: database.env, overrides: { port: 0, host: '127.0.0.1' } });
  try {
    await rejects(app.listen(), { message });
  } finally {
    await app.close();
    await database.drop();
    await folder.remove();
  }
}
