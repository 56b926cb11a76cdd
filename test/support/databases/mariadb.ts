/** A server of MariaDB for tests, where one is installed: `apt-get install mariadb-server`. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { freePort } from '../servers/free-port.ts';
import { until } from '../wait.ts';

const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/bin'];
const programOf = (name: string): string | undefined =>
  FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file));

const [SERVER, INSTALL] = [programOf('mariadbd'), programOf('mariadb-install-db')];
export const hasMariaDb = SERVER !== undefined && INSTALL !== undefined;

export interface MariaDb {
  /** The address of a database. */
  address(name: string): string;
  /** Creates a database from a dump. */
  load(name: string, dump: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server in a folder of its own. Only where `hasMariaDb`. */
export async function startMariaDb(): Promise<MariaDb> {
  const folder = mkdtempSync(path.join(tmpdir(), 'galley-mariadb-'));
  const data = path.join(folder, 'data');
  const port = await freePort();
  const account = process.getuid?.() === 0 ? ['--user=root'] : [];
  const settings = ['--no-defaults', `--datadir=${data}`, ...account];
  const noRights = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  execFileSync(INSTALL!, [...settings, ...noRights], { stdio: 'ignore' });
  const quick = ['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=32M', '--skip-grant-tables'];
  const place = [`--socket=${path.join(folder, 's')}`, `--port=${port}`, '--bind-address=127.0.0.1'];
  const server = spawn(SERVER!, [...settings, ...place, ...quick], { stdio: 'ignore' });
  const address = (name: string): string => `mysql://root@127.0.0.1:${port}/${name}`;
  const run = async (text: string, name = ''): Promise<void> => {
    const connection = await createConnection({ uri: address(name), multipleStatements: true });
    try {
      await connection.query(text);
    } finally {
      await connection.end();
    }
  };
  await until('the server answers', () =>
    run('select 1').then(
      () => true,
      () => false,
    ),
  );
  return {
    address,
    async load(name, dump) {
      await run(`create database ${name} character set utf8mb4`);
      await run(dump, name);
    },
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
