/** Addresses of files in a private object store (docs/reference/extensions.md, "Signed addresses"). */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { addressesIn, filesIn, sampleFile, uploadForm, uploadSamples } from '../../support/media/media.ts';
import { BUCKET, type S3Server, startS3 } from '../../support/media/s3.ts';
import { type ConfigFilesOfTest, writeConfig } from '../../support/servers/configured.ts';
import { type Answer, CONFORMANCE_DIR, copyProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';

const EVERYTHING =
  'populate[cover]=true&populate[gallery]=true&populate[seo][populate]=*&populate[author][populate]=*&populate[zone][on][blocks.hero][populate]=*';

for (const engine of engines) {
  describe(`signed addresses on ${engine.name}`, () => {
    let s3: S3Server;
    let server: Awaited<ReturnType<typeof serveS3>>;
    let files: [{ id: number; formats: object }, { id: number }];
    let article: string;
    const call = (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        headers,
        ...(body ? { body } : {}),
      });
    const data = () => {
      const [photo, note] = files;
      return {
        title: 'Signed',
        cover: photo.id,
        gallery: [note.id, photo.id],
        seo: { metaTitle: 'x', image: photo.id },
        zone: [{ __component: 'blocks.hero', title: 'x', picture: photo.id }],
      };
    };

    before(async () => {
      s3 = await startS3('private');
      server = await serveS3(engine, s3, { S3_PREFIX: 'site' });
      files = (await uploadSamples(server, ['landscape.jpg', 'note.txt'])) as typeof files;
      const { body, text } = await call('POST', '/articles', { data: data() });
      ok(body.data, text);
      article = body.data.documentId;
      const author = { name: 'Ann', avatar: files[0].id, articles: [article] };
      await call('POST', '/authors', { data: author });
    });
    after(async () => {
      await server?.stop();
      await s3?.stop();
    });
    afterEach(() => {
      s3.requests.length = 0;
    });

    /** Fetches every address of an answer, which names as many files at least, and gives the addresses. */
    const reach = async (answer: Answer, least: number): Promise<string[]> => {
      ok(answer.status < 300, `${answer.status} ${answer.text}`);
      ok(!answer.text.includes(server.app.stores.fileUrls!.marks.token));
      const found = filesIn(answer.body);
      ok(found.length >= least, `${found.length} files in ${answer.text}`);
      for (const file of found) strictEqual(file['isUrlSigned'], true, JSON.stringify(file));
      const addresses = addressesIn(answer.body);
      for (const address of new Set(addresses)) {
        match(address, /X-Amz-Expires=900&.*X-Amz-Signature=[0-9a-f]{64}/);
        const key = decodeURIComponent(new URL(address).pathname.slice(`/${BUCKET}/site/`.length));
        const stored = await server.app.stores.storage.get(key);
        const sent = Buffer.from(await (await fetchOk(address)).arrayBuffer());
        const chunks: Buffer[] = [];
        for await (const chunk of stored!) chunks.push(chunk as Buffer);
        ok(sent.equals(Buffer.concat(chunks)), address);
      }
      return addresses;
    };

    it('stand in answers of the file service', async () => {
      const formats = Object.keys(files[0].formats).length;
      ok(formats > 1);
      strictEqual((await reach(await call('GET', '/upload/files'), 2)).length, 2 + formats);
      await reach(await call('GET', '/upload/files/page?pagination[pageSize]=1'), 1);
      await reach(await call('GET', `/upload/files/${files[0].id}`), 1);
      await reach(await call('GET', '/upload/files?populate=related'), 2);
      await reach(await call('GET', '/upload/files?fields[0]=url&fields[1]=hash'), 2);
      const info = new FormData();
      info.append('fileInfo', JSON.stringify({ caption: 'x' }));
      await reach(await call('POST', `/upload?id=${files[1].id}`, info), 1);
      await reach(await call('POST', '/upload', await uploadForm(['portrait.png', 'mark.svg'])), 2);
      const [small] = await uploadSamples(server, ['small.webp']);
      const removed = await call('DELETE', `/upload/files/${small.id}`);
      strictEqual(removed.body.isUrlSigned, true);
      match(removed.body.url, /X-Amz-Signature=/);
    });

    it('lead to the very bytes that were sent', async () => {
      const { body } = await call('GET', `/upload/files/${files[1].id}`);
      strictEqual(await (await fetchOk(body.url)).text(), String(await sampleFile('note.txt')));
    });

    it('stand in content at any depth: lists, single documents, components, zones, relations', async () => {
      await reach(await call('GET', `/articles?${EVERYTHING}`), 6);
      await reach(await call('GET', `/articles/${article}?${EVERYTHING}`), 6);
      await reach(await call('GET', `/articles/${article}?${EVERYTHING}&status=draft`), 6);
      const nested =
        'populate[articles][populate][gallery]=true&populate[articles][populate][seo][populate]=*&populate[avatar]=true';
      await reach(await call('GET', `/authors?${nested}`), 4);
      await reach(await call('GET', '/articles?populate[cover][populate]=*'), 1);
      await reach(await call('GET', `/articles?${EVERYTHING}&pagination[withCount]=false`), 6);
      const sorted = '&filters[title][$contains]=S&sort=title';
      await reach(await call('GET', `/articles?${EVERYTHING}${sorted}`), 6);
    });

    it('stand in answers of writes', async () => {
      const created = await call('POST', `/articles?${EVERYTHING}`, { data: data() });
      await reach(created, 5);
      const target = `/articles/${created.body.data.documentId}`;
      await reach(await call('PUT', `${target}?${EVERYTHING}`, { data: { title: 'Changed' } }), 5);
      await reach(await call('POST', `${target}/actions/publish?${EVERYTHING}`), 5);
      await reach(await call('POST', `${target}/actions/discard-draft?${EVERYTHING}`), 5);
      const operations = [
        { action: 'create', data: data() },
        { action: 'update', documentId: created.body.data.documentId, data: { title: 'Again' } },
      ];
      await reach(await call('POST', `/articles/actions/batch?${EVERYTHING}`, { operations }), 10);
    });

    it('stand in answers of the previous format', async () => {
      const headers = { 'strapi-response-format': 'v4' };
      const { status, text, body } = await call('GET', `/articles/${article}?${EVERYTHING}`, undefined, headers);
      strictEqual(status, 200);
      ok(!text.includes(server.app.stores.fileUrls!.marks.token));
      strictEqual(body.data.attributes.cover.data.attributes.isUrlSigned, true);
      const addresses = addressesIn(body);
      ok(addresses.length > 6);
      for (const address of addresses) await fetchOk(address);
    });

    it('stand in documents of the document service', async () => {
      const documents = server.app.documents('api::article.article');
      const populate = { cover: true, seo: { populate: '*' } } as never;
      const all = [
        await documents.findMany({ populate }),
        await documents.findOne({ documentId: article, populate }),
        await documents.create({ data: data() as never, populate }),
        await documents.publish({ documentId: article, populate }),
      ];
      for (const found of all) {
        ok(filesIn(found).length >= 2);
        for (const file of filesIn(found)) strictEqual(file['isUrlSigned'], true);
        for (const address of addressesIn(found)) await fetchOk(address);
      }
    });

    it('end with their lifetime', async () => {
      const { body } = await call('GET', '/upload/files');
      s3.advance(901);
      try {
        for (const address of addressesIn(body)) strictEqual((await fetch(address)).status, 403);
      } finally {
        s3.advance(-901);
      }
      for (const address of addressesIn(body)) await fetchOk(address);
    });

    it('are computed without asking the store', async () => {
      await call('GET', `/articles?${EVERYTHING}`);
      deepStrictEqual(s3.requests, []);
    });

    it('filter, sort and select stored addresses', async () => {
      const stored = `${s3.endpoint}/${BUCKET}/site/`;
      const count = async (query: string) => (await call('GET', `/articles?status=draft&${query}`)).body.data.length;
      ok((await count(`filters[cover][url][$startsWith]=${stored}`)) > 0);
      strictEqual(await count('filters[cover][url][$contains]=Signature'), 0);
      strictEqual((await call('GET', '/articles?sort=cover.url')).status, 200);
      const { body } = await call('GET', `/articles/${article}?populate[cover][fields]=name`);
      deepStrictEqual(Object.keys(body.data.cover).sort(), ['documentId', 'id', 'isUrlSigned', 'name']);
    });

    it('are added to no other address', async () => {
      const base = { name: 'x', hash: 'x', ext: '.png', mime: 'image/png', size: 1, folderPath: '/' };
      const foreign = { thumbnail: { url: 'https://elsewhere.example.com/a.png' } };
      const cases: [Record<string, unknown>, boolean][] = [
        [{ provider: 'local', url: '/uploads/x.png', formats: { thumbnail: { url: '/uploads/t.png' } } }, false],
        [{ provider: 'cloudinary', url: 'https://res.cloudinary.com/x.png', formats: foreign }, false],
        [{ provider: 'local', url: `${s3.endpoint}/${BUCKET}/site/x.png` }, false],
        [{ provider: 'aws-s3', url: 'https://elsewhere.example.com/x.png', formats: foreign }, false],
        [{ provider: 'aws-s3', url: `${s3.endpoint}/${BUCKET}/site/x.png`, formats: foreign }, true],
        [{ provider: '@strapi/provider-upload-aws-s3', url: `${s3.endpoint}/${BUCKET}/site/x.png` }, true],
      ];
      for (const [values, signed] of cases) {
        const id = await server.seeder.file({ ...base, ...values });
        const { body } = await call('GET', `/upload/files/${id}`);
        strictEqual(body.isUrlSigned, signed, JSON.stringify(values));
        strictEqual(body.url.replace(/\?.*/s, ''), values['url']);
        strictEqual(body.url.includes('X-Amz-Signature'), signed);
        deepStrictEqual(body.formats, values['formats'] ?? null);
        await call('DELETE', `/upload/files/${id}`);
      }
    });

    it('take their place in any JSON that a record holds, and in nothing else', async () => {
      const address = `${s3.endpoint}/${BUCKET}/site/a%20b.png`;
      const formats = {
        'odd "url":"x" key': { name: 'says "url":"https://x" and \\"url\\": "', url: address, path: null },
        deep: { url: address, more: [{ url: address }], size: 1.5, text: 'é\u2028"' },
        none: { url: null },
        empty: { url: '' },
      };
      const own = { name: 'x', hash: 'x', ext: '.png', mime: 'image/png', size: 1, folderPath: '/', formats };
      const id = await server.seeder.file({ ...own, provider: 'aws-s3', url: address, previewUrl: address });
      const { body, text } = await call('GET', `/upload/files/${id}`);
      const unsigned = JSON.parse(text.replaceAll(/\?X-Amz-[^"]*/g, ''));
      deepStrictEqual(unsigned.formats, formats);
      deepStrictEqual([unsigned.url, unsigned.previewUrl], [address, address]);
      strictEqual(text.split('X-Amz-Signature').length - 1, 5);
      strictEqual(body.formats.deep.more[0].url, body.url);
      await call('DELETE', `/upload/files/${id}`);
    });

    it('have tags of their period: the same in every process, and new with new addresses', async () => {
      const target = `/articles/${article}?populate=cover`;
      const other = await server.another();
      try {
        const tagOf = async ({ request }: Pick<RunningServer, 'request'>) =>
          (await request('GET', `/api${target}`, { token: server.secrets['full'] })).headers.get('etag')!;
        // a period may end between the two
        let tags: [string, string];
        do tags = [await tagOf(server), await tagOf(other)];
        while (tags[0] !== tags[1] && tags[0] !== (await tagOf(server)));
        strictEqual(tags[0], tags[1]);
        match(tags[0], /^"\d+\.[\w-]+-[0-9a-z]+-[0-9a-f]{6}(-\w+)?"$/);
        strictEqual((await call('GET', target, undefined, { 'if-none-match': tags[0] })).status, 304);
        const plain = (await call('GET', `/articles/${article}`)).headers.get('etag')!;
        doesNotMatch(plain, /-[0-9a-f]{6}(-\w+)?"$/);
        strictEqual((await call('PUT', target, { data: {} }, { 'if-match': tags[0] })).status, 200);
      } finally {
        await other.stop();
      }
    });
  });

  describe(`Cache-Control of signed addresses on ${engine.name}`, () => {
    it('limits caches to the lifetime of addresses, and is as configured without signed ones', async () => {
      const s3 = await startS3('private');
      const cacheControl = { 'api::author.author': 'public, max-age=86400', 'api::country.country': 'no-store' };
      const server = await serveS3(engine, s3, {}, { api: { rest: { cacheControl } } });
      try {
        const [file] = await uploadSamples(server, ['small.webp']);
        const token = server.secrets['full'];
        const body = { data: { name: 'Ann', avatar: file.id } };
        const { documentId } = (await server.request('POST', '/api/authors', { token, body })).body.data;
        const read = async (target: string, headers = {}) => {
          const answer = await server.request('GET', target, { headers });
          return {
            status: answer.status,
            tag: answer.headers.get('etag')!,
            value: answer.headers.get('cache-control'),
          };
        };
        for (const target of ['/api/authors', `/api/authors/${documentId}`]) {
          strictEqual((await read(target)).value, 'public, max-age=86400');
          const { status, tag, value } = await read(`${target}?populate=avatar`);
          deepStrictEqual([status, value], [200, 'private, no-cache']);
          const known = await read(`${target}?populate=avatar`, { 'if-none-match': tag });
          strictEqual(known.value, 'private, no-cache');
        }
        const v4 = await read('/api/authors?populate=avatar', { 'strapi-response-format': 'v4' });
        strictEqual(v4.value, 'private, no-cache');
        const empty = await read('/api/authors?populate=avatar&filters[name]=Nobody');
        strictEqual(empty.value, 'public, max-age=86400');
        strictEqual((await read('/api/countries')).value, 'no-store');
      } finally {
        await server.stop();
        await s3.stop();
      }
    });
  });

  describe(`addresses of short lives on ${engine.name}`, () => {
    it('are new, and so is the tag, before the old ones end', async () => {
      const s3 = await startS3('private');
      const server = await serveS3(engine, s3, { S3_SIGNED_URL_EXPIRES: '4' });
      try {
        const [file] = await uploadSamples(server, ['note.txt']);
        const read = (headers = {}) =>
          server.request('GET', '/api/articles?populate=cover', { token: server.secrets['full'], headers });
        await server.request('POST', '/api/articles', {
          token: server.secrets['full'],
          body: { data: { title: 'Short', cover: file.id } },
        });
        const first = await read();
        const tag = first.headers.get('etag')!;
        const [address] = addressesIn(first.body);
        await fetchOk(address!);
        let next = await read({ 'if-none-match': tag });
        while (next.status === 304) next = await read({ 'if-none-match': tag });
        strictEqual(next.status, 200);
        notStrictEqual(addressesIn(next.body)[0], address);
        await fetchOk(addressesIn(next.body)[0]!);
        while ((await fetch(address!)).status === 200) await read();
      } finally {
        await server.stop();
        await s3.stop();
      }
    });
  });

  describe(`a public object store on ${engine.name}`, () => {
    it('has addresses as they are stored, which everyone can read', async () => {
      const s3 = await startS3('public');
      const server = await serveS3(engine, s3, {});
      try {
        const [file] = await uploadSamples(server, ['landscape.jpg']);
        strictEqual(file.isUrlSigned, false);
        strictEqual(file.provider, 'aws-s3');
        for (const address of addressesIn(file)) {
          ok(address.startsWith(`${s3.endpoint}/${BUCKET}/`) && !address.includes('?'));
          await fetchOk(address);
        }
        const body = { data: { title: 'Public', cover: file.id } };
        const created = await server.request('POST', '/api/articles?populate=cover', {
          token: server.secrets['full'],
          body,
        });
        strictEqual('isUrlSigned' in created.body.data.cover, false);
        strictEqual(created.body.data.cover.url, file.url);
      } finally {
        await server.stop();
        await s3.stop();
      }
    });
  });
}

async function serveS3(engine: Engine, s3: S3Server, more: Record<string, string>, files: ConfigFilesOfTest = {}) {
  const env = s3.env(more);
  const folder = await copyProject(CONFORMANCE_DIR);
  await writeConfig(folder.dir, files);
  let database: TestDatabase | undefined;
  const own = { ...engine, databaseFor: async () => (database = await engine.databaseFor(folder)) };
  const fixture = {
    locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
    tokens: [{ name: 'full', type: 'full-access' }],
    roles: { public: ['api::author.author.find', 'api::author.author.findOne', 'api::country.country.find'] },
  };
  const server = await serveSeeded(own, folder, fixture, env);
  const keep = async () => undefined;
  /** A second server on the same project and database, which stay when it stops. */
  const another = () => serve({ dir: folder.dir, remove: keep }, { env: database!.env, drop: keep }, env);
  return { ...server, another };
}

async function fetchOk(address: string): Promise<Response> {
  const answer = await fetch(address);
  strictEqual(answer.status, 200, address);
  return answer;
}
