/** `@strapi/client`, the reference's own client library: every one of its methods against a running server. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  HTTPAuthorizationError,
  HTTPBadRequestError,
  HTTPForbiddenError,
  HTTPNotFoundError,
  type StrapiClient,
  strapi,
} from '@strapi/client';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

/** What the library's own declarations call private. */
const INNER = new Set([
  'constructor',
  'preflightValidation',
  'init',
  'initHttp',
  'initAuth',
  'auth',
  'shouldWrapDataBodyAttribute',
  'createFileHttpClient',
  'uploadBuffer',
  'uploadBlob',
]);
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

for (const engine of engines) {
  describe(`@strapi/client on ${engine.name}`, () => {
    let server: SeededServer;
    let client: StrapiClient;
    const as = (auth: string | undefined, headers: Record<string, string> = {}): StrapiClient =>
      strapi({ baseURL: `${server.url}/api`, headers, ...(auth === undefined ? {} : { auth }) });

    before(async () => {
      server = await serveScenarioProject(engine);
      client = as(server.secrets['full']);
    });
    after(() => server?.stop());

    it('has no method that is not tried here', () => {
      const methods = (manager: object) =>
        Object.getOwnPropertyNames(Object.getPrototypeOf(manager)).filter((name) => !INNER.has(name));
      deepStrictEqual(methods(client), ['baseURL', 'fetch', 'collection', 'single']);
      deepStrictEqual(methods(client.collection('tags')), ['find', 'findOne', 'create', 'update', 'delete']);
      deepStrictEqual(methods(client.collection('users')), []);
      deepStrictEqual(methods(client.single('homepage')), ['find', 'update', 'delete']);
      deepStrictEqual(methods(client.files), ['find', 'findOne', 'update', 'delete', 'upload']);
    });

    it('returns its base address', () => strictEqual(client.baseURL, `${server.url}/api`));

    it('creates, reads, updates and deletes documents', async () => {
      const tags = client.collection('tags');
      const { data: made } = await tags.create({ name: 'red', weight: 3 });
      match(made.documentId, /^[a-z0-9]{24}$/);
      strictEqual(made['name'], 'red');
      const { data: updated } = await tags.update(made.documentId, { weight: 4 });
      deepStrictEqual([updated.documentId, updated['name'], updated['weight']], [made.documentId, 'red', 4]);
      const { data: read } = await tags.findOne(made.documentId, { fields: ['weight'] });
      deepStrictEqual(read, { id: read['id'], documentId: made.documentId, weight: 4 });
      strictEqual(await tags.delete(made.documentId), undefined);
      await rejects(tags.findOne(made.documentId), HTTPNotFoundError);
    });

    it('lists with filters, sort, fields, populate and pagination', async () => {
      const author = (await client.collection('authors').create({ name: 'Ann' })).data;
      const articles = client.collection('articles');
      for (const [title, views] of [
        ['One', 1],
        ['Two', 2],
        ['Three', 3],
      ] as const) {
        await articles.create({ title, views, author: author.documentId }, { status: 'published' });
      }
      const { data, meta } = await articles.find({
        filters: { views: { $gte: 2 }, author: { name: { $eq: 'Ann' } } },
        sort: ['views:desc'],
        fields: ['title'],
        populate: { author: { fields: ['name'] } },
        pagination: { page: 1, pageSize: 1 },
      });
      deepStrictEqual(meta, { pagination: { page: 1, pageSize: 1, pageCount: 2, total: 2 } });
      deepStrictEqual(
        data.map(({ title, author }) => [title, author.name]),
        [['Three', 'Ann']],
      );
      const offset = await articles.find({ sort: 'views', pagination: { start: 1, limit: 2, withCount: false } });
      deepStrictEqual(
        offset.data.map(({ title }) => title),
        ['Two', 'Three'],
      );
      const listed = await articles.find({ populate: ['author', 'tags'], filters: { title: 'One' } });
      deepStrictEqual([listed.data[0]!['author'].name, listed.data[0]!['tags']], ['Ann', []]);
    });

    it('writes and reads locales and drafts', async () => {
      const articles = client.collection('articles');
      const { data: made } = await articles.create({ title: 'Draft' }, { status: 'draft' });
      await rejects(articles.findOne(made.documentId), HTTPNotFoundError);
      strictEqual((await articles.findOne(made.documentId, { status: 'draft' })).data['title'], 'Draft');
      const french = await articles.update(
        made.documentId,
        { title: 'Brouillon' },
        { locale: 'fr', status: 'published' },
      );
      deepStrictEqual([french.data['locale'], french.data['title']], ['fr', 'Brouillon']);
      strictEqual((await articles.findOne(made.documentId, { locale: 'fr' })).data['title'], 'Brouillon');
      await articles.delete(made.documentId, { locale: 'fr' });
      await rejects(articles.findOne(made.documentId, { locale: 'fr' }), HTTPNotFoundError);
      strictEqual((await articles.findOne(made.documentId, { status: 'draft' })).data['title'], 'Draft');
    });

    it('reads, updates and deletes single types', async () => {
      const homepage = client.single('homepage');
      await rejects(homepage.find(), HTTPNotFoundError);
      const { data } = await homepage.update({ headline: 'Hello' }, { status: 'published' });
      strictEqual(data['headline'], 'Hello');
      const french = await homepage.update({ headline: 'Bonjour' }, { status: 'published', locale: 'fr' });
      strictEqual(french.data.documentId, data.documentId);
      strictEqual((await homepage.find()).data['headline'], 'Hello');
      strictEqual((await homepage.find({ locale: 'fr', fields: ['headline'] })).data['headline'], 'Bonjour');
      strictEqual(await homepage.delete({ locale: 'fr' }), undefined);
      strictEqual(await homepage.delete(), undefined);
      await rejects(homepage.find(), HTTPNotFoundError);
    });

    it('uploads, lists, describes and deletes files', async () => {
      const { files } = client;
      const [blob] = await files.upload(new Blob([PNG], { type: 'image/png' }), { fileInfo: { name: 'dot.png' } });
      const [buffer] = await files.upload(PNG, {
        filename: 'point.png',
        mimetype: 'image/png',
        fileInfo: { alternativeText: 'a point', caption: 'one pixel' },
      });
      deepStrictEqual([blob!.name, blob!.mime, blob!.width, blob!.height], ['dot.png', 'image/png', 1, 1]);
      deepStrictEqual([buffer!.name, buffer!.alternativeText, buffer!.caption], ['point.png', 'a point', 'one pixel']);
      const found = await files.find({ filters: { name: { $contains: 'po' } }, sort: 'name:asc' });
      deepStrictEqual(
        found.map(({ name }) => name),
        ['point.png'],
      );
      strictEqual((await files.findOne(buffer!.id)).documentId, buffer!.documentId);
      const described = await files.update(buffer!.id, { name: 'spot.png', caption: 'red' });
      deepStrictEqual([described.name, described.caption, described.alternativeText], ['spot.png', 'red', 'a point']);
      const answer = await fetch(server.url + buffer!.url);
      deepStrictEqual([answer.status, answer.headers.get('content-type')], [200, 'image/png']);
      strictEqual((await files.delete(buffer!.id)).id, buffer!.id);
      await rejects(files.findOne(buffer!.id), HTTPNotFoundError);
      await files.delete(blob!.id);
    });

    it('links an uploaded file to a document', async () => {
      const [file] = await client.files.upload(PNG, { filename: 'cover.png', mimetype: 'image/png' });
      const articles = client.collection('articles');
      const { data } = await articles.create({ title: 'Covered', cover: file!.id }, { populate: 'cover' });
      strictEqual(data['cover'].documentId, file!.documentId);
      await client.files.delete(file!.id);
      strictEqual(
        (await articles.findOne(data.documentId, { populate: 'cover', status: 'draft' })).data['cover'],
        null,
      );
    });

    it('manages accounts, whose bodies have no envelope', async () => {
      // the library knows the users' routes by their name, and types their answers as documents
      const users = client.collection('users');
      const { body } = await server.get('/api/users-permissions/roles', server.secrets['full']);
      const role = body.roles.find(({ type }: { type: string }) => type === 'authenticated').id;
      const account = { username: 'client', email: 'Client@Example.com', password: 'long enough' };
      const made = (await users.create({ ...account, role })) as unknown as Record<string, unknown>;
      deepStrictEqual([made['username'], made['email'], made['password']], ['client', 'client@example.com', undefined]);
      const id = made['id'] as number;
      const listed = (await users.find({ filters: { username: 'client' } })) as unknown as unknown[];
      strictEqual(listed.length, 1);
      const updated = (await users.update(id, { username: 'renamed' })) as unknown as Record<string, unknown>;
      strictEqual(updated['username'], 'renamed');
      const read = (await users.findOne(id, { populate: 'role' })) as unknown as Record<string, { type: string }>;
      strictEqual(read['role']!.type, 'authenticated');
      await users.delete(id);
      await rejects(users.findOne(id), HTTPNotFoundError);
    });

    it('speaks for an account that has logged in', async () => {
      const credentials = { username: 'reader', email: 'reader@example.com', password: 'long enough' };
      const register = await as(undefined).fetch('/auth/local/register', {
        method: 'POST',
        body: JSON.stringify(credentials),
        headers: { 'Content-Type': 'application/json' },
      });
      const { jwt } = (await register.json()) as { jwt: string };
      const reader = as(jwt);
      const me = (await (await reader.fetch('/users/me')).json()) as { username: string };
      strictEqual(me.username, 'reader');
      ok((await reader.collection('articles').find()).data.length > 0);
      await rejects(reader.collection('tags').find(), HTTPForbiddenError);
    });

    it('throws the error of the status', async () => {
      await rejects(as('unknown').collection('authors').find(), HTTPAuthorizationError);
      await rejects(as(undefined).collection('tags').find(), HTTPForbiddenError);
      await rejects(client.collection('nothings').find(), HTTPNotFoundError);
      await rejects(client.collection('tags').create({ colour: 'red' }), HTTPBadRequestError);
      await rejects(client.collection('tags').find({ filters: { colour: 'red' } }), (error: HTTPBadRequestError) => {
        strictEqual(error.response.status, 400);
        return true;
      });
    });

    it('fetches any path, and sends headers of its own', async () => {
      const response = await client.fetch('/i18n/locales');
      const locales = (await response.json()) as { code: string }[];
      deepStrictEqual(
        locales.map(({ code }) => code),
        ['en', 'fr', 'de'],
      );
      const previous = as(server.secrets['full'], { 'Strapi-Response-Format': 'v4' });
      const { data } = await previous.collection('authors').find({ filters: { name: 'Ann' } });
      strictEqual(data[0]!['attributes'].name, 'Ann');
    });

    it('reaches routes below a given path or plugin', async () => {
      strictEqual((await client.collection('tags', { path: '/tags' }).find()).meta.pagination?.page, 1);
      await client.single('homepage', { path: '/homepage' }).update({ headline: 'Again' });
      const roles = client.collection('roles', { plugin: { name: 'users-permissions' } });
      const listed = (await roles.find()) as unknown as { roles: unknown[] };
      strictEqual(listed.roles.length, 2);
      await client.single('homepage').delete();
    });
  });
}
