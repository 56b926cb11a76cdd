/** `ref`, `refId` and `field` of an upload (docs/reference/files.md; docs/differences.md, "Files"). */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { note, traces, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const image = { type: 'media', multiple: false };
const images = { type: 'media', multiple: true };
const title = { type: 'string' };
const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };

const PROJECT = {
  contentTypes: {
    plain: contentType('plain', { title, image, images }),
    draft: contentType('draft', { title, image, images, box: { type: 'component', component: 'a.box' } }, drafts),
    world: contentType('world', { title: { ...title, ...localized }, image: { ...image, ...localized } }, localized),
    both: contentType(
      'both',
      { title: { ...title, ...localized }, image: { ...image, ...localized } },
      { ...drafts, ...localized },
    ),
    front: contentType('front', { title, image }, { kind: 'singleType', ...drafts }),
    zoned: contentType('zoned', { title, zone: { type: 'dynamiczone', components: ['a.box', 'a.outer'] } }),
  },
  components: {
    'a.box': {
      collectionName: 'components_a_boxes',
      info: { displayName: 'box' },
      attributes: { label: title, image, images },
    },
    'a.outer': {
      collectionName: 'components_a_outers',
      info: { displayName: 'outer' },
      attributes: { inner: { type: 'component', component: 'a.box', repeatable: true } },
    },
  },
};

const UPLOAD = 'plugin::upload.content-api.upload';
const custom = (name: string, ...permissions: string[]) => ({
  name,
  type: 'custom',
  permissions: [UPLOAD, ...permissions],
});
const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    custom('upload'),
    custom('others', 'api::world.world.update', 'api::zoned.zoned.create', 'api::plain.plain.create'),
    custom('plain', 'api::plain.plain.update'),
    custom('draft', 'api::draft.draft.update'),
  ],
};

for (const engine of engines) {
  describe(`linking uploads on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
      token = server.secrets['full']!;
    });
    after(() => server?.stop());

    const send = async (method: string, target: string, data?: unknown) => {
      const { status, body, text } = await server.request(method, `/api/${target}`, {
        token,
        ...(data === undefined ? {} : { body: { data } }),
      });
      ok(status < 300, text);
      return body?.data;
    };
    const link = async (ref: string, refId: unknown, field: string, ...names: string[]) => {
      const files = (names.length > 0 ? names : ['file.txt']).map((name) => note(name));
      const answer = await upload(server, token, files, { ref, refId: String(refId), field });
      strictEqual(answer.status, 201, answer.text);
      return answer.body;
    };
    const nameOf = (file: { name: string } | null) => file?.name ?? null;

    it('a row gets the file, and a single attribute the last of several', async () => {
      const row = await send('POST', 'plains', { title: 'a' });
      await link('api::plain.plain', row.id, 'image', 'first.txt');
      const [, last] = await link('api::plain.plain', row.id, 'image', 'second.txt', 'third.txt');
      const { image } = await send('GET', `plains/${row.documentId}?populate=image`);
      deepStrictEqual([image.id, image.name], [last.id, 'third.txt']);
      strictEqual((await server.get('/api/upload/files?filters[name]=first.txt', token)).body.length, 1);
    });

    it('a multiple attribute gets files behind those that it has, in the order of the form', async () => {
      const files = (await upload(server, token, [note('z.txt'), note('y.txt')])).body;
      const row = await send('POST', 'plains', { images: [files[0].id, files[1].id] });
      await link('api::plain.plain', row.id, 'images', 'b.txt', 'a.txt');
      await link('api::plain.plain', row.id, 'images', 'c.txt');
      const { images } = await send('GET', `plains/${row.documentId}?populate=images`);
      deepStrictEqual(images.map(nameOf), ['z.txt', 'y.txt', 'b.txt', 'a.txt', 'c.txt']);
    });

    it('uploads to one row at once are all linked', async () => {
      const row = await send('POST', 'plains', { title: 'busy' });
      const names = Array.from({ length: 8 }, (_, n) => `${n}.txt`);
      await Promise.all(names.map((name) => link('api::plain.plain', row.id, 'images', name)));
      const { images } = await send('GET', `plains/${row.documentId}?populate=images`);
      deepStrictEqual(images.map(nameOf).sort(), names);
    });

    it('only the row named gets it: the draft or the published one', async () => {
      const published = await send('POST', 'drafts?status=published', { title: 'a' });
      const draft = await send('GET', `drafts/${published.documentId}?status=draft`);
      const read = async (status: string) =>
        nameOf((await send('GET', `drafts/${published.documentId}?status=${status}&populate=image`)).image);
      await link('api::draft.draft', published.id, 'image', 'published.txt');
      deepStrictEqual([await read('draft'), await read('published')], [null, 'published.txt']);
      await link('api::draft.draft', draft.id, 'image', 'draft.txt');
      deepStrictEqual([await read('draft'), await read('published')], ['draft.txt', 'published.txt']);
      await send('PUT', `drafts/${published.documentId}?status=published`, { title: 'b' });
      deepStrictEqual([await read('draft'), await read('published')], ['draft.txt', 'draft.txt']);
    });

    it('a document id means its draft in the default locale', async () => {
      const both = await send('POST', 'boths?status=published', { title: 'en' });
      await send('PUT', `boths/${both.documentId}?locale=fr`, { title: 'fr' });
      await link('api::both.both', both.documentId, 'image', 'both.txt');
      const read = async (query: string) =>
        nameOf((await send('GET', `boths/${both.documentId}?populate=image&${query}`)).image);
      deepStrictEqual(
        [await read('status=draft'), await read('status=published'), await read('status=draft&locale=fr')],
        ['both.txt', null, null],
      );
      const world = await send('POST', 'worlds', { title: 'en' });
      await send('PUT', `worlds/${world.documentId}?locale=fr`, { title: 'fr' });
      await link('api::world.world', world.documentId, 'image', 'world.txt');
      strictEqual(nameOf((await send('GET', `worlds/${world.documentId}?populate=image`)).image), 'world.txt');
      strictEqual(nameOf((await send('GET', `worlds/${world.documentId}?populate=image&locale=fr`)).image), null);
      const plain = await send('POST', 'plains', { title: 'p' });
      await link('api::plain.plain', plain.documentId, 'image', 'plain.txt');
      strictEqual(nameOf((await send('GET', `plains/${plain.documentId}?populate=image`)).image), 'plain.txt');
    });

    it('the only row of a document is used in any locale', async () => {
      const world = await send('POST', 'worlds?locale=fr', { title: 'fr' });
      await link('api::world.world', world.documentId, 'image', 'fr.txt');
      strictEqual(nameOf((await send('GET', `worlds/${world.documentId}?populate=image&locale=fr`)).image), 'fr.txt');
    });

    it('a document with several rows and none in the default locale is ambiguous', async () => {
      const world = await send('POST', 'worlds?locale=fr', { title: 'fr' });
      await send('PUT', `worlds/${world.documentId}?locale=de`, { title: 'de' });
      const fields = { ref: 'api::world.world', refId: world.documentId, field: 'image' };
      const { status, body } = await upload(server, token, [note()], fields);
      deepStrictEqual([status, body.error.details.errors[0].path], [400, ['refId']]);
    });

    it('single types take files as others do', async () => {
      const front = await send('PUT', 'front', { title: 'f' });
      await link('api::front.front', front.documentId, 'image', 'front.txt');
      strictEqual(nameOf((await send('GET', 'front?status=draft&populate=image')).image), 'front.txt');
    });

    it('components take files: their own row is named', async () => {
      const draft = await send('POST', 'drafts?status=draft&populate=box', { box: { label: 'b' } });
      await link('a.box', draft.box.id, 'images', 'one.txt');
      await link('a.box', draft.box.id, 'images', 'two.txt');
      const { box } = await send('GET', `drafts/${draft.documentId}?status=draft&populate[box][populate]=images`);
      deepStrictEqual(box.images.map(nameOf), ['one.txt', 'two.txt']);
    });

    it('components inside components of a zone take files', async () => {
      const zone = [{ __component: 'a.outer', inner: [{ label: '1' }, { label: '2' }] }];
      const populate = 'populate[zone][on][a.outer][populate][inner][populate]=image';
      const zoned = await send('POST', `zoneds?${populate}`, { zone });
      await link('a.box', zoned.zone[0].inner[1].id, 'image', 'inner.txt');
      const read = await send('GET', `zoneds/${zoned.documentId}?${populate}`);
      deepStrictEqual(
        read.zone[0].inner.map((box: { image: { name: string } | null }) => nameOf(box.image)),
        [null, 'inner.txt'],
      );
    });

    it('a component that is removed while a file is linked to it keeps no link', async () => {
      for (let round = 0; round < 5; round++) {
        const draft = await send('POST', 'drafts?populate=box', { box: { label: 'b' } });
        const fields = { ref: 'a.box', refId: String(draft.box.id), field: 'image' };
        const [answer] = await Promise.all([
          upload(server, token, [note()], fields),
          send('PUT', `drafts/${draft.documentId}`, { box: null }),
        ]);
        ok(answer.status === 201 || answer.status === 400, answer.text);
        const links = await server.app.database.rows(
          `select count(*) from "files_related_mph" where "related_type" = 'a.box' and "related_id" not in (select "id" from "components_a_boxes")`,
          [],
        );
        deepStrictEqual(links, [[0]]);
      }
    });

    it('a document that is removed while a file is linked to it keeps no link', async () => {
      for (let round = 0; round < 5; round++) {
        const row = await send('POST', 'plains', { title: 'gone' });
        const fields = { ref: 'api::plain.plain', refId: row.documentId, field: 'image' };
        const [answer] = await Promise.all([
          upload(server, token, [note()], fields),
          send('DELETE', `plains/${row.documentId}`),
        ]);
        ok(answer.status === 201 || answer.status === 400, answer.text);
        const links = await server.app.database.rows(
          `select count(*) from "files_related_mph" where "related_type" = 'api::plain.plain' and "related_id" = ${row.id}`,
          [],
        );
        deepStrictEqual(links, [[0]]);
      }
    });

    it('a file lists every row that uses it, drafts and published ones, and no components', async () => {
      const draft = await send('POST', 'drafts?status=draft', { title: 'used', box: { label: 'x' } });
      const [file] = await link('api::draft.draft', draft.id, 'image');
      const data = { title: 'used', image: file.id, box: { label: 'x', image: file.id } };
      const { documentId } = await send('PUT', `drafts/${draft.documentId}`, data);
      const published = await send('GET', `drafts/${documentId}`);
      for (const query of ['populate=related', 'populate=*', 'populate=related&status=published']) {
        const { body } = await server.get(`/api/upload/files/${file.id}?${query}`, token);
        deepStrictEqual(
          body.related.map(({ id, __type }: { id: number; __type: string }) => [id, __type]),
          [draft.id, published.id].map((id) => [id, 'api::draft.draft']),
          query,
        );
      }
    });

    it('a link takes the right to update the document; without it nothing is stored', async () => {
      const plain = await send('POST', 'plains', { title: 'mine' });
      const before = await traces(server);
      const status = async (name: string, fields: Record<string, string>, files = [note()]) =>
        (await upload(server, server.secrets[name], files, fields)).status;
      for (const refId of [String(plain.id), plain.documentId, 'nobody']) {
        for (const name of ['upload', 'others', 'draft']) {
          const fields = { ref: 'api::plain.plain', refId, field: 'image' };
          strictEqual(await status(name, fields), 403, `${name} ${refId}`);
        }
      }
      // the refusal tells nothing of what else is wrong
      strictEqual(await status('upload', { ref: 'api::plain.plain', refId: 'nobody', field: 'title' }), 403);
      strictEqual(await status('upload', { ref: 'api::plain.plain', refId: '1', field: 'image' }, []), 403);
      strictEqual(await status('plain', { ref: 'plugin::users-permissions.user', refId: '1', field: 'image' }), 403);
      strictEqual(await status('plain', { ref: 'plugin::upload.file', refId: '1', field: 'image' }), 403);
      deepStrictEqual(await traces(server), before);
      strictEqual(await status('plain', { ref: 'api::plain.plain', refId: plain.documentId, field: 'image' }), 201);
      strictEqual(await status('upload', {}), 201);
    });

    it('a component takes the right to update the document that holds it', async () => {
      const draft = await send('POST', 'drafts?status=draft&populate=box', { box: { label: 'b' } });
      const populate = 'populate[zone][on][a.outer][populate]=inner';
      const zoned = await send('POST', `zoneds?${populate}`, { zone: [{ __component: 'a.outer', inner: [{}] }] });
      const status = async (name: string, id: number) => {
        const fields = { ref: 'a.box', refId: String(id), field: 'image' };
        return (await upload(server, server.secrets[name], [note()], fields)).status;
      };
      strictEqual(await status('draft', draft.box.id), 201);
      strictEqual(await status('draft', zoned.zone[0].inner[0].id), 403);
      for (const name of ['upload', 'plain', 'others']) strictEqual(await status(name, draft.box.id), 403, name);
      // what belongs to no document cannot be told to be the caller's
      const [[stray]] = (await server.app.database.transaction(async (tx) =>
        tx.rows(`insert into "components_a_boxes" ("label") values ('stray') returning "id"`, []),
      )) as [[number]];
      strictEqual(await status('full', stray), 400);
    });

    it('of several files each has its own info, and one info is not taken for all', async () => {
      const files = [note('a.txt'), note('b.txt'), note('c.txt')];
      for (const fileInfo of [{ caption: 'one' }, [{ caption: 'one' }], 'one']) {
        const { status, body } = await upload(server, token, files, { fileInfo: JSON.stringify(fileInfo) });
        deepStrictEqual([status, body.error.details.errors[0].path], [400, ['fileInfo']]);
      }
      const { body } = await upload(server, token, files, {
        fileInfo: JSON.stringify([{ caption: 'one' }, { name: 'two' }]),
      });
      deepStrictEqual(
        body.map(({ name, caption }: { name: string; caption: string | null }) => [name, caption]),
        [
          ['a.txt', 'one'],
          ['two', null],
          ['c.txt', null],
        ],
      );
    });

    it('without all three fields nothing is linked and nothing refused', async () => {
      const row = await send('POST', 'plains', { title: 'a' });
      for (const fields of [
        { ref: 'api::plain.plain', refId: String(row.id) },
        { ref: 'none', field: 'image' },
        { ref: '', refId: '1', field: 'image' },
      ]) {
        strictEqual((await upload(server, token, [note()], fields)).status, 201);
      }
      strictEqual((await send('GET', `plains/${row.documentId}?populate=image`)).image, null);
    });

    it('a source is not looked at', async () => {
      const row = await send('POST', 'plains', { title: 'a' });
      const fields = { ref: 'api::plain.plain', refId: String(row.id), field: 'image', source: 'content-manager' };
      strictEqual((await upload(server, token, [note('s.txt')], fields)).status, 201);
      strictEqual(nameOf((await send('GET', `plains/${row.documentId}?populate=image`)).image), 's.txt');
    });
  });
}
