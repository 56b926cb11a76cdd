/** Runs once per `node --test --test-global-setup=…`: one PostgreSQL server for all test files. */
import { type Cluster, startCluster } from './databases/cluster.ts';

let cluster: Cluster | undefined;

/** Starts the server and hands its URL to the test processes. */
export async function globalSetup(): Promise<void> {
  cluster = await startCluster();
  process.env['GALLEY_TEST_POSTGRES'] = cluster.url;
}

/** Ends the server. */
export function globalTeardown(): void {
  cluster?.stop();
}
