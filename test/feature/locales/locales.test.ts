/** Writing locale versions (docs/differences.md, "Locales"). */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const text = { type: 'string' };

function project() {
  const drafts = { options: { draftAndPublish: true } };
  return makeProject({
    contentTypes: {
      topic: contentType('topic', { name: text }, drafts),
      page: contentType(
        'page',
        {
          name: { ...text, ...localized },
          number: text,
          part: { type: 'component', component: 'parts.part' },
          next: { type: 'relation', relation: 'oneToOne', target: 'api::page.page' },
        },
        { ...drafts, ...localized },
      ),
      source: contentType('source', {
        pages: { type: 'relation', relation: 'oneToMany', target: 'api::page.page' },
      }),
    },
    components: {
      'parts.part': {
        collectionName: 'components_parts',
        info: { displayName: 'part' },
        attributes: { name: text, topics: { type: 'relation', relation: 'oneToMany', target: 'api::topic.topic' } },
      },
    },
  });
}

const PART = 'populate[part][populate][topics]=true';

for (const engine of engines) {
  describe(`writing locales on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    before(async () => {
      server = await serveSeeded(engine, await project());
      api = documentsOf(server);
    });
    after(() => server?.stop());

    const number = async (documentId: string, query: string) => (await api.read('pages', documentId, query))?.number;
    const topics = async (documentId: string, query: string) =>
      (await api.read('pages', documentId, `${PART}&${query}`)).part.topics.map((one: { name: string }) => one.name);

    it('a shared value reaches the drafts of a draft write, and both rows of a publishing one', async () => {
      const { documentId } = await api.create('pages', { name: 'en', number: 'one' });
      await api.update('pages', documentId, { name: 'fr' }, 'locale=fr');
      await api.update('pages', documentId, { number: 'two' }, 'status=draft&locale=fr');
      deepStrictEqual(await number(documentId, 'status=draft'), 'two');
      deepStrictEqual(await number(documentId, ''), 'one');
      const before = await api.read('pages', documentId, 'locale=fr');
      const draft = await api.read('pages', documentId, 'locale=fr&status=draft');
      await api.update('pages', documentId, { number: null });
      for (const query of ['', 'status=draft', 'locale=fr', 'locale=fr&status=draft']) {
        deepStrictEqual(await number(documentId, query), null, query);
      }
      const after = await api.read('pages', documentId, 'locale=fr');
      deepStrictEqual(after.updatedAt, before.updatedAt, 'published rows of other locales keep their time');
      const later = await api.read('pages', documentId, 'locale=fr&status=draft');
      deepStrictEqual(later.updatedAt, draft.updatedAt, 'a publishing write moves no draft of another locale');
    });

    it('a shared component is equal in all versions, and so are the links in it that wait', async () => {
      const { documentId: topic } = await api.create('topics', { name: 't' }, 'status=draft');
      const { documentId } = await api.create('pages', { name: 'en' });
      await api.update('pages', documentId, { name: 'fr' }, 'locale=fr');
      await api.update('pages', documentId, { part: { name: 'p', topics: [topic] } });
      deepStrictEqual(await topics(documentId, 'locale=fr&status=draft'), ['t']);
      deepStrictEqual(await topics(documentId, 'locale=fr'), []);
      await api.update('topics', topic, {});
      deepStrictEqual(await topics(documentId, ''), ['t']);
      deepStrictEqual(await topics(documentId, 'locale=fr'), ['t']);
    });

    it('a new version takes the shared values of a draft, and its body may not hold any', async () => {
      const { documentId } = await api.create('pages', { name: 'en', number: 'one', part: { name: 'p' } });
      await api.update('pages', documentId, { number: 'two' }, 'status=draft');
      const target = `/api/pages/${documentId}?locale=de`;
      const error = await api.refused('PUT', target, { name: 'de', number: 'three' });
      deepStrictEqual(error.details.errors[0].path, ['number']);
      deepStrictEqual(await api.read('pages', documentId, 'locale=de&status=draft'), undefined);
      const made = await api.update('pages', documentId, { name: 'de' }, `locale=de&status=draft&${PART}`);
      deepStrictEqual([made.number, made.part.name], ['two', 'p']);
      deepStrictEqual(await number(documentId, ''), 'one');
    });

    it('localized documents link the same locale, and refuse one that is not there', async () => {
      const { documentId: target } = await api.create('pages', { name: 'target' });
      const { documentId } = await api.create('pages', { name: 'source', next: { documentId: target, locale: 'fr' } });
      deepStrictEqual(await api.names('pages', documentId, 'next'), 'target');
      const error = await api.refused('PUT', `/api/pages/${documentId}?locale=fr`, { name: 'fr', next: target });
      deepStrictEqual(error.message, `Document with id "${target}", locale "fr" not found`);
      deepStrictEqual(await api.read('pages', documentId, 'locale=fr&status=draft'), undefined);
      await api.update('pages', target, { name: 'cible' }, 'locale=fr');
      await api.update('pages', documentId, { name: 'fr', next: target }, 'locale=fr');
      deepStrictEqual(await api.names('pages', documentId, 'next', 'locale=fr'), 'cible');
    });

    it('a source without locales links the default one, or that of the entry', async () => {
      const { documentId: page } = await api.create('pages', { name: 'page' });
      await api.update('pages', page, { name: 'page fr' }, 'locale=fr');
      const { documentId } = await api.create('sources', { pages: [page, { documentId: page, locale: 'fr' }] });
      deepStrictEqual(await api.names('sources', documentId, 'pages'), ['page', 'page fr']);
      await api.update('sources', documentId, { pages: { disconnect: [{ documentId: page, locale: 'en' }] } });
      deepStrictEqual(await api.names('sources', documentId, 'pages'), ['page fr']);
      await api.refused('PUT', `/api/sources/${documentId}`, { pages: [{ documentId: page, locale: 'de' }] });
      await api.remove('pages', page, 'locale=fr');
      deepStrictEqual(await api.names('sources', documentId, 'pages'), []);
      ok(await api.read('pages', page), 'the other version stays');
    });

    it('unknown locales are refused on writes', async () => {
      await api.refused('POST', '/api/pages?locale=xx', { name: 'x' });
    });
  });
}
