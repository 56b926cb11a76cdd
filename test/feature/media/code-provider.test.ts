/** A provider of uploads that is code of the project (docs/reference/files.md, "Providers that are code"). */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ProviderCode } from '../../../src/config/config.ts';
import { CodeStorage } from '../../../src/media/storage/code-storage.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, type Sent, sample, upload } from '../../support/media/uploads.ts';
import { makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const provider = (upload: string) => `import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
interface File { name: string; hash: string; ext: string; url?: string; provider_metadata?: unknown; stream?: NodeJS.ReadableStream; buffer?: Buffer }
export default {
  init({ dir }: { dir: string }) {
    const store = async (file: File, given: unknown) => {
      const name = file.hash + file.ext;
      const to = path.join(dir, name);
      // as one that asks for a token first
      if (file.name === 'key.txt') await new Promise((resolve) => setTimeout(resolve, 20));
      if (file.stream) await pipeline(file.stream, fs.createWriteStream(to));
      else fs.writeFileSync(to, file.buffer!);
      if (file.name.includes('refused')) throw new Error('the bucket is closed');
      if (file.name === 'nowhere.txt') return;
      file.url = 'https://cdn.example/' + name;
      file.provider_metadata = { name, given };
      if (file.name.startsWith('key')) file.provider_metadata = file.name.includes('digits') ? '17' : 'key of ' + name;
    };
    return {
      ${upload}: store,
      async delete(file: File) {
        const name = file.hash + file.ext;
        if (file.name === 'kept.txt') throw new Error('not now');
        if (file.name === 'key digits.txt' && file.provider_metadata !== '17') throw new Error('not told of its text');
        if (file.name === 'key.txt' && file.provider_metadata !== 'key of ' + name) throw new Error('not told of its text');
        if (file.url && !file.name.startsWith('key') && (file.provider_metadata as { name: string }).name !== name) throw new Error('not told of ' + name);
        fs.unlinkSync(path.join(dir, name));
      },
      async checkFileSize({ name }: File, { sizeLimit }: { sizeLimit: number }) {
        if (name === 'large.txt') throw Object.assign(new Error('more than ' + sizeLimit), { name: 'PayloadTooLargeError' });
      },
    };
  },
};`;
const files = (method: string, named = './providers/bucket') => ({
  'config/plugins.js': `const path = require('node:path');
module.exports = { upload: { config: ${JSON.stringify({ provider: named, sizeLimit: 500_000, actionOptions: { [method]: { public: true } } })} } };
module.exports.upload.config.providerOptions = { dir: path.join(__dirname, '../bucket') };`,
  'providers/bucket.ts': provider(method),
  'node_modules/@strapi/provider-upload-bucket/index.js':
    "module.exports = require('../../../providers/bucket.ts').default;",
  'bucket/.keep': '',
  'config/galley.js': 'module.exports = { trash: { days: 0 } };',
  'src/index.js': `module.exports = { bootstrap({ strapi }) {
  strapi.db.lifecycles.subscribe({ models: ['plugin::upload.file'], beforeCreate({ params: { data } }) {
    if (data.name === 'unrecorded.txt') throw new (require('@strapi/utils').errors.ApplicationError)('not this ' + data.provider_metadata.name.slice(-4));
  } });
} };`,
});

for (const [index, engine] of engines.entries()) {
  const method = index === 0 ? 'uploadStream' : 'upload';
  const named = index === 0 ? './providers/bucket' : 'Bucket';
  describe(`a provider of uploads that is code, with ${method}, on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    let token: string;
    before(async () => {
      folder = await makeProject({ files: files(method, named) });
      server = await serveSeeded(engine, folder, { tokens: [{ name: 'full', type: 'full-access' }] });
      token = server.secrets['full']!;
    });
    after(() => server?.stop());

    const bucket = async () =>
      (await readdir(path.join(folder.dir, 'bucket'))).filter((name) => name !== '.keep').sort();
    const records = async () => (await server.get('/api/upload/files?sort=id', token)).body;
    const remove = (id: number) => server.request('DELETE', `/api/upload/files/${id}`, { token });

    it('receives descriptions of a file and its sizes, and returns their addresses', async () => {
      strictEqual(server.app.warnings.join('\n').includes('provider'), false);
      const { status, body } = await upload(server, token, [sample('landscape.jpg')]);
      strictEqual(status, 201);
      const [{ id, hash, url, provider: name, provider_metadata: metadata, formats }] = body;
      deepStrictEqual([url, name], [`https://cdn.example/${hash}.jpg`, named]);
      deepStrictEqual(metadata, { name: `${hash}.jpg`, given: { public: true } });
      const { thumbnail } = formats;
      deepStrictEqual(
        [thumbnail.url, thumbnail.provider_metadata.name],
        [`https://cdn.example/thumbnail_${hash}.jpg`, `thumbnail_${hash}.jpg`],
      );
      deepStrictEqual(
        await bucket(),
        [`${hash}.jpg`, ...Object.keys(formats).map((key) => `${key}_${hash}.jpg`)].sort(),
      );
      strictEqual((await remove(id)).status, 200);
      deepStrictEqual([await bucket(), await records()], [[], []]);
    });

    it('leaves no record of a file that it does not store, and no bytes without a record', async () => {
      const asked = async (...names: string[]) => {
        const { status, body } = await upload(
          server,
          token,
          names.map((name) => note(name)),
        );
        return [status, body.error?.message];
      };
      const unavailable = [503, 'Files cannot be stored at the moment'];
      deepStrictEqual(await asked('a.txt', 'refused.txt'), unavailable);
      deepStrictEqual(await asked('a.txt', 'nowhere.txt'), unavailable);
      deepStrictEqual(await asked('a.txt', 'large.txt'), [413, 'more than 500000']);
      deepStrictEqual(await asked('a.txt', 'unrecorded.txt'), [400, 'not this .txt']);
      deepStrictEqual([await bucket(), await records()], [[], []]);
    });

    it('receives its own metadata unchanged, also if they are a text', async () => {
      const { body } = await upload(server, token, [note('key.txt'), note('key digits.txt')]);
      deepStrictEqual(
        body.map(({ provider_metadata }: { provider_metadata: unknown }) => provider_metadata),
        [`key of ${body[0].hash}.txt`, '17'],
      );
      // nor are bytes lost where it waits before it reads
      strictEqual(await readFile(path.join(folder.dir, 'bucket', `${body[0].hash}.txt`), 'utf8'), 'plain text');
      for (const { id } of body) strictEqual((await remove(id)).status, 200);
      deepStrictEqual(await bucket(), []);
    });

    it('removes every file of a form that cannot be recorded, and the journal keeps the rest', async () => {
      const names = ['kept.txt', 'a.txt', 'unrecorded.txt'];
      const { status } = await upload(
        server,
        token,
        names.map((name) => note(name)),
      );
      strictEqual(status, 400);
      const [left, ...others] = await bucket();
      deepStrictEqual([left?.slice(0, 4), others], ['kept', []]);
      const incoming = path.join(folder.dir, 'public/uploads/.incoming');
      const journal = (await readdir(incoming, { recursive: true })).find((name) => name.endsWith('journal.json'));
      const { entry } = JSON.parse(await readFile(path.join(incoming, journal!), 'utf8'));
      deepStrictEqual(entry.keys, [left]);
      strictEqual(entry.placed[left!].provider_metadata.name, left);
      await rm(incoming, { recursive: true });
      await rm(path.join(folder.dir, 'bucket', left!));
    });

    it('replaces a file by one beside it, of which the old one goes when it is there', async () => {
      const { body } = await upload(server, token, [note()]);
      const [{ id, url }] = body;
      const replaced = (file: Sent) => upload(server, token, [file], {}, `?id=${id}`);
      strictEqual((await replaced(note('refused.txt'))).status, 503);
      deepStrictEqual([(await records())[0].url, (await bucket()).length], [url, 1]);
      const { status, body: after } = await replaced(note('other.txt', 'other words'));
      deepStrictEqual([status, after.id, after.url === url, after.hash === body[0].hash], [200, id, false, false]);
      const [name] = await bucket();
      strictEqual(after.url, `https://cdn.example/${name}`);
      strictEqual(await readFile(path.join(folder.dir, 'bucket', name!), 'utf8'), 'other words');
      // bytes that are gone already keep no record
      await rm(path.join(folder.dir, 'bucket', name!));
      strictEqual((await remove(id)).status, 200);
      deepStrictEqual(await records(), []);
    });

    it('is not run where no code is: files are refused, and addresses are shown', async () => {
      const reading = await serveSeeded(
        engine,
        await makeProject({
          files: {
            ...files(method),
            'config/galley.js': "module.exports = { run: false, safeToSkip: ['src/index.js'] };",
          },
        }),
      );
      try {
        const { status, body } = await upload(reading, reading.secrets['full'], [note()]);
        deepStrictEqual(
          [status, body.error.message],
          [400, 'Files cannot be changed: there is no provider ./providers/bucket here'],
        );
      } finally {
        await reading.stop();
      }
    });
  });
}

describe('a provider of uploads that is code', () => {
  const opened = async (code: string) => {
    const folder = await makeProject({ files: { ...files('upload'), 'providers/bucket.ts': code } });
    try {
      await serveSeeded(engines[0]!, folder);
    } finally {
      await folder.remove();
    }
  };

  it('keeps the project from being served where it cannot be run', async () => {
    const place = /The provider \.\/providers\/bucket of uploads \(providers\/bucket\.ts\) /;
    for (const [code, message] of [
      ['export default {};', /cannot be started: .* exports no function init/],
      ['export default { init() { throw new Error("no keys"); } };', /cannot be started: no keys/],
      ['export default { init: () => ({ upload() {} }) };', /has no method delete/],
      ['export default { init: () => ({ delete() {} }) };', /has no method upload or uploadStream/],
      ['export default { init: () => ({ upload() {}, delete() {}, isPrivate: async () => true }) };', /is private/],
    ] as const) {
      await rejects(opened(code), ({ message: said }: Error) => {
        match(said, place);
        match(said, message);
        return true;
      });
    }
  });

  it('that does not answer is not awaited, and a later stored file is removed', async (t) => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-test-'));
    t.after(() => rm(dir, { recursive: true }));
    await writeFile(path.join(dir, 'sent'), 'x');
    const { promise, resolve } = Promise.withResolvers<void>();
    const deleted: unknown[] = [];
    const methods = {
      async upload(file: Record<string, unknown>) {
        await promise;
        file['url'] = 'https://cdn.example/late';
      },
      delete: async ({ url }: { url: string }) => void deleted.push(url),
    };
    const code = { name: 'slow', module: 'slow', start: () => methods, optionsOf: () => undefined, secrets: [] };
    const storage = new CodeStorage(code satisfies ProviderCode, 100, 20);
    const about = { name: 'sent', hash: 'h', ext: '.txt', mime: 'text/plain', path: null, size: 0, sizeInBytes: 1 };
    const file = { path: path.join(dir, 'sent'), size: 1, mime: 'text/plain' };
    await rejects(storage.place({ key: 'h.txt', file, about }), /the provider slow does not answer \(upload\)/);
    deepStrictEqual(deleted, []);
    resolve();
    await until('it is removed', () => deleted.length > 0);
    deepStrictEqual(deleted, ['https://cdn.example/late']);
    await storage.remove('some/h_1.txt');
    deepStrictEqual(deleted.length, 2);
  });
});
