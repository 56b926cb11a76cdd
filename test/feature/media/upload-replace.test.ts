/** `POST /upload?id=`: changing a file's info, and the file itself (docs/reference/files.md). */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, type Sent, sample, traces, upload } from '../../support/media/uploads.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

for (const engine of engines) {
  describe(`changing files on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    before(async () => {
      server = await serveScenarioProject(engine);
      token = server.secrets['full']!;
    });
    after(() => server?.stop());

    const stored = async (file: Sent, fileInfo: unknown = {}) =>
      (await upload(server, token, [file], { fileInfo })).body[0];
    const change = (id: unknown, files: readonly Sent[], fields: Record<string, unknown> = {}) =>
      upload(server, token, files, fields, `?id=${id}`);
    const record = async (id: number) => (await server.get(`/api/upload/files/${id}`, token)).body;

    it('missing values stay, and an empty text clears', async () => {
      const file = await stored(note(), { caption: 'c', alternativeText: 'a', focalPoint: { x: 1, y: 2 } });
      const { status, body } = await change(file.id, [], {
        fileInfo: { alternativeText: '', name: '', focalPoint: null },
      });
      strictEqual(status, 200);
      const { updatedAt, ...rest } = body;
      const { updatedAt: before, ...old } = file;
      deepStrictEqual(rest, { ...old, alternativeText: '' });
      ok(updatedAt > before);
      const json = await server.request('POST', `/api/upload?id=${file.id}`, {
        token,
        body: { fileInfo: { focalPoint: { x: 3, y: 4 } } },
      });
      deepStrictEqual(json.body.focalPoint, { x: 3, y: 4 });
    });

    it('without info the record is answered as it is', async () => {
      const file = await stored(note());
      for (const body of [{}, undefined, [], formOf([], { other: 'x' })]) {
        const answer = await server.request('POST', `/api/upload?id=${file.id}`, { token, body });
        deepStrictEqual([answer.status, answer.body.name], [200, 'note.txt']);
      }
    });

    it('info of another shape is refused with its path', async () => {
      const file = await stored(note());
      for (const fileInfo of ['not json', '[{"name":"z"}]', '5', '""', ['{}', '{}']]) {
        const { status, body } = await change(file.id, [], { fileInfo });
        deepStrictEqual([status, body.error.details.errors[0].path], [400, ['fileInfo']], JSON.stringify(fileInfo));
      }
      for (const fileInfo of [null, [], 5, 'text', { name: {} }]) {
        const answer = await server.request('POST', `/api/upload?id=${file.id}`, { token, body: { fileInfo } });
        strictEqual(answer.status, 400, JSON.stringify(fileInfo));
      }
      const { updatedAt } = await record(file.id);
      strictEqual(updatedAt, file.updatedAt);
    });

    it('another file takes the place of the old one, which keeps its id, address and links', async () => {
      const file = await stored(sample('landscape.jpg'), { caption: 'c', alternativeText: 'a' });
      const before = await traces(server);
      const { body: author } = await server.request('POST', '/api/authors', {
        token,
        body: { data: { name: 'Linked', avatar: file.id } },
      });
      const { status, body } = await change(file.id, [sample('portrait.png')], { fileInfo: { caption: 'new' } });
      strictEqual(status, 200);
      for (const key of ['id', 'documentId', 'hash', 'ext', 'url', 'createdAt', 'alternativeText'] as const)
        strictEqual(body[key], file[key]);
      deepStrictEqual(
        [body.name, body.caption, body.mime, body.width, body.height],
        ['portrait.png', 'new', 'image/png', 300, 700],
      );
      deepStrictEqual(Object.keys(body.formats).sort(), ['small', 'thumbnail']);
      const bytes = await fetch(server.url + body.url).then((answer) => answer.bytes());
      deepStrictEqual([...bytes.subarray(1, 4)], [...Buffer.from('PNG')]);
      for (const { url, sizeInBytes } of Object.values<{ url: string; sizeInBytes: number }>(body.formats)) {
        strictEqual((await fetch(server.url + url).then((answer) => answer.bytes())).length, sizeInBytes);
      }
      for (const { url } of Object.values<{ url: string }>(file.formats)) {
        if (!Object.values<{ url: string }>(body.formats).some((format) => format.url === url))
          strictEqual((await server.get(url)).status, 404);
      }
      // the file and two sizes, where there were four
      strictEqual((await traces(server)).files.length, before.files.length - 2);
      const linked = await server.get(`/api/authors/${author.data.documentId}?populate=avatar`, token);
      strictEqual(linked.body.data.avatar.name, 'portrait.png');
    });

    it('formats have no folder if the store has none', async () => {
      const { body } = await upload(server, token, [sample('landscape.jpg')], { path: 'some/folder' });
      const replaced = await change(body[0].id, [sample('portrait.png')], { path: 'some/folder' });
      for (const { formats } of [body[0], replaced.body]) {
        for (const { path } of Object.values<{ path: unknown }>(formats)) strictEqual(path, null);
      }
    });

    it('an image that gives way to a text has no width, height and formats any more', async () => {
      const file = await stored(sample('landscape.jpg'));
      const { body } = await change(file.id, [note('words.txt', 'words')]);
      deepStrictEqual(
        [body.width, body.height, body.formats, body.mime, body.name],
        [null, null, {}, 'text/plain', 'words.txt'],
      );
      strictEqual((await server.get(body.url)).text, 'words');
      strictEqual((await server.get(file.formats.small.url)).status, 404);
    });

    it('references of a replacement are not looked at', async () => {
      const file = await stored(note());
      const { status } = await change(file.id, [note('b.txt')], { ref: 'none', refId: '1', field: 'x' });
      strictEqual(status, 200);
    });

    it('a replacement that is refused leaves the old file as it was', async () => {
      const file = await stored(sample('landscape.jpg'), { caption: 'c' });
      const before = await traces(server);
      const bytes = await server.get(file.url);
      const refusals: [readonly Sent[], Record<string, unknown>][] = [
        [[note('fake.png')], {}],
        [[note('a:b.txt')], {}],
        [[note('empty.txt', '')], {}],
        [[note(), note('second.txt')], {}],
        [[note()], { fileInfo: { focalPoint: { x: 1 } } }],
        [[note()], { fileInfo: '[{},{}]' }],
      ];
      for (const [files, fields] of refusals) {
        const { status, body } = await change(file.id, files, fields);
        strictEqual(status, 400, JSON.stringify(body));
      }
      deepStrictEqual(await traces(server), before);
      deepStrictEqual(await record(file.id), file);
      strictEqual((await server.get(file.url)).text, bytes.text);
    });

    it('a file that the store does not take leaves the old one and its sizes as they were', async () => {
      const file = await stored(sample('landscape.jpg'));
      const old = (await server.get(file.url)).text;
      // the last of the new files finds its place taken by a folder
      const place = path.join(server.app.config.publicDir, 'uploads', `small_${file.hash}.png`);
      await mkdir(place);
      const before = await traces(server);
      const { status, body, text } = await change(file.id, [sample('portrait.png')]);
      deepStrictEqual([status, body.error.name], [503, 'ServiceUnavailableError']);
      doesNotMatch(text, /uploads|EISDIR|directory/);
      deepStrictEqual(await traces(server), before);
      deepStrictEqual(await record(file.id), file);
      strictEqual((await server.get(file.url)).text, old);
      await rmdir(place);
      strictEqual((await change(file.id, [sample('portrait.png')])).status, 200);
    });

    it('replacements and removals of one file at once end with one of them', async () => {
      for (let round = 0; round < 3; round++) {
        const file = await stored(note('race.txt', 'old'));
        const others = (await traces(server)).files.length - 1;
        const answers = await Promise.all([
          change(file.id, [note('one.txt', 'one')]),
          change(file.id, [sample('landscape.jpg', 'two.jpg')]),
          server.request('DELETE', `/api/upload/files/${file.id}`, { token }),
          change(file.id, [note('three.txt', 'three')]),
        ]);
        for (const { status } of answers) ok(status === 200 || status === 404, String(status));
        const after = await record(file.id);
        ok(after.error);
        strictEqual((await traces(server)).files.length, others);
      }
      const file = await stored(note('race.txt', 'old'));
      await Promise.all(
        ['1', '22', '333', '4444'].map((text) =>
          change(file.id, [note('n.txt', text)], { fileInfo: { caption: text } }),
        ),
      );
      const { caption, url } = await record(file.id);
      strictEqual((await server.get(url)).text, caption);
    });

    it('missing files are not found, several ids are refused', async () => {
      const file = await stored(note());
      for (const id of ['0', '999999', '99999999999', 'abc', file.documentId, '-1', '1.5']) {
        for (const files of [[], [note()]]) {
          const { status, body } = await change(id, files, { fileInfo: { caption: 'x' } });
          deepStrictEqual([status, body.error.message], [404, 'Entity not found'], id);
        }
      }
      for (const query of ['?id[0]=1', '?id=1&id=2', '?id[a]=1']) {
        const { status, body } = await upload(server, token, [note()], {}, query);
        strictEqual(status, 400);
        match(body.error.message, /single value/);
      }
      strictEqual((await upload(server, token, [note()], {}, '?id=')).status, 201);
    });
  });
}
