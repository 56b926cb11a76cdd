/**
 * `firstPublishedAt`: the time of a version's first publication, if `config/features` enables it
 * (docs/reference/schemas.md).
 */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { declarationsOf } from '../../../src/schema/declarations.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const features = { future: { experimental_firstPublishedAt: true } };
const PROJECT = {
  contentTypes: {
    post: contentType(
      'post',
      { title: { type: 'string', ...localized }, code: { type: 'string' } },
      { options: { draftAndPublish: true }, ...localized },
    ),
    note: contentType('note', { title: { type: 'string' } }),
  },
  files: { 'config/features.json': features },
};
const LONG_AGO = '2001-02-03T04:05:06.000Z';

for (const engine of engines) {
  describe(`the time of the first publication on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    const call = (method: string, target: string, body?: unknown): Promise<Answer> =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        ...(body === undefined ? {} : { body: { data: body } }),
      });
    const data = ({ status, body, text }: Answer) => {
      strictEqual(status, 200, text.slice(0, 300));
      return body.data;
    };
    const both = async (id: string, locale = 'en') => {
      const [draft, published] = [
        data(await call('GET', `/posts/${id}?status=draft&locale=${locale}`)),
        data(await call('GET', `/posts/${id}?locale=${locale}`)),
      ];
      strictEqual(draft.firstPublishedAt, published.firstPublishedAt);
      return published;
    };

    it('is null in a draft, and stays unchanged after the first publication', async () => {
      const draft = data(await call('POST', '/posts?status=draft', { title: 'a' }));
      strictEqual(draft.firstPublishedAt, null);
      data(await call('POST', `/posts/${draft.documentId}/actions/publish`));
      const first = await both(draft.documentId);
      strictEqual(first.firstPublishedAt, first.publishedAt);
      data(await call('PUT', `/posts/${draft.documentId}`, { title: 'b' }));
      const again = await both(draft.documentId);
      notStrictEqual(again.publishedAt, first.publishedAt);
      strictEqual(again.firstPublishedAt, first.firstPublishedAt);
      data(await call('POST', `/posts/${draft.documentId}/actions/unpublish`));
      data(await call('POST', `/posts/${draft.documentId}/actions/publish`));
      strictEqual((await both(draft.documentId)).firstPublishedAt, first.firstPublishedAt);
      data(await call('PUT', `/posts/${draft.documentId}?status=draft`, { title: 'c' }));
      data(await call('POST', `/posts/${draft.documentId}/actions/discard-draft`));
      strictEqual((await both(draft.documentId)).firstPublishedAt, first.firstPublishedAt);
    });

    it('is the creation time of a document created published, separately for each locale', async () => {
      const made = data(await call('POST', '/posts', { title: 'a' }));
      const english = await both(made.documentId);
      strictEqual(made.firstPublishedAt, english.publishedAt);
      data(await call('PUT', `/posts/${made.documentId}?locale=fr&status=draft`, { title: 'un' }));
      const french = data(await call('GET', `/posts/${made.documentId}?locale=fr&status=draft`));
      strictEqual(french.firstPublishedAt, null);
      data(await call('POST', `/posts/${made.documentId}/actions/publish?locale=fr`));
      const published = await both(made.documentId, 'fr');
      strictEqual(published.firstPublishedAt, published.publishedAt);
      strictEqual((await both(made.documentId)).firstPublishedAt, english.firstPublishedAt);
    });

    it('is taken from the body of a create, and not from that of an update', async () => {
      const made = data(await call('POST', '/posts', { title: 'a', firstPublishedAt: LONG_AGO }));
      strictEqual((await both(made.documentId)).firstPublishedAt, LONG_AGO);
      for (const firstPublishedAt of ['2010-01-01T00:00:00.000Z', null]) {
        data(await call('PUT', `/posts/${made.documentId}`, { title: 'b', firstPublishedAt }));
        strictEqual((await both(made.documentId)).firstPublishedAt, LONG_AGO);
      }
      strictEqual((await call('POST', '/posts', { firstPublishedAt: 'soon' })).status, 400);
    });

    it('is filtered and sorted by, and no part of types without drafts', async () => {
      const found = data(await call('GET', `/posts?filters[firstPublishedAt][$lt]=2005-01-01&sort=firstPublishedAt`));
      deepStrictEqual(
        found.map(({ firstPublishedAt }: { firstPublishedAt: string }) => firstPublishedAt),
        [LONG_AGO],
      );
      const note = data(await call('POST', '/notes', { title: 'a' }));
      ok(!('firstPublishedAt' in note));
      strictEqual((await call('GET', '/notes?sort=firstPublishedAt')).status, 400);
    });

    it('is null in a copy, and is not a field of the administration app', async () => {
      const made = data(await call('POST', '/posts', { title: 'a' }));
      const copy = await server.app.documents('api::post.post').clone({ documentId: made.documentId });
      const { documentId } = copy;
      strictEqual(data(await call('GET', `/posts/${documentId}?status=draft`)).firstPublishedAt, null);
      await makeAdministrator(server, 'mara', 'strapi-super-admin');
      const mara = new Browser(server);
      await mara.signIn('mara');
      const { body } = await mara.get('schema');
      const post = body.data.contentTypes.find(({ uid }: { uid: string }) => uid === 'api::post.post');
      deepStrictEqual(
        post.attributes.map(({ name }: { name: string }) => name),
        ['title', 'code'],
      );
    });
  });

  it(`documents published before the column exists have their publication time as the first, on ${engine.name}`, async () => {
    const { 'config/features.json': _, ...files } = PROJECT.files;
    const folder = await makeProject({ ...PROJECT, files });
    const database = await engine.databaseFor(folder);
    const options = { env: database.env, overrides: { port: 0, host: '127.0.0.1' } };
    try {
      const before = await openProject(folder.dir, options);
      const posts = before.documents('api::post.post');
      const published = await posts.create({ data: { title: 'a' } as never, status: 'published' });
      const draft = await posts.create({ data: { title: 'b' } as never });
      await before.close();
      await mkdir(path.join(folder.dir, 'config'), { recursive: true });
      await writeFile(path.join(folder.dir, 'config/features.json'), JSON.stringify(features));
      const app = await openProject(folder.dir, options);
      const find = async (documentId: string, status: 'draft' | 'published') =>
        (await app.documents('api::post.post').findOne({ documentId, status })) as never as Record<string, unknown>;
      for (const status of ['draft', 'published'] as const) {
        strictEqual((await find(published.documentId, status))['firstPublishedAt'], published.publishedAt);
      }
      strictEqual((await find(draft.documentId, 'draft'))['firstPublishedAt'], null);
      await app.close();
    } finally {
      await database.drop();
      await folder.remove();
    }
  });
}

it('types have the time of the first publication where the flag is set', async () => {
  const folder = await makeProject(PROJECT);
  const text = (firstPublishedAt: boolean) => declarationsOf(loadCatalog(folder.dir, { firstPublishedAt }));
  match(text(true), /interface PostDocument \{[^}]*firstPublishedAt: string \| null;/);
  ok(!text(false).includes('firstPublishedAt'));
  await folder.remove();
});
