/** Uploading and removing files (docs/reference/files.md). */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { note, type Sent, sample, traces, upload } from '../../support/media/uploads.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const KEYS =
  'id documentId name alternativeText caption focalPoint width height formats hash ext mime size url previewUrl provider provider_metadata createdAt updatedAt publishedAt isUrlSigned';

for (const engine of engines) {
  describe(`uploads on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    before(async () => {
      server = await serveScenarioProject(engine);
      token = server.secrets['full']!;
    });
    after(() => server?.stop());

    const stored = async (files: readonly Sent[], fields: Record<string, unknown> = {}) => {
      const { status, body } = await upload(server, token, files, fields);
      strictEqual(status, 201, JSON.stringify(body));
      return body;
    };
    const rows = (text: string) => server.app.database.rows(text, []);

    it('the first uploads, at once, make one folder for all', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => stored([note(`first-${n}.txt`)])));
      strictEqual(new Set(answers.map(([file]) => file.id)).size, 8);
      deepStrictEqual(await rows('select "name", "path" from "upload_folders"'), [['API Uploads', '/1']]);
      const orders = await rows('select "file_ord" from "files_folder_lnk" order by "file_ord"');
      deepStrictEqual(
        orders.map(([order]) => Number(order)),
        [1, 2, 3, 4, 5, 6, 7, 8],
      );
      deepStrictEqual(await rows('select distinct "folder_path" from "files"'), [['/1']]);
    });

    it('a removed folder is created again under the next path', async () => {
      await server.app.database.transaction(async (tx) => {
        await tx.rows('delete from "files_folder_lnk"', []);
        await tx.rows(
          'update "strapi_core_store_settings" set "value" = \'{"id":999}\' where "key" = \'plugin_upload_api-folder\'',
          [],
        );
      });
      await stored([note()]);
      await stored([note()]);
      const folders = await rows('select "name", "path", "path_id" from "upload_folders" order by "id"');
      deepStrictEqual(folders.map(String), ['API Uploads,/1,1', 'API Uploads (1),/2,2']);
      deepStrictEqual(
        await rows('select count(*) from "strapi_core_store_settings" where "key" = \'plugin_upload_api-folder\''),
        [[1]],
      );
    });

    it('a record has the keys of the reference in its order, and its bytes are served at its address', async () => {
      const [file] = await stored([note('hello.txt', 'hello')], {
        fileInfo: { caption: 'c', focalPoint: { x: '5', y: 0.5 } },
      });
      strictEqual(Object.keys(file).join(' '), KEYS);
      deepStrictEqual(
        [file.caption, file.focalPoint, file.mime, file.ext, file.size],
        ['c', { x: 5, y: 0.5 }, 'text/plain', '.txt', 0.01],
      );
      strictEqual(file.createdAt, file.publishedAt);
      strictEqual((await server.get(file.url)).text, 'hello');
      const { body } = await server.get(`/api/upload/files/${file.id}`, token);
      deepStrictEqual(body, file);
    });

    it('several files have records in the order of the form', async () => {
      const files = [sample('landscape.jpg', 'big.jpg'), note('b.txt'), sample('small.webp', 'c.webp'), note('d.txt')];
      const records = await stored(files, { fileInfo: [{ caption: '1' }, { caption: '2' }, {}, { name: 'four' }] });
      deepStrictEqual(
        records.map((file: { name: string }) => file.name),
        ['big.jpg', 'b.txt', 'c.webp', 'four'],
      );
      deepStrictEqual(
        records.map((file: { caption: string }) => file.caption),
        ['1', '2', null, null],
      );
      const ids = records.map(({ id }: { id: number }) => id);
      deepStrictEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      );
    });

    it('fewer infos than files leave the others without, more are not looked for', async () => {
      const two = await stored([note('a.txt'), note('b.txt'), note('c.txt')], {
        fileInfo: '[{"caption":"1"},{"caption":"2"}]',
      });
      deepStrictEqual(
        two.map((file: { caption: string }) => file.caption),
        ['1', '2', null],
      );
      const three = await stored([note('a.txt'), note('b.txt')], { fileInfo: ['{"name":"x"}', '{}', '{}'] });
      deepStrictEqual(
        three.map((file: { name: string }) => file.name),
        ['x', 'b.txt'],
      );
    });

    it('names of any language are kept, and their hashes are plain', async () => {
      const cases: [string, RegExp, string][] = [
        ['Größe & Maß.v2.PDF', /^Groesse_and_Mass_v2_[0-9a-f]{10}$/, '.PDF'],
        ['日本語.txt', /^_[0-9a-f]{10}$/, '.txt'],
        ['Cafe\u0301.txt', /^Cafe_[0-9a-f]{10}$/, '.txt'],
        ['.htaccess', /^htaccess_[0-9a-f]{10}$/, '.txt'],
        ['archive.tar.gz', /^archive_tar_[0-9a-f]{10}$/, '.gz'],
        ['Report no. 5 of the board', /^Report_no_5_of_the_board_[0-9a-f]{10}$/, '.txt'],
        ['100% #1.txt', /^100_1_[0-9a-f]{10}$/, '.txt'],
        ["a 'quoted' name; x=1.txt", /^a_quoted_name_x_1_[0-9a-f]{10}$/, '.txt'],
      ];
      for (const [name, hash, ext] of cases) {
        const [file] = await stored([note(name, 'text')]);
        strictEqual(file.name, name.normalize());
        match(file.hash, hash);
        strictEqual(file.ext, ext);
        strictEqual((await server.get(file.url)).text, 'text', file.url);
      }
    });

    it('a path of Windows as a name is its last segment', async () => {
      const paths = ['C:\\photos\\hill.txt', 'C:\\\\photos\\\\hill.txt', '\\\\server\\share\\hill.txt'];
      for (const sent of paths) {
        strictEqual((await stored([note(sent)]))[0].name, 'hill.txt', sent);
        strictEqual(
          (await stored([note('a.txt')], { fileInfo: JSON.stringify({ name: sent }) }))[0].name,
          'hill.txt',
          sent,
        );
      }
    });

    it('a name as long as a name can be is stored', async () => {
      for (const name of [
        `${'n'.repeat(251)}.txt`,
        `x.${'e'.repeat(253)}`,
        'ß'.repeat(255),
        `${'𐍈'.repeat(120)}.txt`,
      ]) {
        const [file] = await stored([note(name, 'long')]);
        strictEqual(file.name, name);
        strictEqual((await server.get(file.url)).text, 'long');
      }
      const [image] = await stored([sample('landscape.jpg', `${'n'.repeat(251)}.jpg`)]);
      strictEqual((await server.request('HEAD', image.formats.thumbnail.url)).status, 200);
    });

    it('the media type is that of the content where it fits, else of the extension, else the declared one', async () => {
      const png = sample('portrait.png').content;
      const cases: [Sent, string, string][] = [
        [{ name: 'a.png', content: png, type: 'text/plain' }, 'image/png', '.png'],
        [{ name: 'plain', content: png, type: 'text/plain' }, 'image/png', '.png'],
        [{ name: 'a.json', content: '{}', type: 'application/octet-stream' }, 'application/json', '.json'],
        [{ name: 'data', content: 'abc', type: 'text/csv' }, 'text/csv', '.csv'],
        [{ name: 'data', content: 'abc', type: 'application/octet-stream' }, 'application/octet-stream', '.bin'],
        [{ name: 'data', content: 'abc', type: 'application/x-of-ours' }, 'application/x-of-ours', '.bin'],
        [
          { name: 'a.docx', content: Buffer.from('PK\u0003\u0004') },
          'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
          '.docx',
        ],
      ];
      for (const [file, mime, ext] of cases) {
        const [record] = await stored([file]);
        deepStrictEqual([record.mime, record.ext], [mime, ext], `${file.name} as ${file.type}`);
      }
    });

    it('parts of other names, and inputs without a file, are passed over', async () => {
      const form = new FormData();
      form.append('image', new Blob(['other']), 'other.txt');
      form.append('files', new Blob([]), '');
      form.append('files', new Blob(['mine']), 'mine.txt');
      form.append('__proto__', 'x');
      const before = await traces(server);
      const { status, body } = await server.request('POST', '/api/upload', { token, body: form });
      deepStrictEqual([status, body.length, body[0].name], [201, 1, 'mine.txt']);
      strictEqual((await traces(server)).files.length, before.files.length + 1);
    });

    it('a path is of no account to the local store, wherever it leads', async () => {
      for (const path of ['some/folder', '../../outside', '/etc']) {
        const [file] = await stored([note()], { path });
        match(file.url, /^\/uploads\/note_[0-9a-f]{10}\.txt$/);
        strictEqual((await server.get(file.url)).status, 200);
      }
    });

    it('images have their sizes, each with a file of its own, and go with them', async () => {
      const before = await traces(server);
      const [file] = await stored([sample('landscape.jpg', 'hill.jpg')], { fileInfo: { name: 'Hill' } });
      deepStrictEqual([file.width, file.height], [1200, 800]);
      deepStrictEqual(Object.keys(file.formats).sort(), ['large', 'medium', 'small', 'thumbnail']);
      for (const [key, format] of Object.entries<Record<string, unknown>>(file.formats)) {
        deepStrictEqual([format['name'], format['hash']], [`${key}_Hill`, `${key}_${file.hash}`]);
        const answer = await fetch(server.url + format['url']);
        strictEqual((await answer.bytes()).length, format['sizeInBytes']);
        strictEqual(format['size'], Math.round((format['sizeInBytes'] as number) / 10) / 100);
      }
      strictEqual((await traces(server)).files.length, before.files.length + 5);
      strictEqual((await server.request('DELETE', `/api/upload/files/${file.id}`, { token })).status, 200);
      deepStrictEqual(await traces(server), before);
    });

    it('removing a file takes it out of drafts, published rows, locales and components', async () => {
      const [file] = await stored([sample('small.webp')]);
      const [other] = await stored([note('other.txt')]);
      const data = {
        title: 'Removal',
        cover: file.id,
        gallery: [other.id, file.id],
        seo: { metaTitle: 'm', image: file.id },
        zone: [{ __component: 'blocks.hero', title: 'h', picture: file.documentId }],
      };
      const { body } = await server.request('POST', '/api/articles', { token, body: { data } });
      const { documentId } = body.data;
      strictEqual(
        (
          await server.request('PUT', `/api/articles/${documentId}?locale=fr`, {
            token,
            body: { data: { title: 'R' } },
          })
        ).status,
        200,
      );
      const removed = await server.request('DELETE', `/api/upload/files/${file.id}`, { token });
      deepStrictEqual([removed.status, removed.body], [200, file]);
      const populate =
        'populate[cover]=true&populate[gallery][fields]=name&populate[seo][populate]=image&populate[zone][on][blocks.hero][populate]=picture';
      for (const version of ['status=draft', 'status=published', 'status=draft&locale=fr']) {
        const { data: article } = (await server.get(`/api/articles/${documentId}?${version}&${populate}`, token)).body;
        deepStrictEqual(
          [article.cover, article.seo?.image ?? null, article.zone[0]?.picture ?? null],
          [null, null, null],
        );
        deepStrictEqual(
          article.gallery.map(({ name }: { name: string }) => name),
          ['other.txt'],
        );
      }
      deepStrictEqual(await rows(`select count(*) from "files_related_mph" where "file_id" = ${file.id}`), [[0]]);
    });

    it('ids that no file has are not found', async () => {
      const [file] = await stored([note()]);
      for (const id of ['0', '999999', '99999999999999', '-1', 'abc', file.documentId, `${file.id}x`, '1e3']) {
        const { status, body } = await server.request('DELETE', `/api/upload/files/${id}`, { token });
        deepStrictEqual([status, body.error.message], [404, 'file.notFound'], id);
      }
      strictEqual((await server.get(file.url)).status, 200);
    });

    it('a file that is removed and linked at the same time is removed from every document', async () => {
      for (let round = 0; round < 5; round++) {
        const [file] = await stored([sample('small.webp')]);
        const link = (n: number) =>
          server.request('POST', '/api/authors', {
            token,
            body: { data: { name: `Race ${round} ${n}`, avatar: n % 2 === 0 ? file.id : file.documentId } },
          });
        const [removal, ...links] = await Promise.all([
          server.request('DELETE', `/api/upload/files/${file.id}`, { token }),
          ...[1, 2, 3, 4].map(link),
        ]);
        strictEqual(removal.status, 200);
        for (const { status } of links) ok(status === 200 || status === 400, String(status));
        deepStrictEqual(await rows(`select count(*) from "files_related_mph" where "file_id" = ${file.id}`), [[0]]);
      }
    });

    it('stored bytes are removed before the answer, and one of several removals finds the file', async () => {
      const [file] = await stored([note()]);
      const answers = await Promise.all(
        [1, 2, 3].map(() => server.request('DELETE', `/api/upload/files/${file.id}`, { token })),
      );
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
      strictEqual((await server.get(file.url)).status, 404);
    });

    it('are all listed, for any start, limit and pagination', async () => {
      const list = async (query: string) =>
        (await server.get(`/api/upload/files?fields=name&${query}`, server.secrets['full'])).body;
      const every = await list('');
      ok(every.length > 1);
      for (const query of [
        'limit=1',
        'start=1',
        'start=-1&limit=abc',
        'pagination[limit]=1',
        'pagination[page]=1&pagination[pageSize]=1',
        'pagination[page]=abc',
        'page=2&pageSize=1',
      ]) {
        deepStrictEqual(await list(query), every, query);
      }
    });

    it('uploading a file twice creates two files', async () => {
      const [one] = await stored([note()]);
      const [two] = await stored([note()]);
      notStrictEqual(one.url, two.url);
      await server.request('DELETE', `/api/upload/files/${one.id}`, { token });
      strictEqual((await server.get(two.url)).status, 200);
    });
  });
}
