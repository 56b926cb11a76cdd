/** `strapi.entityService` of a project's code: docs/reference/project-code.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const text = { type: 'string' };
const localized = { pluginOptions: { i18n: { localized: true } } };

/** Bodies of functions that are given `strapi`, by the name of the path that calls them. */
const ACTIONS: Readonly<Record<string, string>> = {
  single: `const home = 'api::home.home';
    const none = await strapi.entityService.findMany(home);
    await strapi.documents(home).create({ data: { text: 'only' } });
    return { none, found: (await strapi.entityService.findMany(home)).text };`,
  counted: `const uid = 'api::page.page';
    for (const name of ['a', 'b']) await strapi.documents(uid).create({ data: { text: 'counted ' + name }, status: 'published' });
    await strapi.documents(uid).create({ data: { text: 'counted c' } });
    const filters = { text: { $startsWith: 'counted' } };
    const { entityService } = strapi;
    const paged = async (params) => (await entityService.findPage(uid, { filters, ...params })).pagination.total;
    return {
      documents: await entityService.count(uid, { filters }),
      rows: await paged({}),
      drafts: await paged({ status: 'draft' }),
      published: await paged({ status: 'published' }),
      all: (await entityService.findMany(uid, { filters, limit: 0 })).length,
    };`,
  paged: `const uid = 'api::home.home';
    await strapi.documents(uid).create({ data: { text: 'paged' } });
    const { results: [row], pagination } = await strapi.entityService.findPage(uid, { filters: { text: 'paged' }, fields: ['text'], sort: 'text:desc', status: 'published', page: 1, pageSize: 1 });
    return { names: Object.keys(row).sort(), total: pagination.total };`,
  linked: `const { documentId } = await strapi.documents('api::page.page').create({ data: { text: 'linked' }, status: 'published' });
    await strapi.documents('api::page.page').update({ documentId, data: { text: 'linked draft' } });
    const { id } = await strapi.documents('api::list.list').create({ data: { page: documentId } });
    const { entityService } = strapi;
    const told = [(await entityService.findOne('api::list.list', id, { populate: ['page'] })).page?.text];
    told.push((await entityService.findMany('api::list.list', { populate: ['page'] }))[0].page?.text);
    told.push((await entityService.update('api::list.list', id, { data: {}, populate: ['page'] })).page?.text);
    const row = await strapi.db.query('api::page.page').findOne({ where: { text: 'linked' } });
    return [...told, (await entityService.findOne('api::page.page', row.id)).text];`,
  deleted: `const uid = 'api::page.page';
    const pages = strapi.documents(uid);
    const rows = strapi.db.query(uid);
    const { documentId } = await pages.create({ data: { text: 'deleted' }, status: 'published' });
    await pages.update({ documentId, locale: 'de', data: { text: 'gelöscht' }, status: 'published' });
    const left = async () => (await rows.findMany({ where: { documentId } })).map(({ locale, publishedAt }) => [locale, publishedAt !== null]).sort();
    const german = await rows.findOne({ where: { documentId, locale: 'de', publishedAt: null } });
    const given = await strapi.entityService.delete(uid, german.id);
    const english = await left();
    const missing = await strapi.entityService.delete(uid, german.id);
    return { given: given.text, english, missing };`,
};

const PROJECT: ProjectFiles = {
  contentTypes: {
    page: contentType(
      'page',
      { text: { ...text, ...localized } },
      { options: { draftAndPublish: true }, ...localized },
    ),
    list: contentType('list', { page: { type: 'relation', relation: 'oneToOne', target: 'api::page.page' } }),
    home: { ...contentType('home', { text }), kind: 'singleType' },
  },
  files: {
    'src/api/page/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(ACTIONS).map((name) => ({
        ...{ method: 'GET', path: `/${name}`, handler: `own.${name}`, config: { auth: false } },
      })),
    )} };`,
    'src/api/page/controllers/own.js': `module.exports = ({ strapi }) => ({ ${Object.entries(ACTIONS)
      .map(([name, body]) => `async ${name}() { ${body} }`)
      .join(',\n')} });`,
  },
};

for (const engine of engines) {
  describe(`strapi.entityService on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server.stop());

    const ask = async (name: string) => {
      const { status, body } = await server.request('GET', `/api/${name}`);
      return { status, body };
    };

    it('finds the document of a single type, and null without one', async () => {
      deepStrictEqual(await ask('single'), { status: 200, body: { none: null, found: 'only' } });
    });

    it('shows links of types without drafts as drafts in single reads, as in lists', async () => {
      deepStrictEqual((await ask('linked')).body, [
        ...['linked draft', 'linked draft', 'linked'],
        // of types with drafts it is the row that is named
        'linked',
      ]);
    });

    it('counts documents, and pages rows, of one status if it is set', async () => {
      const body = { documents: 3, rows: 5, drafts: 3, published: 2, all: 3 };
      deepStrictEqual(await ask('counted'), { status: 200, body });
    });

    it('adds identifiers to the rows of a page with fields; types without drafts have no status', async () => {
      deepStrictEqual(await ask('paged'), { status: 200, body: { names: ['documentId', 'id', 'text'], total: 1 } });
    });

    it('deletes the draft and the published version in the locale of a row', async () => {
      const english = [
        ['en', false],
        ['en', true],
      ];
      deepStrictEqual(await ask('deleted'), { status: 200, body: { given: 'gelöscht', english, missing: null } });
    });
  });
}
