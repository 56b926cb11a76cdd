/**
 * Rules of locales beside those of Strapi (docs/differences.md, "Locales"): an empty `locale`, single types, and
 * uniqueness where a locale is missing.
 */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const title = { type: 'string', ...localized };

function project() {
  return makeProject({
    contentTypes: {
      page: contentType('page', { title }, { options: { draftAndPublish: true }, ...localized }),
      plain: contentType('plain', { title: { type: 'string' } }),
      imprint: contentType('imprint', { title, phone: { type: 'string' } }, { kind: 'singleType', ...localized }),
      code: contentType('code', { name: { type: 'string', unique: true } }, localized),
      odd: contentType('odd', { title, number: { type: 'string', regex: '^[0-9]+$', default: 'none' } }, localized),
    },
  });
}

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'update', type: 'custom', permissions: ['api::imprint.imprint.update'] },
    {
      name: 'localize',
      type: 'custom',
      permissions: ['api::imprint.imprint.update', 'api::imprint.imprint.createLocalization'],
    },
  ],
};

for (const engine of engines) {
  describe(`rules of locales on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    before(async () => {
      server = await serveSeeded(engine, await project(), FIXTURE);
      api = documentsOf(server);
    });
    after(() => server?.stop());

    const remove = async (target: string) =>
      (await server.request('DELETE', target, { token: server.secrets['full'] })).status;

    it('a DELETE whose locale is empty is refused and removes nothing', async () => {
      const { documentId } = await api.create('pages', { title: 'en' });
      await api.update('pages', documentId, { title: 'fr' }, 'locale=fr');
      for (const query of ['locale=', 'locale', 'locale[]=', 'locale[0]=&locale[1]=fr', 'locale=&locale=fr']) {
        strictEqual(await remove(`/api/pages/${documentId}?${query}`), 400, query);
      }
      strictEqual((await api.read('pages', documentId)).title, 'en');
      strictEqual((await api.read('pages', documentId, 'locale=fr')).title, 'fr');
      strictEqual(await remove(`/api/pages/${documentId}`), 204);
      strictEqual(await api.read('pages', documentId, 'locale=fr'), undefined);
    });

    it('so is a removal in a batch', async () => {
      const { documentId } = await api.create('pages', { title: 'en' });
      for (const locale of ['', null, []]) {
        const operations = [{ action: 'delete', documentId, locale }];
        const token = server.secrets['full'];
        const { status } = await server.request('POST', '/api/pages/actions/batch', { token, body: { operations } });
        strictEqual(status, 400, JSON.stringify(locale));
      }
      strictEqual((await api.read('pages', documentId)).title, 'en');
    });

    it('so is the removal of a single type; a type without locales takes no notice of the parameter', async () => {
      const token = server.secrets['full'];
      strictEqual(
        (await server.request('PUT', '/api/imprint', { token, body: { data: { title: 'en' } } })).status,
        200,
      );
      strictEqual(await remove('/api/imprint?locale='), 400);
      strictEqual((await server.get('/api/imprint', token)).body.data.title, 'en');
      strictEqual(await remove('/api/imprint'), 204);
      const { documentId } = await api.create('plains', { title: 'one' });
      strictEqual(await remove(`/api/plains/${documentId}?locale=`), 204);
      strictEqual(await api.read('plains', documentId), undefined);
    });

    it('an empty locale of a write is the default one', async () => {
      const { documentId, locale } = await api.create('pages', { title: 'en' }, 'locale=');
      strictEqual(locale, 'en');
      strictEqual((await api.update('pages', documentId, { title: 'two' }, 'locale=')).locale, 'en');
    });

    it('a single type needs createLocalization for any version but that of the default locale', async () => {
      const put = async (name: string, query: string, data: object) =>
        (await server.request('PUT', `/api/imprint?${query}`, { token: server.secrets[name], body: { data } })).status;
      strictEqual(await put('update', 'locale=fr', { title: 'fr' }), 403);
      deepStrictEqual((await server.get('/api/imprint?locale=fr', server.secrets['full'])).status, 404);
      // the first version may bring shared attributes, in whatever locale
      strictEqual(await put('localize', 'locale=fr', { title: 'fr', phone: '1' }), 200);
      strictEqual(await put('update', 'locale=fr', { title: 'fr 2' }), 200);
      // a further version, be it the default one, is a localization
      strictEqual(await put('update', '', { title: 'en' }), 403);
      strictEqual(await put('localize', '', { title: 'en', phone: '2' }), 400);
      strictEqual(await remove('/api/imprint'), 204);
      strictEqual(await put('update', 'locale=en', { title: 'en', phone: '3' }), 200);
      strictEqual(await remove('/api/imprint'), 204);
    });

    it('a new version takes shared values from its siblings where their defaults break rules of their own', async () => {
      const { documentId } = await api.create('odds', { title: 'en', number: '7' });
      const french = await api.update('odds', documentId, { title: 'fr' }, 'locale=fr');
      deepStrictEqual([french.title, french.number], ['fr', '7']);
    });

    it('uniqueness is checked for rows with and without a locale of one type', async () => {
      const { documentId } = await api.create('codes', { name: 'first' });
      await api.create('codes', { name: 'second' });
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update "codes" set "locale" = null where "document_id" = '${documentId}'`, []);
      });
      const codes = server.app.documents('api::code.code');
      await rejects(codes.clone({ documentId, locale: '*' }), {
        name: 'ValidationError',
        message: 'This attribute must be unique',
      });
      await api.refused('POST', '/api/codes', { name: 'second' });
      await api.create('codes', { name: 'first' });
    });
  });
}
