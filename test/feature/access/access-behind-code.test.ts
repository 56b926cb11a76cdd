/** Rules of access where code of the project answers: reads and writes of core services on behalf of a caller. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const UID = 'api::article.article';
const CORE = ['find', 'findOne', 'create', 'update', 'delete'];
const factory = (kind: string, uid: string, members = '') =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('${uid}'${members && `, ${members}`});`;

const CONTROLLER = `({ strapi }) => ({
  async find(ctx) {
    const { results, pagination } = await strapi.service('${UID}').find(await this.sanitizeQuery(ctx));
    return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
  },
  async findOne(ctx) {
    const found = await strapi.service('${UID}').findOne(ctx.params.id, await this.sanitizeQuery(ctx));
    return this.transformResponse(await this.sanitizeOutput(found, ctx));
  },
  async create(ctx) {
    return { data: await strapi.service('${UID}').create({ data: ctx.request.body.data }) };
  },
  async update(ctx) {
    const written = await strapi.service('${UID}').update(ctx.params.id, { data: ctx.request.body.data });
    return this.transformResponse(await this.sanitizeOutput(written, ctx));
  },
  async delete(ctx) {
    return strapi.service('${UID}').delete(ctx.params.id);
  },
  async newest(ctx) {
    const { results } = await strapi.service('${UID}').newest();
    return results.map(({ text }) => text);
  },
  async cut(ctx) {
    const { auth } = ctx.state;
    const cut = (populate) => strapi.contentAPI.sanitize.query({ populate }, strapi.getModel('api::notice.notice'), { auth });
    return Promise.all(ctx.request.body.map(async (populate) => (await cut(populate)).populate ?? null));
  },
  async all(ctx) {
    return (await strapi.documents('${UID}').findMany({ sort: 'text' })).map(({ text }) => text);
  },
})`;
const SERVICE = `({ strapi }) => ({
  async findOne(documentId, params = {}) {
    return strapi.documents('${UID}').findOne({ documentId, ...this.getFetchParams(params) });
  },
  async newest() {
    return super.find({ sort: 'text' });
  },
})`;
const ROUTES = `module.exports = { routes: [
  { method: 'GET', path: '/articles/newest', handler: 'article.newest', config: { auth: false } },
  { method: 'POST', path: '/articles/cut', handler: 'article.cut' },
  { method: 'GET', path: '/articles/all', handler: 'article.all', config: { auth: false } },
] };`;
const PROJECT = {
  contentTypes: {
    article: contentType('article', { text }),
    notice: contentType('notice', {
      text,
      secret: { ...text, private: true },
      any: { type: 'relation', relation: 'morphToMany' },
      one: { type: 'relation', relation: 'morphToOne' },
    }),
    ban: contentType('ban', { text }),
    home: contentType('home', { text }, { kind: 'singleType' }),
  },
  files: {
    'src/galley.js': `const { ValidationError } = require('galley');
    module.exports = { access: {
      '${UID}': {
        find: { text: { $startsWith: 'pub' } }, create: { text: { $startsWith: 'pub' } },
        update: { text: { $startsWith: 'pub' } }, delete: { text: { $startsWith: 'pub m' } },
      },
      'api::ban.ban': { find: false },
    },
    hooks: { 'api::article.article': { async beforeWrite({ data, documents }) {
      if (await documents('api::ban.ban').count({ filters: { text: data.text } })) throw new ValidationError('banned');
    } } },
    routes: [{ name: 'call', method: 'POST', path: '/own/call', async handler({ body, caller, documents }) {
      const own = body.isCode ? documents : caller.documents;
      return { given: await own(body.uid)[body.method](body.params) };
    } }] };`,
    'src/api/article/routes/0-own.js': ROUTES,
    'src/api/article/routes/article.js': factory('Router', UID, '{ config: { find: { auth: false } } }'),
    'src/api/article/controllers/article.js': factory('Controller', UID, CONTROLLER),
    'src/api/article/services/article.js': factory('Service', UID, SERVICE),
    // both decide about what is written by rows that no caller is shown
    'src/policies/not-banned.js': `module.exports = async (ctx, _config, { strapi }) => {
      const { text } = ctx.request.body.data;
      const { pagination } = await strapi.service('api::ban.ban').find({ filters: { text } });
      return pagination.total === 0;
    };`,
    'src/api/notice/routes/notice.js': factory(
      'Router',
      'api::notice.notice',
      "{ config: { create: { policies: ['global::not-banned'] } } }",
    ),
    'src/api/notice/content-types/notice/lifecycles.js': `const refuse = async ({ params: { data: { text } } }) => {
        const { total } = (await strapi.service('api::ban.ban').find({ filters: { text } })).pagination;
        const known = await strapi.documents('api::ban.ban').count({ filters: { text } });
        if (total + known > 0) throw new (require('@strapi/utils').errors.ApplicationError)('banned');
      };
      module.exports = { beforeCreate: refuse, beforeUpdate: refuse };`,
    'src/index.js': `const { ApplicationError } = require('@strapi/utils').errors;
    module.exports = { register({ strapi }) {
      strapi.documents.use(async (context, next) => {
        if (context.uid !== 'api::notice.notice' || context.action !== 'delete') return next();
        if ((await strapi.documents('api::ban.ban').count()) > 1) throw new ApplicationError('nothing goes');
        return next();
      });
    } };`,
  },
};
const FIXTURE = {
  tokens: [{ name: 'full', type: 'full-access' }],
  roles: {
    public: [
      `${UID}.cut`,
      'api::galley.route.call',
      ...CORE.map((name) => `${UID}.${name}`),
      ...CORE.map((name) => `api::notice.notice.${name}`),
      'api::home.home.update',
    ],
  },
};

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`rules of access behind code of a project on ${engine.name}`, () => {
    let server: SeededServer;
    const ids: Record<string, string> = {};

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
    });
    after(() => server?.stop());

    const texts = async () => {
      const all = await server.app.documents(UID).findMany({ sort: 'text' });
      return all.map((one) => (one as Any).text);
    };
    const send = async (method: string, target: string, data?: object) => {
      const { status, body } = await server.request(method, `/api/${target}`, data ? { body: { data } } : {});
      return { status, body };
    };
    beforeEach(async () => {
      const articles = server.app.documents(UID);
      for (const { documentId } of await articles.findMany()) await articles.delete({ documentId });
      for (const name of ['pub one', 'private one', 'pub mine']) {
        ids[name] = (await articles.create({ data: { text: name } })).documentId;
      }
    });

    it('hold for reads of a controller by the service of a type', async () => {
      const { body } = await send('GET', 'articles?sort=text');
      deepStrictEqual(
        [body.data.map((one: Any) => one.text), body.meta.pagination.total],
        [['pub mine', 'pub one'], 2],
      );
      strictEqual((await send('GET', `articles/${ids['pub one']}`)).status, 200);
      strictEqual((await send('GET', `articles/${ids['private one']}`)).status, 404);
      deepStrictEqual((await send('GET', 'articles/newest')).body, ['pub mine', 'pub one']);
    });

    it('hold for writes of a controller by the service of a type', async () => {
      const outcomes = [
        await send('PUT', `articles/${ids['private one']}`, { text: 'pub hacked' }),
        await send('PUT', `articles/${ids['pub one']}`, { text: 'private now' }),
        await send('POST', 'articles', { text: 'private new' }),
        await send('DELETE', `articles/${ids['pub one']}`),
      ];
      deepStrictEqual(
        outcomes.map(({ status }) => status),
        [404, 403, 403, 403],
      );
      deepStrictEqual(await send('DELETE', `articles/${ids['private one']}`), await send('DELETE', 'articles/none'));
      deepStrictEqual(await texts(), ['private one', 'pub mine', 'pub one']);
      strictEqual((await send('PUT', `articles/${ids['pub one']}`, { text: 'pub two' })).status, 200);
      strictEqual((await send('DELETE', `articles/${ids['pub mine']}`)).status, 200);
      strictEqual((await send('POST', 'articles', { text: 'pub new' })).status, 200);
      deepStrictEqual(await texts(), ['private one', 'pub new', 'pub two']);
    });

    it('do not restrict direct operations of code on documents', async () => {
      deepStrictEqual((await send('GET', 'articles/all')).body, ['private one', 'pub mine', 'pub one']);
    });

    it('reduce populated relations to any type to the types that the caller may find', async () => {
      const ban = 'api::ban.ban';
      const on = (uids: Any) => ({ on: uids });
      const cut = async (populates: readonly unknown[]) =>
        (await server.request('POST', '/api/articles/cut', { body: populates as never })).body;
      const closed = [
        'any',
        ['any'],
        { any: true },
        { any: 'true' },
        { any: '*' },
        { one: true },
        { any: on({ [ban]: true }) },
        { any: on({ [ban]: 'true' }) },
        { one: on({ [ban]: true }) },
        { any: on({ [ban]: { populate: '*' } }) },
      ];
      deepStrictEqual(
        await cut(closed),
        closed.map(() => null),
      );
      const open = await cut(['*', ['*'], { any: { populate: '*' } }, { any: { populate: ['*'] } }]);
      for (const { any } of open) {
        deepStrictEqual([UID in any.on, ban in any.on], [true, false]);
      }
      const all = { body: ['any', '*'] as never, token: server.secrets['full'] };
      deepStrictEqual((await server.request('POST', '/api/articles/cut', all)).body, ['any', { any: true, one: true }]);
      deepStrictEqual(await cut([{ any: on({ [ban]: true, [UID]: true }) }]), [{ any: on({ [UID]: true }) }]);
    });

    it('hide nothing from code that decides about a write', async () => {
      await server.app.documents('api::ban.ban').create({ data: { text: 'bad' } });
      const create = async (text: string) => (await send('POST', 'notices', { text })).status;
      deepStrictEqual([await create('good'), await create('bad')], [200, 403]);
      await server.app.documents('api::ban.ban').create({ data: { text: 'pub bad' } });
      strictEqual((await send('POST', 'articles', { text: 'pub bad' })).status, 400);
      const [notice] = await server.app.documents('api::notice.notice').findMany();
      const target = `notices/${notice!.documentId}`;
      const update = await send('PUT', target, { text: 'bad' });
      deepStrictEqual([update.status, update.body.error.message], [400, 'banned']);
      strictEqual((await send('DELETE', target)).status, 400);
      strictEqual(await server.app.documents('api::notice.notice').count(), 1);
    });

    it('hold, with the code, for the documents of a caller in src/galley', async () => {
      const uid = 'api::notice.notice';
      const call = async (method: string, params: object, of = uid, isCode = false) => {
        const asked = { uid: of, method, params, isCode };
        const { status, body } = await server.request('POST', '/api/own/call', { body: asked });
        return status === 200 ? (body as Any).given : [status, (body as Any).error.message];
      };
      const any = [server.app.documents('api::ban.ban'), server.app.documents(UID)].map((documents) =>
        documents.findFirst(),
      );
      const [ban, article] = await Promise.all(any);
      const links = [
        { __type: 'api::ban.ban', documentId: ban!.documentId },
        { __type: UID, documentId: article!.documentId },
      ];
      const { documentId } = (await server.app
        .documents(uid)
        .create({ data: { text: 'linked', secret: 's', any: links } })) as Any;
      // refused by a lifecycle, and by a document middleware
      deepStrictEqual(await call('create', { data: { text: 'bad' } }), [400, 'banned']);
      deepStrictEqual(await call('update', { documentId, data: { text: 'bad' } }), [400, 'banned']);
      deepStrictEqual(await call('delete', { documentId }), [400, 'nothing goes']);
      deepStrictEqual(await call('create', { data: { text: 'bad' } }, uid, true), [400, 'banned']);
      // refused to the caller
      deepStrictEqual(await call('create', { data: { text: 'a', any: [links[0]] } }), [400, 'Invalid key any']);
      strictEqual((await call('findMany', { filters: { secret: 's' } }))[0], 400);
      const made = await call('create', { data: { text: 'made', secret: 's' } });
      deepStrictEqual([made.text, 'secret' in made], ['made', false]);
      const shown = await call('findOne', { documentId, populate: ['any'] });
      deepStrictEqual([shown.text, 'secret' in shown, 'any' in shown], ['linked', false, false]);
      const on = { any: { on: { [UID]: true, 'api::ban.ban': true } } };
      const { any: linked } = await call('findOne', { documentId, populate: on });
      deepStrictEqual(
        linked.map(({ __type }: Any) => __type),
        [UID],
      );
      strictEqual(await call('count', { filters: { text: 'linked' } }), 1);
      // of a single type there is one document
      const home = 'api::home.home';
      const first = await call('create', { data: { text: 'a' } }, home);
      const again = await call('create', { data: { text: 'b' } }, home);
      deepStrictEqual([again.documentId, again.text], [first.documentId, 'b']);
      strictEqual(await server.app.documents(home).count(), 1);
      // what cannot be done with the code is not done beside it
      for (const method of ['findPage', 'clone']) strictEqual((await call(method, { documentId }))[0], 500);
      const hidden = await server.app.documents(UID).create({ data: { text: 'private too' } });
      deepStrictEqual(
        [
          await call('findOne', { documentId: hidden.documentId }, UID),
          await call('update', { documentId: hidden.documentId, data: { text: 'pub' } }, UID),
          (await call('create', { data: { text: 'private' } }, UID))[0],
        ],
        [null, null, 403],
      );
    });
  });
}
