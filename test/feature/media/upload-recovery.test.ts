/** What a killed server and a lost connection leave: the file as it was, or as it was to be. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { databaseName } from '../../../src/config/database-config.ts';
import { Incoming } from '../../../src/media/incoming.ts';
import { localStorage } from '../../../src/media/storage/local-storage.ts';
import { putNew } from '../../../src/media/storage/stored-bytes.ts';
import { engines } from '../../support/databases/databases.ts';
import { type S3Server, startS3 } from '../../support/media/s3.ts';
import { formOf, note, type Sent, sample, upload } from '../../support/media/uploads.ts';
import { startProcess } from '../../support/servers/process.ts';
import {
  CONFORMANCE_DIR,
  copyProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

for (const engine of engines) {
  for (const store of ['local', 's3'] as const) {
    describe(`a server that is killed on ${engine.name} with files in ${store}`, () => {
      let s3: S3Server;
      let server: SeededServer;
      let folder: ProjectFolder;
      let env: Record<string, string>;
      let token: string;
      before(async () => {
        s3 = await startS3('public');
        folder = await copyProject(CONFORMANCE_DIR);
        const storeEnv = store === 's3' ? s3.env() : {};
        const databaseFor = async () => {
          const database = await engine.databaseFor(folder);
          env = { ...database.env, ...storeEnv };
          return database;
        };
        server = await serveSeeded({ ...engine, databaseFor }, folder, undefined, storeEnv);
        const { apiTokenSalt, jwtSecret } = server.app.config;
        Object.assign(env, { API_TOKEN_SALT: apiTokenSalt, JWT_SECRET: jwtSecret });
        token = server.secrets['full']!;
      });
      after(async () => {
        await server?.stop();
        await s3?.stop();
      });
      beforeEach(() => {
        s3.refuse = () => undefined;
      });

      const stored = async () => {
        const keys: string[] = [];
        for await (const { key } of server.app.stores.storage.list()) keys.push(key);
        return keys.sort();
      };
      const bytesOf = async (url: string) => {
        const content = await server.app.stores.storage.get(server.app.stores.storage.keyOf(url)!);
        return content ? String(Buffer.concat(await content.toArray())) : undefined;
      };
      const record = async (id: number) => (await server.get(`/api/upload/files/${id}`, token)).body;
      /** Nobody else commits anything of files until it is released. */
      const lock = async () => {
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
        const done = server.app.database.transaction(async (tx) => {
          if (engine.name === 'postgres') await tx.rows('lock table "files" in share mode', []);
          locked();
          await released;
        });
        await isLocked;
        return async () => {
          release();
          await done;
        };
      };

      /** Sends a form to a server that is killed when the bytes are stored and nothing is committed. */
      const sendAndKill = async (files: readonly Sent[], query: string, isStored: () => Promise<boolean>) => {
        const { child, url, ended } = await startProcess(folder.dir, env);
        // where all writers take turns, only after what they do before the bytes
        let release = engine.name === 'postgres' ? await lock() : undefined;
        let waits = release !== undefined;
        let locking: Promise<void> | undefined;
        const begin = () => {
          if (waits) return;
          waits = true;
          locking = lock().then((unlock) => {
            release = unlock;
          });
        };
        s3.refuse = ({ method }) => {
          if (method === 'PUT') begin();
          return undefined;
        };
        const form = formOf(files);
        const headers = { authorization: `Bearer ${token}` };
        const sent = fetch(`${url}/api/upload${query}`, { method: 'POST', headers, body: form }).catch(() => undefined);
        try {
          if (store === 'local') {
            // the image is being worked on
            if (query !== '') await until('the file is held', async () => (await leases()).length > 0);
            else await until('the form is there', () => incoming().some((name) => name.endsWith('file-0')));
            begin();
          }
          await until('the bytes are stored', isStored);
        } finally {
          await locking;
          child.kill('SIGKILL');
          await ended;
          await release?.();
        }
        await sent;
        s3.refuse = () => undefined;
      };
      const leases = async () => server.app.database.rows('select 1 from "galley_file_leases"', []);
      const incoming = () => {
        const uploads = path.join(folder.dir, 'public/uploads/.incoming');
        return existsSync(uploads) ? readdirSync(uploads, { recursive: true, encoding: 'utf8' }) : [];
      };
      const startAndEnd = async () => {
        const next = await startProcess(folder.dir, env);
        next.child.kill();
        const { err } = await next.ended;
        strictEqual(err, '');
      };

      it('between storing and recording an upload leaves nothing after the next start', async () => {
        await upload(server, token, [note()]);
        const before = [await stored(), (await server.get('/api/upload/files', token)).body];
        const count = (await stored()).length;
        // the file and its sizes
        await sendAndKill([sample('landscape.jpg')], '', async () => (await stored()).length === count + 5);
        deepStrictEqual((await server.get('/api/upload/files', token)).body, before[1]);
        await startAndEnd();
        deepStrictEqual([await stored(), (await server.get('/api/upload/files', token)).body], before);
      });

      it('between storing and recording a replacement leaves the old file after the next start', async () => {
        const file = (await upload(server, token, [note('old.txt', 'ORIGINAL')])).body[0];
        const before = await stored();
        await sendAndKill([sample('landscape.jpg')], `?id=${file.id}`, async () => {
          return (await stored()).length === before.length + 4 && (await bytesOf(file.url)) !== 'ORIGINAL';
        });
        deepStrictEqual(await record(file.id), file);
        await startAndEnd();
        deepStrictEqual(await record(file.id), file);
        strictEqual(await bytesOf(file.url), 'ORIGINAL');
        deepStrictEqual(await stored(), before);
        deepStrictEqual(await leases(), []);
        strictEqual((await upload(server, token, [note('n.txt', 'next')], {}, `?id=${file.id}`)).status, 200);
        strictEqual(await bytesOf(file.url), 'next');
      });
    });
  }
}

describe('a connection that is lost at the commit', () => {
  const postgres = engines[1]!;
  let server: SeededServer;
  let behind: RunningServer;
  let folder: ProjectFolder;
  let proxied: Record<string, string>;
  let token: string;
  /** What becomes of the next commit of the server behind the proxy; then of every connection. */
  let fate: 'sent' | 'lost' | undefined;
  let isDown = false;
  let staysDown = false;
  const proxy = createServer((client) => {
    if (isDown) return client.destroy();
    const { hostname, port } = new URL(target);
    const up = connect(Number(port), hostname);
    const cut = () => {
      client.destroy();
      up.destroy();
      cuts.delete(cut);
    };
    cuts.add(cut);
    client.on('data', (data) => {
      if (fate === undefined || !/commit/i.test(data.toString('latin1')) || !wrote.has(client)) {
        if (/insert into "files"|update "files"/.test(data.toString('latin1'))) wrote.add(client);
        up.write(data);
        return;
      }
      isDown = staysDown;
      // the database is not asked over another connection either
      if (isDown) for (const other of cuts) if (other !== cut) other();
      const last = fate;
      fate = undefined;
      if (last === 'lost') return cut();
      // the server has committed when it answers, and nobody is told
      up.removeAllListeners('data');
      up.once('data', cut);
      up.write(data);
    });
    up.on('data', (data) => client.write(data));
    client.on('error', cut).on('close', cut);
    up.on('error', cut).on('close', cut);
  });
  const wrote = new WeakSet<object>();
  /** Ends of the connections that are open. */
  const cuts = new Set<() => void>();
  let target = '';

  before(async () => {
    folder = await copyProject(CONFORMANCE_DIR);
    const databaseFor = async () => {
      const database = await postgres.databaseFor(folder);
      target = database.env['DATABASE_URL']!;
      return database;
    };
    server = await serveSeeded({ ...postgres, databaseFor }, folder);
    await mkdir(path.join(folder.dir, 'public/uploads'), { recursive: true });
    token = server.secrets['full']!;
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = new URL(target);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    proxied = { DATABASE_CLIENT: 'postgres', DATABASE_URL: url.href };
  });
  beforeEach(async () => {
    [isDown, staysDown] = [false, false];
    behind = await serve(folder, { env: proxied, drop: async () => undefined });
  });
  afterEach(() => behind?.app.close());
  after(async () => {
    proxy.close();
    await server?.stop();
  });

  const stored = () =>
    readdirSync(path.join(folder.dir, 'public/uploads'))
      .filter((name) => !name.startsWith('.'))
      .sort();
  const named = async () =>
    (await server.get('/api/upload/files', token)).body.map(({ url }: { url: string }) => path.basename(url)).sort();

  /** Lets connections through again, and waits until the server has one. */
  const comesBack = (): Promise<unknown> => {
    isDown = false;
    return until(
      'the database is asked again',
      async () => (await behind.get('/api/upload/files', token)).status === 200,
    );
  };

  it('leaves an upload that is recorded with its bytes, and of one that is not nothing', async () => {
    for (const [end, more] of [
      ['sent', 1],
      ['lost', 0],
    ] as const) {
      const before = stored();
      fate = end;
      const { status } = await upload(behind, token, [note()]);
      strictEqual(status, 503);
      strictEqual(stored().length, before.length + more);
      deepStrictEqual(stored(), await named());
    }
  });

  it('is an end that may be a rollback for those who wait for one, once', async () => {
    for (fate of ['sent', 'lost'] as const) {
      const ends: string[] = [];
      const written = behind.app.database.transaction(async (tx) => {
        tx.afterCommit(() => ends.push('commit'));
        tx.afterRollback(() => ends.push('rollback'));
        await tx.rows('update "files" set "name" = "name" where false', []);
      });
      await rejects(written, { status: 503 });
      deepStrictEqual([fate, ends], [undefined, ['rollback']]);
    }
  });

  it('leaves a replacement that is recorded with its bytes, and undoes one that is not', async () => {
    for (const end of ['sent', 'lost'] as const) {
      const file = (await upload(server, token, [note('old.txt', 'old')])).body[0];
      fate = end;
      strictEqual((await upload(behind, token, [note('new.txt', 'new')], {}, `?id=${file.id}`)).status, 503);
      const { name } = (await server.get(`/api/upload/files/${file.id}`, token)).body;
      const bytes = (await server.get(file.url)).text;
      deepStrictEqual([name, bytes], end === 'sent' ? ['new.txt', 'new'] : ['old.txt', 'old']);
    }
  });

  it('is settled at the next start if the database does not answer', async () => {
    staysDown = true;
    for (const end of ['sent', 'lost'] as const) {
      const before = stored();
      fate = end;
      strictEqual((await upload(behind, token, [note()])).status, 503);
      strictEqual(stored().length, before.length + 1);
      await comesBack();
    }
    const file = (await upload(server, token, [note('old.txt', 'old')])).body[0];
    fate = 'lost';
    strictEqual((await upload(behind, token, [note('new.txt', 'new')], {}, `?id=${file.id}`)).status, 503);
    await comesBack();
    // by the next process, when this one is gone, and its leases with it
    const { apiTokenSalt, jwtSecret } = server.app.config;
    await makeStale(path.join(folder.dir, 'public/uploads/.incoming'), behind.app.stores.incoming.process);
    await server.app.database.transaction(async (tx) => tx.rows('delete from "galley_file_leases"', []));
    const next = await startProcess(folder.dir, { ...proxied, API_TOKEN_SALT: apiTokenSalt, JWT_SECRET: jwtSecret });
    next.child.kill();
    await next.ended;
    deepStrictEqual(stored(), await named());
    strictEqual((await server.get(file.url)).text, 'old');
  });
});

/** Makes a process's folder that of one which is gone. */
async function makeStale(root: string, name: string): Promise<void> {
  const parts = name.split('~');
  parts[parts.length - 2] = '1';
  await rename(path.join(root, name), path.join(root, parts.join('~')));
}

describe('the folder in which bytes wait', () => {
  it("where others may write is this user's alone, or not used", async (t) => {
    const base = await mkdtemp(path.join(tmpdir(), 'galley-test-'));
    const root = path.join(base, 'incoming');
    const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
    const use = () => new Incoming(root, true).lend(async (folder) => modeOf(path.dirname(path.dirname(folder))));
    strictEqual(await use(), 0o700);
    await chmod(root, 0o777);
    strictEqual(await use(), 0o700);
    await rm(root, { recursive: true });
    const elsewhere = path.join(base, 'elsewhere');
    await mkdir(elsewhere);
    await symlink(elsewhere, root);
    await refused(use());
    await rm(root);
    await mkdir(root);
    if (process.getuid?.() !== 0) return t.skip('no folder can be given away');
    await chown(root, 1, 1);
    await refused(use());
    await rm(base, { recursive: true });
  });

  it('is settled by a server on the same database alone', async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const server = await serveSeeded(engines[0]!, folder);
    const uploads = path.join(folder.dir, 'public/uploads');
    const { incoming } = server.app.stores;
    const root = path.join(uploads, '.incoming');
    const gone = incoming.process.replace(/~\d+~([0-9a-f]+)$/, '~1~$1');
    const leave = async (database: string) => {
      await mkdir(path.join(root, gone, 'upload-1'), { recursive: true });
      const entry = { kind: 'upload', store: 'local', hashes: ['n_0123456789'], keys: ['n_0123456789.txt'] };
      await writeFile(path.join(root, gone, 'upload-1/journal.json'), JSON.stringify({ database, entry }));
    };
    await mkdir(uploads, { recursive: true });
    await writeFile(path.join(uploads, 'n_0123456789.txt'), 'x');
    await leave('another');
    await server.app.media.settle();
    deepStrictEqual([await readdir(root), existsSync(path.join(uploads, 'n_0123456789.txt'))], [[gone], true]);
    await leave(databaseName(server.app.config.database));
    await server.app.media.settle();
    deepStrictEqual([await readdir(root), existsSync(path.join(uploads, 'n_0123456789.txt'))], [[], false]);
    await server.stop();
  });

  it('logs nothing about remaining bytes without a folder that could contain any', async (t) => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-test-'));
    await writeFile(path.join(dir, 'uploads'), 'a file');
    await writeFile(path.join(dir, 'sent'), 'x');
    const lines: string[] = [];
    const mocked = t.mock.method(process.stderr, 'write', (line: string) => lines.push(line) > 0);
    const file = { path: path.join(dir, 'sent'), size: 1, mime: 'text/plain' };
    const about = { name: 'sent', hash: 'key', ext: '', mime: 'text/plain', path: null, size: 0, sizeInBytes: 1 };
    await rejects(putNew(localStorage(path.join(dir, 'uploads')), [{ key: 'key', file, about }]));
    mocked.mock.restore();
    strictEqual(lines.join(''), '');
    await rm(dir, { recursive: true });
  });

  it('has no part in how old a stored file is', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-test-'));
    const file = path.join(dir, 'file');
    await writeFile(file, 'x');
    const old = new Date(Date.now() - 7_200_000);
    await utimes(file, old, old);
    const storage = localStorage(path.join(dir, 'uploads'));
    await storage.put('key', { path: file, size: 1, mime: 'text/plain' });
    ok((await storage.stat('key'))!.modifiedAt > Date.now() - 3_600_000);
    await rm(dir, { recursive: true });
  });
});

async function refused(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => undefined,
    (error: Error) => error,
  );
  ok(error && /belongs to another user/.test(error.message), String(error));
}
