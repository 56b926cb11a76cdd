/** The engines that every feature test runs on, and databases to run it against. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONFORMANCE_DIR, type ProjectFolder } from '../servers/project.ts';
import { databaseUrl, FIXTURE_TEMPLATE, KeptConnection, startCluster } from './cluster.ts';
import { COMMON_TEMPLATE, makeTemplates, SCENARIO_TEMPLATE } from './templates.ts';

export interface TestDatabase {
  /** Environment variables that make a project use this database. */
  readonly env: Record<string, string>;
  /** Removes it; connections that are still open are ended. */
  drop(): Promise<void>;
}

/** One that an engine made for a test. */
interface EngineDatabase extends TestDatabase {
  /** Waits until nobody has a connection to it: whatever was sent over one has been done by then, or never will be. */
  released(): Promise<void>;
}

export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** A database without any table. */
  emptyDatabase(): Promise<EngineDatabase>;
  /**
   * A database for a project where starting on an empty one is not the subject: with the tables that can be known
   * beforehand, if making them takes the engine long.
   */
  databaseFor(project: ProjectFolder): Promise<EngineDatabase>;
  /** A copy of the database of `test/fixtures/strapi-project`. */
  fixtureDatabase(): Promise<EngineDatabase>;
}

const FIXTURE_FILE = path.join(import.meta.dirname, '../../fixtures/strapi-project/database/data.db');

async function sqliteFile(source: string | undefined): Promise<EngineDatabase> {
  const dir = await mkdtemp(path.join(tmpdir(), 'galley-sqlite-'));
  const filename = path.join(dir, 'content.db');
  if (source) await copyFile(source, filename);
  return {
    env: { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: filename },
    released: () => Promise.resolve(),
    drop: () => rm(dir, { recursive: true, force: true }),
  };
}

let ownCluster: Promise<string> | undefined;

/** The server of the test run, or, when a file runs alone, one of this process. */
function clusterUrl(): Promise<string> {
  const shared = process.env['GALLEY_TEST_POSTGRES'];
  if (shared) return Promise.resolve(shared);
  ownCluster ??= startCluster().then(async ({ url }) => {
    await makeTemplates(url);
    return url;
  });
  return ownCluster;
}

let administration: KeptConnection | undefined;

async function postgresDatabase(template: string | undefined): Promise<EngineDatabase> {
  const cluster = await clusterUrl();
  administration ??= new KeptConnection(cluster);
  const kept = administration;
  const name = `galley_test_${randomBytes(6).toString('hex')}`;
  const source = template ? ` template ${template}` : '';
  // half the work of writing the copy into the log
  await kept.run(`create database ${name}${source} strategy file_copy`);
  const clients = `select from pg_stat_activity where datname = '${name}' and backend_type = 'client backend'`;
  return {
    env: { DATABASE_CLIENT: 'postgres', DATABASE_URL: databaseUrl(cluster, name) },
    released: () => kept.untilNone(clients),
    drop: async () => void (await kept.run(`drop database if exists ${name} with (force)`)),
  };
}

/** Both engines; a feature test is `for (const engine of engines) describe(engine.name, …)`. */
export const engines: readonly Engine[] = [
  {
    name: 'sqlite',
    emptyDatabase: () => sqliteFile(undefined),
    databaseFor: () => sqliteFile(undefined),
    fixtureDatabase: () => sqliteFile(FIXTURE_FILE),
  },
  {
    name: 'postgres',
    emptyDatabase: () => postgresDatabase(undefined),
    databaseFor: ({ source }) => postgresDatabase(source === CONFORMANCE_DIR ? SCENARIO_TEMPLATE : COMMON_TEMPLATE),
    fixtureDatabase: () => postgresDatabase(FIXTURE_TEMPLATE),
  },
];
