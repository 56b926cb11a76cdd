/** The grown database once more, in a PostgreSQL server of the bench's own. */
import { databaseUrl, FIXTURE_TEMPLATE, runSql, startCluster } from '../test/support/databases/cluster.ts';
import { copyRows } from './copy-rows.ts';

const NAME = 'galley_bench';

export interface LoadedServer {
  /** The database with the rows. */
  readonly url: string;
  /** Makes another one of the same rows and gives its URL. Nobody may be connected to the first. */
  copy(name: string): Promise<string>;
  /** Makes an empty database and gives its URL. */
  create(name: string): Promise<string>;
  /** Does what the server would do by itself after many writes: it has autovacuum off, so that it does it at no other time. */
  tidy(): Promise<void>;
}

/** Starts a server with the rows of an SQLite database of the fixture's layout. */
export async function loadPostgres(source: string): Promise<LoadedServer> {
  const cluster = await startCluster();
  await runSql(cluster.url, `create database ${NAME} template ${FIXTURE_TEMPLATE} strategy file_copy`);
  const url = databaseUrl(cluster.url, NAME);
  await copyRows(source, url);
  return {
    url,
    async copy(name) {
      await runSql(cluster.url, `create database ${name} template ${NAME} strategy file_copy`);
      return databaseUrl(cluster.url, name);
    },
    async create(name) {
      await runSql(cluster.url, `create database ${name}`);
      return databaseUrl(cluster.url, name);
    },
    tidy: () => runSql(url, 'vacuum analyze'),
  };
}
