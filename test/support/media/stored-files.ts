/** The bytes that records name, for projects whose folder and database do not come from one place. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openProject } from '../../../src/app.ts';
import { namedFiles } from '../../../src/media/doctor.ts';
import type { TestDatabase } from '../databases/databases.ts';
import type { ProjectFolder } from '../servers/project.ts';

/** Makes `public/uploads` hold a file for each address that the database names, and nothing else. */
export async function storeNamedFiles({ dir }: ProjectFolder, { env }: TestDatabase): Promise<void> {
  const folder = path.join(dir, 'public/uploads');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const app = await openProject(dir, { env });
  try {
    for await (const { url } of namedFiles(app.database)) await writeFile(path.join(folder, path.basename(url)), url);
  } finally {
    await app.close();
  }
}
