/** Who may change a file: one at a time, of all processes on a database. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FileLeases, LEASE_TIMES } from '../../../src/media/safety/file-lease.ts';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, traces, upload } from '../../support/media/uploads.ts';
import { startProcess } from '../../support/servers/process.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder, withoutTrash } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

/** A promise that somebody else resolves. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

for (const engine of engines) {
  describe(`leases of files on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    let env: Record<string, string>;
    let token: string;
    before(async () => {
      folder = await withoutTrash(await copyProject(CONFORMANCE_DIR));
      const databaseFor = async () => {
        const database = await engine.databaseFor(folder);
        env = database.env;
        return database;
      };
      server = await serveSeeded({ ...engine, databaseFor }, folder);
      token = server.secrets['full']!;
    });
    after(() => server?.stop());

    const leasesOf = (process: string, times = LEASE_TIMES) => new FileLeases(server.app.database, process, times);
    const statement = (text: string) => server.app.database.transaction(async (tx) => tx.rows(text, []));
    const rows = async () =>
      (await server.app.database.rows('select "file_id" from "galley_file_leases" order by 1', [])).map(([id]) => id);
    const unavailable = { name: 'ServiceUnavailableError' };
    /** Names of the files that wait to be stored, or are kept. */
    const left = async () =>
      (await readdir(path.join(folder.dir, 'public/uploads/.incoming'), { recursive: true }))
        .map((name) => path.basename(name))
        .filter((name) => /^(?:file|backup|journal)/.test(name))
        .sort();

    it('one process waits for another with the same file, and not with another file', async () => {
      const [one, other] = [leasesOf('one'), leasesOf('other')];
      const events: string[] = [];
      const release = gate();
      const first = one.withFile(1, async () => {
        events.push('first');
        await release.passed;
        events.push('first ends');
      });
      await until('it is held', async () => (await rows()).length === 1);
      const second = other.withFile(1, async () => void events.push('second'));
      await other.withFile(2, async () => void events.push('another file'));
      release.open();
      await Promise.all([first, second]);
      deepStrictEqual(events, ['first', 'another file', 'first ends', 'second']);
      deepStrictEqual(await rows(), []);
    });

    // on SQLite it is refused at once, as whoever has it could not write
    const waits = { skip: engine.name === 'sqlite' };
    it('a transaction that waits for it does not keep its holder from ending it', waits, async () => {
      const { database } = server.app;
      const events: string[] = [];
      const [release, asked] = [gate(), gate()];
      const first = leasesOf('one').withFile(1, async (lease) => {
        await release.passed;
        await database.transaction((tx) => lease.confirm(tx));
        events.push('first ends');
      });
      await until('it is held', async () => (await rows()).length === 1);
      const second = database.transaction(async (tx) => {
        const joined = leasesOf('other', { ...LEASE_TIMES, poll: 1 }).withFile(
          1,
          async () => void events.push('second'),
          tx,
        );
        await tx.rows('select 1', []);
        asked.open();
        await joined;
      });
      await asked.passed;
      release.open();
      await Promise.all([first, second]);
      deepStrictEqual(events, ['first ends', 'second']);
      deepStrictEqual(await rows(), []);
    });

    it('many processes at once have it one after another', async () => {
      let inside = 0;
      let done = 0;
      const work = async () => {
        strictEqual(++inside, 1);
        await new Promise(setImmediate);
        inside--;
        done++;
      };
      await Promise.all(Array.from({ length: 8 }, (_, n) => leasesOf(`process ${n}`).withFile(1, work)));
      strictEqual(done, 8);
    });

    it('a lease that is not returned is awaited for a limited time', async () => {
      const release = gate();
      const held = leasesOf('one').withFile(1, () => release.passed);
      await until('it is held', async () => (await rows()).length === 1);
      await rejects(
        leasesOf('other', { ...LEASE_TIMES, poll: 1, wait: 5 }).withFile(1, async () => undefined),
        unavailable,
      );
      release.open();
      await held;
    });

    it('the lease of an ended process expires, or ends with its other leases', async () => {
      const insert = (until: number) => {
        const { dialect } = server.app.database;
        const text = `insert into "galley_file_leases" ("file_id", "owner", "until")
          values (1, 'gone%_~1 abc', ${dialect.placeholder(1)})`;
        return server.app.database.transaction(async (tx) => tx.rows(text, [dialect.encodeTime(until)]));
      };
      await insert(Date.now() - 1);
      strictEqual(await leasesOf('one').withFile(1, async () => 'mine'), 'mine');
      await insert(Date.now() + 1_000_000);
      for (const other of ['gone', 'gone%_~', 'gone%_~2', '%']) await leasesOf('one').endOf(other);
      deepStrictEqual(await rows(), [1]);
      await leasesOf('one').endOf('gone%_~1');
      strictEqual(await leasesOf('one').withFile(1, async () => 'mine'), 'mine');
    });

    it('it lasts as long as the work, and a holder that loses it gets an error', async () => {
      const times = { ...LEASE_TIMES, good: 60_000, renewed: 5 };
      const endOf = async () =>
        String((await server.app.database.rows('select "until" from "galley_file_leases"', []))[0]);
      await leasesOf('one', times).withFile(1, async (lease) => {
        const first = await endOf();
        await until('it is renewed', async () => (await endOf()) !== first);
        lease.require();
        await server.app.database.transaction((tx) => lease.confirm(tx));
        await statement(`update "galley_file_leases" set "owner" = 'somebody else'`);
        await rejects(
          server.app.database.transaction((tx) => lease.confirm(tx)),
          unavailable,
        );
        await rejects(async () => lease.require(), unavailable);
      });
      // the other's stays
      deepStrictEqual(await rows(), [1]);
      await statement('delete from "galley_file_leases"');
      await leasesOf('one', times).withFile(1, async (lease) => {
        await statement('delete from "galley_file_leases"');
        await until('the renewal finds out', () => {
          try {
            lease.require();
            return false;
          } catch {
            return true;
          }
        });
      });
    });

    it('replacing, changing and removing a file wait for another process that has it', async () => {
      const file = (await upload(server, token, [note('n.txt', 'old')])).body[0];
      const record = async () => (await server.get(`/api/upload/files/${file.id}`, token)).body;
      const requests = [
        () => upload(server, token, [note('new.txt', 'new')], {}, `?id=${file.id}`),
        () => upload(server, token, [], { fileInfo: { caption: 'c' } }, `?id=${file.id}`),
        () => server.request('DELETE', `/api/upload/files/${file.id}`, { token }),
      ];
      for (const send of requests) {
        const before = await record();
        const bytes = (await server.get(file.url)).text;
        const release = gate();
        const held = leasesOf('another').withFile(file.id, () => release.passed);
        await until('it is held', async () => (await rows()).length === 1);
        let isAnswered = false;
        const answer = send().finally(() => {
          isAnswered = true;
        });
        // others are served meanwhile
        for (let n = 0; n < 5; n++) strictEqual((await upload(server, token, [note()])).status, 201);
        deepStrictEqual([isAnswered, await record(), (await server.get(file.url)).text], [false, before, bytes]);
        release.open();
        await held;
        strictEqual((await answer).status, 200);
      }
      strictEqual((await server.get(file.url)).status, 404);
    });

    it('a replacement that loses the file to another process is refused and changes nothing of the record', async () => {
      const file = (await upload(server, token, [note('n.txt', 'old')])).body[0];
      const { storage } = server.app.stores;
      const { put } = storage;
      storage.put = async (key, local) => {
        await put(key, local);
        await statement(`update "galley_file_leases" set "owner" = 'somebody else'`);
      };
      const answer = await upload(server, token, [note('new.txt', 'new')], {}, `?id=${file.id}`);
      storage.put = put;
      strictEqual(answer.status, 503);
      strictEqual((await server.get(`/api/upload/files/${file.id}`, token)).body.name, 'n.txt');
      // the bytes may be the other's by now: what they were is kept for the next start
      deepStrictEqual(await left(), ['backup-0', 'journal.json']);
      await statement('delete from "galley_file_leases"');
    });

    it('of two servers that replace and remove one file, record and bytes are always of one request', async () => {
      const { apiTokenSalt, jwtSecret } = server.app.config;
      const other = await startProcess(folder.dir, { ...env, API_TOKEN_SALT: apiTokenSalt, JWT_SECRET: jwtSecret });
      try {
        const headers = { authorization: `Bearer ${token}` };
        const there = (method: string, target: string, body?: FormData) =>
          fetch(`${other.url}/api/upload${target}`, { method, headers, ...(body ? { body } : {}) });
        const [short, long] = [note('a.txt', 'a'.repeat(1000)), note('b.txt', 'b'.repeat(200_000))];
        for (let round = 0; round < 10; round++) {
          const { id, url } = (await upload(server, token, [note()])).body[0];
          const answers = await Promise.all([
            upload(server, token, [short], {}, `?id=${id}`),
            there('POST', `?id=${id}`, formOf([long])),
          ]);
          deepStrictEqual(
            answers.map(({ status }) => status),
            [200, 200],
          );
          const { size } = (await server.get(`/api/upload/files/${id}`, token)).body;
          strictEqual((await server.get(url)).text.length, size * 1000);
          const { files } = await traces(server);
          const [, removed] = await Promise.all([
            upload(server, token, [short], {}, `?id=${id}`),
            there('DELETE', `/files/${id}`),
          ]);
          strictEqual(removed.status, 200);
          strictEqual((await server.get(url)).status, 404);
          ok((await traces(server)).files.length <= files.length - 1);
        }
        deepStrictEqual(await rows(), []);
      } finally {
        other.child.kill();
        await other.ended;
      }
    });
  });
}
