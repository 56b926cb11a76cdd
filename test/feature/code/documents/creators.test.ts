/** Creators and last editors of a document, for callers and code (docs/reference/query-parameters.md). */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { declarationsOf } from '../../../../src/schema/declarations.ts';
import { makeAdministrator } from '../../../support/accounts/administrators.ts';
import { engines } from '../../../support/databases/databases.ts';
import { recordingReader } from '../../../support/recording/recording.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const ARTICLE = 'api::article.article';
const NOTE = 'api::note.note';
const text = { type: 'string' };
const to = (relation: string, target: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });

const PROJECT: ProjectFiles = {
  contentTypes: {
    article: contentType(
      'article',
      { title: text, note: to('manyToOne', NOTE), any: to('morphToMany', '', { target: undefined }) },
      { options: { draftAndPublish: true, populateCreatorFields: true } },
    ),
    note: contentType('note', { text, article: to('oneToOne', ARTICLE), owner: to('oneToOne', 'admin::user') }),
    page: contentType('page', { title: text }, { options: { populateCreatorFields: true } }),
    sheet: contentType('sheet', { title: text }, { options: { populateCreatorFields: true } }),
    half: contentType(
      'half',
      { title: text },
      { options: { populateCreatorFields: true, privateAttributes: ['updatedBy'] } },
    ),
  },
  files: {
    'src/galley.js': `exports.access = {
      'api::page.page': { read: ['title'] },
      'api::sheet.sheet': { read: ['title', 'createdBy'] },
    };`,
    'src/api/article/routes/01-own.js': `const creators = (ctx, next) => { ctx.query.populate = ['createdBy', 'updatedBy']; return next(); };
module.exports = { routes: [{ method: 'GET', path: '/made', handler: 'article.find', config: { middlewares: [creators] } }] };`,
    'src/api/article/routes/article.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('${ARTICLE}');`,
    'src/api/article/controllers/article.js': `module.exports = require('@strapi/strapi').factories.createCoreController('${ARTICLE}');`,
  },
};

const ACTIONS = {
  documents: `return strapi.documents('${ARTICLE}').findMany({ populate: ['createdBy'], sort: 'title' });`,
  other: `return strapi.documents('${NOTE}').findMany({ populate: { createdBy: true } });`,
  star: `return [await strapi.documents('${ARTICLE}').findFirst({ filters: { title: 'one' }, populate: '*' }), await strapi.documents('${NOTE}').findFirst({ populate: '*' })].map((one) => Object.keys(one).filter((name) => name.endsWith('By')));`,
  rows: `return strapi.db.query('${NOTE}').findMany({ populate: ['createdBy', 'updatedBy'] });`,
  email: `return strapi.documents('${ARTICLE}').findMany({ populate: { createdBy: { fields: ['email'] } } });`,
  roles: `return strapi.documents('${NOTE}').findMany({ populate: { createdBy: { populate: ['roles'] } } });`,
  probed: `return strapi.documents('${NOTE}').findMany({ filters: { createdBy: { email: { $startsWith: 'a' } } } });`,
  sanitized: `const administrator = await strapi.db.query('admin::user').findOne({ where: { firstname: 'ann' } });
    const made = { title: 'x', createdBy: { ...administrator, password: 'hash', roles: [{ id: 1 }] } };
    const shown = (uid) => strapi.contentAPI.sanitize.output(made, strapi.contentType(uid), { auth: ctx.state.auth });
    return [await shown('${ARTICLE}'), await shown('${NOTE}')];`,
  schemas: `return ['${ARTICLE}', '${NOTE}'].map((uid) => strapi.contentType(uid).attributes.createdBy.private);`,
};

const CREATOR = [
  ...['createdAt', 'documentId', 'firstname', 'id', 'lastname', 'preferedLanguage', 'publishedAt', 'updatedAt'],
  'username',
];
const keysOf = (value: object) => Object.keys(value).sort();

for (const engine of engines) {
  describe(`creators of a document, on ${engine.name}`, () => {
    let served: ServedActions;
    const ids: Record<string, string> = {};

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS, {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: { public: ['api::page.page.find', 'api::sheet.sheet.find'] },
      });
      const { app } = served.server;
      const [ann, bob] = [
        await makeAdministrator(served.server, 'ann', 'strapi-super-admin'),
        await makeAdministrator(served.server, 'bob', 'strapi-editor'),
      ];
      for (const [title, by, changed] of [
        ['one', ann, bob],
        ['two', bob, ann],
        ['nobody', null, null],
      ] as const) {
        const made = await app.documents(ARTICLE).create({ data: { title }, status: 'published' });
        ids[title] = String(made.documentId);
        await app.database.transaction(async (tx) => {
          const set = `"created_by_id" = ${by}, "updated_by_id" = ${changed}`;
          await tx.rows(`update "articles" set ${set} where "document_id" = '${made.documentId}' returning "id"`, []);
        });
      }
      const note = await app.documents(NOTE).create({ data: { text: 'n', article: ids['one']! } });
      await app.documents(ARTICLE).update({
        documentId: ids['one']!,
        data: { note: note.documentId, any: [{ __type: NOTE, documentId: note.documentId }] },
        status: 'published',
      });
      for (const uid of ['page', 'sheet']) await app.documents(`api::${uid}.${uid}`).create({ data: { title: uid } });
      await app.database.transaction(async (tx) => {
        for (const table of ['notes', 'pages', 'sheets'])
          await tx.rows(`update "${table}" set "created_by_id" = ${ann} returning "id"`, []);
      });
    });
    after(() => served?.server.stop());

    const get = (target: string) =>
      served.server.request('GET', `/api/${target}`, { token: served.server.secrets['full']! });
    const titles = async (query: string) =>
      ((await get(`articles?${query}`)).body.data as { title: string }[]).map(({ title }) => title);

    it('are shown with their public attributes, in lists and single reads, at any depth', async () => {
      const { body } = await get('articles?populate=createdBy&sort=title:desc');
      const [two, one, nobody] = body.data;
      deepStrictEqual(keysOf(one.createdBy), CREATOR);
      deepStrictEqual([one.createdBy.firstname, two.createdBy.firstname, nobody.createdBy], ['ann', 'bob', null]);
      strictEqual('updatedBy' in one, false);
      const single = (await get(`articles/${ids['one']}?populate=createdBy,updatedBy&fields=title`)).body.data;
      deepStrictEqual(keysOf(single), ['createdBy', 'documentId', 'id', 'title', 'updatedBy']);
      deepStrictEqual([single.createdBy, single.updatedBy.firstname], [one.createdBy, 'bob']);
      for (const query of [
        'populate[article][populate]=createdBy',
        'populate=article.createdBy',
        'populate[article][populate]=*',
      ]) {
        deepStrictEqual((await get(`notes?${query}`)).body.data[0].article.createdBy, one.createdBy, query);
      }
      const star = (await get('articles?populate=*&filters[title]=one')).body.data[0];
      deepStrictEqual([star.createdBy, star.updatedBy.firstname], [one.createdBy, 'bob']);
      const some = (await get('articles?populate[createdBy][fields]=firstname&filters[title]=one')).body.data[0];
      deepStrictEqual(keysOf(some.createdBy), ['documentId', 'firstname', 'id']);
      const inside = (await get('articles?populate[createdBy][populate]=*&filters[title]=one')).body.data[0];
      deepStrictEqual(inside.createdBy, one.createdBy);
      const made = await served.server.request('POST', '/api/articles?populate=createdBy', {
        token: served.server.secrets['full']!,
        body: { data: { title: 'z' } },
      });
      strictEqual(made.body.data.createdBy, null);
      await served.server.app.documents(ARTICLE).delete({ documentId: made.body.data.documentId });
    });

    it('are shown to a middleware of a route on request', async () => {
      const [one] = (await get('made?sort=title:desc&filters[title]=one')).body.data;
      deepStrictEqual([one.createdBy.firstname, one.updatedBy.firstname], ['ann', 'bob']);
    });

    it('can be filtered and sorted by their shown attributes, and by nothing else', async () => {
      deepStrictEqual(await titles('filters[createdBy][firstname]=ann'), ['one']);
      deepStrictEqual(await titles('filters[updatedBy][firstname][$startsWith]=a'), ['two']);
      deepStrictEqual(await titles('filters[createdBy][$null]=true'), ['nobody']);
      deepStrictEqual(await titles('sort=createdBy.firstname:desc&filters[createdBy][$notNull]=true'), ['two', 'one']);
      strictEqual((await get('notes?filters[article][createdBy][firstname]=ann')).body.data.length, 1);
      strictEqual((await get('notes?filters[article][createdBy][firstname]=bob')).body.data.length, 0);
      for (const [query, key] of [
        ['filters[createdBy][email]=ann@example.com', 'email'],
        ['filters[createdBy][password][$notNull]=true', 'password'],
        ['filters[createdBy][resetPasswordToken][$null]=true', 'resetPasswordToken'],
        ['filters[createdBy][roles][code]=strapi-editor', 'roles'],
        ['filters[createdBy][isActive]=true', 'isActive'],
        ['filters[createdBy][createdBy][id]=1', 'createdBy'],
        ['sort=createdBy.email', 'email'],
        ['sort=createdBy.blocked', 'blocked'],
        ['populate[createdBy][fields]=email', 'email'],
        ['populate[createdBy][fields]=registrationToken', 'registrationToken'],
        ['populate[createdBy][populate]=roles', 'roles'],
        ['populate=createdBy.apiTokens', 'apiTokens'],
        ['populate[createdBy][filters][email]=ann@example.com', 'email'],
        ['populate[createdBy][sort]=email', 'email'],
        ['fields=createdBy', 'createdBy'],
        ['populate=note.createdBy', 'createdBy'],
      ]) {
        const { status, body } = await get(`articles?${query}`);
        deepStrictEqual([status, body.error?.details.key], [400, key], query);
      }
    });

    it('are hidden for types whose schema does not show them, and in other relations to administrators', async () => {
      for (const query of ['populate=createdBy', 'filters[createdBy][firstname]=ann', 'sort=createdBy.firstname']) {
        const { status, body } = await get(`notes?${query}`);
        deepStrictEqual([status, body.error?.details.key], [400, 'createdBy'], query);
      }
      const [note] = (await get('notes?populate=*')).body.data;
      deepStrictEqual(
        keysOf(note).filter((name) => /By$|owner/.test(name)),
        [],
      );
      strictEqual((await get('notes?filters[owner][firstname]=ann')).status, 400);
      strictEqual((await get('halfs?populate=createdBy')).status, 200);
      strictEqual((await get('halfs?populate=updatedBy')).status, 400);
      const [any] = (await get('articles?populate=any&filters[title]=one')).body.data;
      strictEqual('createdBy' in any.any[0], false);
    });

    it('are shown where rules of access name them', async () => {
      const open = (target: string) => served.server.request('GET', `/api/${target}`);
      strictEqual('createdBy' in (await open('pages?populate=createdBy')).body.data[0], false);
      strictEqual('createdBy' in (await open('pages?populate=*')).body.data[0], false);
      strictEqual((await open('pages?filters[createdBy][firstname]=ann')).status, 400);
      const [sheet] = (await open('sheets?populate=*')).body.data;
      deepStrictEqual([sheet.createdBy.firstname, 'updatedBy' in sheet], ['ann', false]);
    });

    it('are returned to code that names them, without private attributes', async () => {
      const [nobody, one] = await served.run('documents');
      deepStrictEqual([nobody.createdBy, keysOf(one.createdBy)], [null, CREATOR]);
      deepStrictEqual(keysOf((await served.run('other'))[0].createdBy), CREATOR);
      const [row] = await served.run('rows');
      deepStrictEqual([row.createdBy.firstname, row.updatedBy], ['ann', null]);
      deepStrictEqual(await served.run('star'), [
        ['createdBy', 'updatedBy'],
        ['createdBy', 'updatedBy'],
      ]);
      for (const name of ['email', 'roles', 'probed'])
        match((await served.run(name)).error, /Invalid key (email|roles)/, name);
      const [shown, hidden] = await served.run('sanitized');
      deepStrictEqual([keysOf(shown.createdBy), 'createdBy' in hidden], [CREATOR, false]);
      deepStrictEqual(await served.run('schemas'), [false, true]);
    });

    it('is read with the rest by one statement', async () => {
      const reader = recordingReader(served.server.app);
      const { data } = await reader.list(ARTICLE, 'populate=createdBy,updatedBy&sort=createdBy.firstname');
      deepStrictEqual([data.length, reader.statements.length], [3, 1]);
    });

    it('is in the description of the API, and in types', async () => {
      const { components } = (await get('openapi.json')).body ?? {};
      const { Article, Note } = components.schemas;
      const told = JSON.stringify(Article.properties.createdBy);
      strictEqual(told.includes('firstname') && !told.includes('email'), true, told);
      strictEqual('createdBy' in Note.properties, false);
      const types = declarationsOf(served.server.app.catalog);
      deepStrictEqual(types.match(/createdBy\?: Creator \| null;/g)?.length, 4);
    });
  });
}
