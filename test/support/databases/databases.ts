/** The engines that every feature test runs on, and databases to run it against. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseUrl, FIXTURE_TEMPLATE, runSql, startCluster } from './cluster.ts';

export interface TestDatabase {
  /** Environment variables that make a project use this database. */
  readonly env: Record<string, string>;
  /** Removes it; connections that are still open are ended. */
  drop(): Promise<void>;
}

export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** A database without any table. */
  emptyDatabase(): Promise<TestDatabase>;
  /** A copy of the database of `test/fixtures/strapi-project`. */
  fixtureDatabase(): Promise<TestDatabase>;
}

const FIXTURE_FILE = path.join(import.meta.dirname, '../../fixtures/strapi-project/database/data.db');

async function sqliteFile(source: string | undefined): Promise<TestDatabase> {
  const dir = await mkdtemp(path.join(tmpdir(), 'galley-sqlite-'));
  const filename = path.join(dir, 'content.db');
  if (source) await copyFile(source, filename);
  return {
    env: { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: filename },
    drop: () => rm(dir, { recursive: true, force: true }),
  };
}

let ownCluster: Promise<string> | undefined;

/** The server of the test run, or, when a file runs alone, one of this process. */
function clusterUrl(): Promise<string> {
  const shared = process.env['GALLEY_TEST_POSTGRES'];
  if (shared) return Promise.resolve(shared);
  ownCluster ??= startCluster().then((cluster) => cluster.url);
  return ownCluster;
}

async function postgresDatabase(template: string | undefined): Promise<TestDatabase> {
  const cluster = await clusterUrl();
  const name = `galley_test_${randomBytes(6).toString('hex')}`;
  const source = template ? ` template ${template} strategy file_copy` : '';
  await runSql(cluster, `create database ${name}${source}`);
  return {
    env: { DATABASE_CLIENT: 'postgres', DATABASE_URL: databaseUrl(cluster, name) },
    drop: () => runSql(cluster, `drop database if exists ${name} with (force)`),
  };
}

/** Both engines; a feature test is `for (const engine of engines) describe(engine.name, …)`. */
export const engines: readonly Engine[] = [
  {
    name: 'sqlite',
    emptyDatabase: () => sqliteFile(undefined),
    fixtureDatabase: () => sqliteFile(FIXTURE_FILE),
  },
  {
    name: 'postgres',
    emptyDatabase: () => postgresDatabase(undefined),
    fixtureDatabase: () => postgresDatabase(FIXTURE_TEMPLATE),
  },
];
