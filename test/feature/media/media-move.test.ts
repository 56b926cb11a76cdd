/** `galley media move` (docs/reference/command-line.md). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { moveLibrary } from '../../../src/media/move.ts';
import { FileLeases } from '../../../src/media/safety/file-lease.ts';
import type { Storage } from '../../../src/media/storage/storage.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { addressesIn, sampleFile, uploadSamples } from '../../support/media/media.ts';
import { BUCKET, type S3Server, startS3 } from '../../support/media/s3.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder, withoutTrash } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const SAMPLES = ['landscape.jpg', 'note.txt', 'mark.svg'];

/** A store as an object of its own. */
function methodsOf(store: Storage): Storage {
  return {
    name: store.name,
    names: store.names,
    put: (key, file) => store.put(key, file),
    get: (key) => store.get(key),
    remove: (key) => store.remove(key),
    stat: (key) => store.stat(key),
    list: () => store.list(),
    urlOf: (key) => store.urlOf(key),
    keyOf: (url) => store.keyOf(url),
    close: () => store.close(),
  };
}

for (const engine of engines) {
  describe(`galley media move on ${engine.name}`, () => {
    let s3: S3Server;
    let server: SeededServer;
    let folder: ProjectFolder;
    let database: TestDatabase;
    let env: Record<string, string>;
    const uploads = () => path.join(folder.dir, 'public/uploads');
    const localNames = async () => (await readdir(uploads())).filter((name) => !name.startsWith('.')).sort();
    const get = (target: string) => server.get(`/api${target}`, server.secrets['full']);
    const list = async () => (await get('/upload/files')).body;
    const move = async (...args: string[]) => {
      const lines: string[] = [];
      const drawn: string[] = [];
      const write = (line: string) => void lines.push(line);
      const code = await runCommandLine(['media', 'move', ...args, folder.dir], {
        env: { ...database.env, ...env },
        print: write,
        warn: write,
        terminal: (text) => void drawn.push(text),
      });
      return { code, text: lines.join('\n'), drawn };
    };
    /** Moves to the object store, which does something else before it stores, or gives something else back. */
    const moveWith = async (odd: { put?: (key: string) => unknown; get?: () => Readable }) => {
      const { database, writer, stores } = server.app;
      const [from, to] = ['local', 'aws-s3'].map((name) => stores.stores.find((store) => store.name === name)!);
      const changed: Storage = {
        ...methodsOf(to!),
        put: async (key, file) => {
          await odd.put?.(path.posix.basename(key));
          await to!.put(key, file);
        },
        ...(odd.get ? { get: async () => odd.get!() } : {}),
      };
      const leases = new FileLeases(database, 'the move');
      const request = { database, writer, leases, from: from!, to: changed, onProgress: () => undefined };
      const { files, unmoved } = await moveLibrary(request);
      return { files, text: unmoved.map(({ reason }) => reason).join('\n') };
    };
    const statement = (text: string) => server.app.database.transaction(async (tx) => void (await tx.rows(text, [])));
    /** Names of files that wait to be stored; folders may come and go while they are looked through. */
    const incomingFiles = async () =>
      (await readdir(path.join(uploads(), '.incoming'), { recursive: true }).catch(() => [])).map((name) =>
        path.basename(name),
      );
    /** Fetches everything that the library names: status and bytes by name. */
    const reach = async () => {
      const found = new Map<string, string>();
      for (const address of addressesIn(await list())) {
        const answer = await fetch(new URL(address, server.url));
        strictEqual(answer.status, 200, address);
        const name = path.posix.basename(new URL(address, server.url).pathname);
        found.set(name, Buffer.from(await answer.arrayBuffer()).toString('base64'));
      }
      return found;
    };

    before(async () => {
      s3 = await startS3('private');
      folder = await withoutTrash(await copyProject(CONFORMANCE_DIR));
      env = s3.env({ UPLOAD_PROVIDER: 'local', S3_PREFIX: 'site' });
      const own: Engine = { ...engine, databaseFor: async () => (database = await engine.databaseFor(folder)) };
      server = await serveSeeded(own, folder, undefined, env);
    });
    after(async () => {
      await server?.stop();
      await s3?.stop();
    });
    beforeEach(async () => {
      s3.refuse = () => undefined;
      for (const { id } of await list()) {
        await server.request('DELETE', `/api/upload/files/${id}`, { token: server.secrets['full'] });
      }
      // what a moved file had in the other store is nobody's now
      for (const store of server.app.stores.stores) for await (const { key } of store.list()) await store.remove(key);
      await uploadSamples(server, SAMPLES);
    });

    it('takes a library to the object store and back, every address working before and after', async () => {
      const before = await reach();
      ok(before.size > SAMPLES.length);
      const records = await list();
      const there = await move('--to', 's3');
      strictEqual(there.code, 0, there.text);
      match(there.text, /^moved 3 files to s3, copied \d+\.\d MB\nnew files still go to local: set UPLOAD_PROVIDER=s3/);
      const moved = await list();
      for (const file of moved) {
        deepStrictEqual([file.provider, file.isUrlSigned], ['aws-s3', true]);
        for (const address of addressesIn(file))
          match(address, new RegExp(`^${s3.endpoint}/${BUCKET}/site/.*Signature=`));
      }
      deepStrictEqual(await reach(), before);
      deepStrictEqual(
        (await s3.names()).map((name) => path.posix.basename(name)),
        [...before.keys()].sort(),
      );
      // the old ones stay until they are told to go
      deepStrictEqual(await localNames(), [...before.keys()].sort());
      const back = await move('--to', 'local');
      strictEqual(back.code, 0, back.text);
      match(back.text, /^moved 3 files to local, copied 0\.0 MB$/);
      deepStrictEqual(await list(), records);
      deepStrictEqual(await reach(), before);
    });

    it('keeps types, and drawings from being shown', async () => {
      await move('--to', 's3');
      for (const file of await list()) {
        const { headers } = await fetch(file.url);
        strictEqual(headers.get('content-type'), file.mime);
        strictEqual(headers.get('content-disposition'), file.ext === '.svg' ? 'attachment' : null);
      }
    });

    it('changes nothing of a record but where it is, and leaves documents alone', async () => {
      const [photo] = await list();
      const body = { data: { title: 'One', cover: photo.id } };
      const token = server.secrets['full'];
      const { documentId } = (await server.request('POST', '/api/articles', { token, body })).body.data;
      const read = async () => (await get(`/articles/${documentId}?populate=cover`)).body.data;
      const { cover: before, ...document } = await read();
      await move('--to', 's3');
      const { cover, ...after } = await read();
      deepStrictEqual(after, document);
      const { isUrlSigned, ...rest } = cover;
      deepStrictEqual([before.isUrlSigned, isUrlSigned], [false, true]);
      const addresses = new Map(addressesIn(before).map((address, index) => [addressesIn(cover)[index], address]));
      const restored = JSON.parse(
        JSON.stringify({ ...rest, isUrlSigned: false }),
        (_, value) => addresses.get(value) ?? value,
      );
      deepStrictEqual(restored, { ...before, provider: 'aws-s3' });
      await server.request('DELETE', `/api/articles/${documentId}`, { token });
    });

    it('continues where it stopped, and copies nothing twice', async () => {
      let stored = 0;
      s3.refuse = ({ method }) => (method === 'PUT' && ++stored > 2 ? 403 : undefined);
      const broken = await move('--to', 's3', '--remove-source');
      strictEqual(broken.code, 1);
      match(broken.text, /files? could not be moved:\n(?: {2}\d+ {2}\S+: AccessDenied refused\n)+nothing was removed$/);
      await reach();
      s3.refuse = () => undefined;
      s3.requests.length = 0;
      const again = await move('--to', 's3');
      strictEqual(again.code, 0, again.text);
      const names = (await s3.names()).length;
      strictEqual(s3.requests.filter(({ method }) => method === 'PUT').length, names - 2);
      match((await move('--to', 's3')).text, /^moved 0 files to s3, copied 0\.0 MB/);
    });

    it('ends when one file after another fails, as the store seems to be out of reach', async () => {
      for (let n = 0; n < 25; n++) await uploadSamples(server, ['note.txt']);
      s3.refuse = ({ method }) => (method === 'PUT' ? 403 : undefined);
      s3.requests.length = 0;
      const { code, text } = await move('--to', 's3');
      strictEqual(code, 1);
      match(text, /^galley: moving the files failed: AccessDenied refused; run the command again to continue$/);
      ok(s3.requests.filter(({ method }) => method === 'PUT').length < 28);
      s3.refuse = () => undefined;
      await reach();
    });

    it('continues after a record that cannot be moved', async () => {
      const files = await list();
      const [drawing] = files.filter(({ name }: { name: string }) => name === 'mark.svg');
      // what another program may have called a file: no name that the local store takes
      const odd = path.join(folder.dir, 'odd.svg');
      await move('--to', 's3');
      const bucket = server.app.stores.stores.find(({ name }) => name === 'aws-s3')!;
      await writeFile(odd, '<svg/>');
      await bucket.put('deep/.odd_0123456789.svg', { path: odd, size: 6, mime: 'image/svg+xml' });
      await statement(`update files set url = '${bucket.urlOf('deep/.odd_0123456789.svg')}' where id = ${drawing.id}`);
      const { code, text } = await move('--to', 'local');
      strictEqual(code, 1);
      match(text, /^moved 2 files to local, .*\n(?:.*\n)*1 file could not be moved:\n {2}\d+ {2}mark\.svg: \S/);
      deepStrictEqual((await list()).map(({ provider }: { provider: string }) => provider).sort(), [
        'aws-s3',
        'local',
        'local',
      ]);
    });

    it('takes files along that another configuration called by another name of the store', async () => {
      const files = await list();
      await statement(`update files set provider = '@strapi/provider-upload-local' where id = ${files[0].id}`);
      strictEqual((await move('--to', 's3')).code, 0);
      deepStrictEqual(
        (await list()).map(({ provider }: { provider: string }) => provider),
        ['aws-s3', 'aws-s3', 'aws-s3'],
      );
      await statement(`update files set provider = '@strapi/provider-upload-aws-s3'`);
      for (const { id } of await list()) {
        await server.request('DELETE', `/api/upload/files/${id}`, { token: server.secrets['full'] });
      }
      deepStrictEqual(await s3.names(), []);
    });

    it('leaves nothing of a file whose record goes meanwhile, and does not count it', async () => {
      const [note] = (await list()).filter(({ name }: { name: string }) => name === 'note.txt');
      const { files, text } = await moveWith({
        // another program takes no lease
        put: (key) =>
          key === path.posix.basename(note.url) ? statement(`delete from files where id = ${note.id}`) : undefined,
      });
      strictEqual(files, 2, text);
      ok(!(await s3.names()).some((name) => name.endsWith(path.posix.basename(note.url))));
    });

    it('finds out when other bytes arrive than were sent', async () => {
      const { files, text } = await moveWith({ get: () => Readable.from([Buffer.from('other bytes')]) });
      strictEqual(files, 0);
      match(text, /was not copied correctly/);
      deepStrictEqual(
        (await list()).map(({ provider }: { provider: string }) => provider),
        ['local', 'local', 'local'],
      );
      deepStrictEqual(await s3.names(), []);
      await reach();
    });

    it('waits for a replacement that is under way, and a replacement for it', async () => {
      const [note] = (await list()).filter(({ name }: { name: string }) => name === 'note.txt');
      let answer: Promise<{ status: number }> | undefined;
      const { files, text } = await moveWith({
        put: async (key) => {
          if (key !== path.posix.basename(note.url)) return;
          const form = new FormData();
          form.append('files', new Blob(['new bytes'], { type: 'text/plain' }), 'note.txt');
          answer = server.request('POST', `/api/upload?id=${note.id}`, { token: server.secrets['full'], body: form });
          // it has come as far as the lease, which the move has
          await until('the form has arrived', async () => (await incomingFiles()).includes('file-0'));
        },
      });
      strictEqual(files, SAMPLES.length, text);
      strictEqual((await answer!).status, 200);
      const { body } = await get(`/upload/files/${note.id}`);
      strictEqual(await (await fetch(new URL(body.url, server.url))).text(), 'new bytes');
      ok(!(await s3.names()).some((name) => name.endsWith(path.posix.basename(note.url))));
    });

    it('copies a truncated copy of an earlier run again', async () => {
      const [file] = (await list()).filter(({ name }: { name: string }) => name === 'note.txt');
      const key = path.posix.basename(file.url);
      const cut = path.join(folder.dir, 'cut.txt');
      await writeFile(cut, 'cut');
      const bucket = server.app.stores.stores.find(({ name }) => name === 'aws-s3')!;
      await bucket.put(key, { path: cut, size: 3, mime: 'text/plain' });
      strictEqual((await move('--to', 's3')).code, 0);
      const { body } = await get(`/upload/files/${file.id}`);
      strictEqual(await (await fetch(body.url)).text(), String(await sampleFile('note.txt')));
    });

    it('lists files whose bytes are missing, moves the others and removes nothing', async () => {
      const files = await list();
      const [photo, note] = files;
      await rm(path.join(uploads(), path.posix.basename(note.url)));
      await rm(path.join(uploads(), path.posix.basename(photo.formats.thumbnail.url)));
      const kept = await localNames();
      const { code, text } = await move('--to', 's3', '--remove-source');
      strictEqual(code, 1);
      match(
        text,
        /2 files could not be moved:\n {2}\d+ {2}landscape\.jpg: thumbnail_\S+ is missing\n {2}\d+ {2}note\.txt: \S+ is missing\nnothing was removed$/,
      );
      deepStrictEqual(
        (await list()).map(({ provider }: { provider: string }) => provider),
        ['local', 'local', 'aws-s3'],
      );
      deepStrictEqual(await localNames(), kept);
    });

    it('removes the old bytes if requested, and nothing else', async () => {
      await writeFile(path.join(uploads(), 'not-ours.txt'), 'x');
      const before = await reach();
      strictEqual((await move('--to', 's3')).code, 0);
      const { code, text } = await move('--to', 's3', '--remove-source');
      strictEqual(code, 0, text);
      match(text, new RegExp(`removed ${before.size} old files$`));
      deepStrictEqual(await localNames(), ['not-ours.txt']);
      deepStrictEqual(await reach(), before);
      const back = await move('--to', 'local', '--remove-source');
      strictEqual(back.code, 0, back.text);
      deepStrictEqual(await s3.names(), []);
      deepStrictEqual(await reach(), before);
      await rm(path.join(uploads(), 'not-ours.txt'));
    });

    it('draws a bar at a terminal', async () => {
      const { drawn } = await move('--to', 's3');
      ok(drawn.some((text) => /\[#+\.*\] \d of 3 files, \d+\.\d MB$/.test(text)));
      strictEqual(drawn.at(-1), '\r\u001b[K');
    });
  });
}

describe('galley media move', () => {
  const run = async (args: string[], env: Record<string, string> = {}) => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const code = await runCommandLine(['media', 'move', ...args], { env, print: write, warn: write });
    return { code, text: lines.join('\n') };
  };

  it('refuses to start without a valid target, and names the one that is meant', async () => {
    const texts: [args: string[], end: string][] = [
      [[], ''],
      [['--to='], ''],
      [['--to', 'moon'], ', not moon'],
      [['--to', 'S3'], ', not S3: did you mean s3?'],
    ];
    for (const [args, end] of texts) {
      const text = `galley: galley media move needs --to s3 or --to local${end}`;
      deepStrictEqual(await run(args), { code: 2, text });
    }
  });

  it('needs an object store', async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const database = await engines[0]!.emptyDatabase();
    const { code, text } = await run(['--to', 's3', folder.dir], database.env);
    strictEqual(code, 2);
    match(text, /^galley: no object store is configured: set S3_BUCKET/);
    await database.drop();
    await folder.remove();
  });
});
