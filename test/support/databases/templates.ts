/** Databases with tables, created once on the tests' PostgreSQL server and copied for tests of other subjects. */
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { migrate } from '../../../src/db/migration/migrate.ts';
import { layOut } from '../../../src/schema/layout/layout.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { CONFORMANCE_DIR, contentType, makeProject } from '../servers/project.ts';
import { databaseUrl, runSql } from './cluster.ts';
import { openPlain } from './plain-database.ts';

/** With the tables of the scenarios' project. */
export const SCENARIO_TEMPLATE = 'galley_scenarios';
/** With the tables that every project has. */
export const COMMON_TEMPLATE = 'galley_common';

/** Makes the templates on a new server. */
export async function makeTemplates(clusterUrl: string): Promise<void> {
  await makeTables(clusterUrl, SCENARIO_TEMPLATE, CONFORMANCE_DIR);
  // no project is without a type of its own
  const project = await makeProject({ contentTypes: { only: contentType('only', { name: { type: 'string' } }) } });
  await makeTables(clusterUrl, COMMON_TEMPLATE, project.dir);
  await runSql(databaseUrl(clusterUrl, COMMON_TEMPLATE), 'drop table onlys');
  await project.remove();
}

async function makeTables(clusterUrl: string, name: string, dir: string): Promise<void> {
  await runSql(clusterUrl, `create database ${name}`);
  const { database, engine } = await openPlain({ env: { DATABASE_URL: databaseUrl(clusterUrl, name) } });
  try {
    await migrate(database, layOut(loadCatalog(dir)), { engine, createId: createDocumentId });
  } finally {
    await database.close();
  }
}
