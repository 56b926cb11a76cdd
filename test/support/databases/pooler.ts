/**
 * PgBouncer between a program and its database, in transaction mode: few connections to the server, which whoever has a
 * transaction takes for as long. The program is one of the machine's own, where it has one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../servers/free-port.ts';
import { until } from '../wait.ts';
import { unprivileged } from './cluster.ts';
import type { TestDatabase } from './databases.ts';

/** What skips a test that wants one; undefined where it can be had. */
export const NO_POOLER = hasPooler() ? undefined : 'there is no pgbouncer on this machine';

/** Connections that it has to the server. */
export const POOLER_CONNECTIONS = 3;

export interface Pooler {
  /** The database by way of it. */
  readonly env: Record<string, string>;
  stop(): void;
}

function hasPooler(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore', env: environment() });
    return true;
  } catch {
    return false;
  }
}

/** Debian has it where only its administrator looks. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts one in front of a database's server. */
export async function startPooler({ env }: Pick<TestDatabase, 'env'>): Promise<Pooler> {
  const url = new URL(env['DATABASE_URL']!);
  const port = await freePort();
  const server = `host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`;
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: POOLER_CONNECTIONS,
    max_client_conn: 100,
    ignore_startup_parameters: 'options',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'galley-pooler-'));
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(file, `[databases]\n* = ${server}\n[pgbouncer]\n${lines.join('\n')}\n`);
  // it does not run as root
  const account = unprivileged();
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
  const child = spawn('pgbouncer', ['-q', file], { ...account, stdio: 'ignore', env: environment() });
  running.add(child);
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String(port);
  const stop = () => {
    running.delete(child);
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  await once(child, 'spawn');
  await until('the pooler takes connections', () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    return answers(own.href);
  });
  return { env: { ...env, DATABASE_URL: own.href }, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
