/** Runs once per `node --test --test-global-setup=…`: what all test files share. */
import { mkdtempSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Cluster } from './databases/cluster.ts';

let cluster: Cluster | undefined;
let compiled: string | undefined;

/**
 * Keeps compiled modules for the test processes, since stripping the types of all of them takes longer than most files
 * take for their tests, and starts one PostgreSQL server for all, whose URL it hands to them.
 */
export async function globalSetup(): Promise<void> {
  if (process.env['NODE_COMPILE_CACHE'] === undefined) {
    compiled = mkdtempSync(path.join(tmpdir(), 'galley-compiled-'));
    process.on('exit', forget);
    process.env['NODE_COMPILE_CACHE'] = compiled;
    module.enableCompileCache(compiled);
  }
  // loaded now, so that they are kept
  const { startCluster } = await import('./databases/cluster.ts');
  const { makeTemplates } = await import('./databases/templates.ts');
  cluster = await startCluster();
  await makeTemplates(cluster.url);
  module.flushCompileCache();
  process.env['GALLEY_TEST_POSTGRES'] = cluster.url;
}

/** Ends the server, and forgets what was compiled. */
export function globalTeardown(): void {
  cluster?.stop();
  forget();
}

function forget(): void {
  if (compiled !== undefined) rmSync(compiled, { recursive: true, force: true, maxRetries: 5 });
}
