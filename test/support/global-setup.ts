/** The setup that all test files share, once per run of the tests. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Cluster } from './databases/cluster.ts';

/** A file system in memory, where there is one. */
const MEMORY = '/dev/shm';
/** Bytes that must be free there: a whole run takes a fraction of them. */
const ROOM = 3e9;

let cluster: Cluster | undefined;
let folder: string | undefined;

/**
 * Gives the run a folder for all that it writes, in memory if possible: a copy of a PostgreSQL database is a thousand
 * files, and takes the processor several times as long on a disk. Keeps compiled modules there for the test processes,
 * since stripping the types of all of them takes longer than most files take for their tests, and starts one PostgreSQL
 * server for all, whose URL it hands to them. Where many files run, it bundles the program for those that start it.
 */
export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(path.join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'galley-tests-'));
  // PostgreSQL may run as another user
  chmodSync(folder, 0o711);
  process.on('exit', forget);
  process.env['TMPDIR'] = folder;
  if (process.env['NODE_COMPILE_CACHE'] === undefined) {
    const compiled = path.join(folder, 'compiled');
    process.env['NODE_COMPILE_CACHE'] = compiled;
    module.enableCompileCache(compiled);
  }
  // loaded now, so that they are kept
  const { startCluster } = await import('./databases/cluster.ts');
  const { makeTemplates } = await import('./databases/templates.ts');
  cluster = await startCluster();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // before the server's own, which ends the process
    process.prependOnceListener(signal, globalTeardown);
  }
  await makeTemplates(cluster.url);
  if (process.env['GALLEY_TEST_BUNDLED'] !== undefined) {
    const { bundleProgram } = await import('./servers/bundled-program.ts');
    process.env['GALLEY_TEST_PROGRAM'] = await bundleProgram(path.join(folder, 'package'));
  }
  module.flushCompileCache();
  process.env['GALLEY_TEST_POSTGRES'] = cluster.url;
}

/** Ends the server, and forgets all that was written. */
export function globalTeardown(): void {
  cluster?.stop();
  forget();
}

function forget(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function hasRoom(dir: string): boolean {
  if (!existsSync(dir)) return false;
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize > ROOM;
}
