/** What code may guard that `config/galley` leaves out stays closed to administrators, each action under its own name. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };
const text = { text: { type: 'string', ...localized } };
const contentTypes = {
  kept: contentType('kept', text, { ...drafts, ...localized }),
  fixed: contentType('fixed', text, { ...drafts, ...localized }),
  page: contentType('page', { text: { type: 'string' } }),
  home: contentType('home', { text: { type: 'string' } }, { kind: 'singleType' }),
  open: contentType('open', { text: { type: 'string' } }),
};
const WITH_DRAFTS = ['publish', 'unpublish', 'discardDraft', 'createLocalization'];
const CORE = ['find', 'findOne', 'create', 'update', 'delete'];
/** The actions of a type but for some. */
const but = (name: string, actions: readonly string[], closed: readonly string[]): string[] =>
  actions.filter((action) => !closed.includes(action)).map((action) => `api::${name}.${name}.${action}`);
/** What opens again although the code that may guard it is left out. */
const serve = [
  ...but('kept', [...CORE, ...WITH_DRAFTS], ['unpublish', 'delete']),
  ...but('fixed', [...CORE, ...WITH_DRAFTS], ['update', 'publish', 'discardDraft', 'createLocalization']),
  ...but('page', CORE, ['findOne']),
  ...but('home', ['find', 'update', 'delete'], ['update']),
  ...but('open', CORE, []),
];
const files = {
  'src/index.js': "module.exports = { register({ strapi }) { strapi.db.queryBuilder('kepts'); } };",
  'config/galley.js': `module.exports = ${JSON.stringify({ without: ['src/index.js'], serve })};`,
  'src/api/open/routes/open.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreRouter('api::open.open', {
  config: { find: { policies: ['global::p'] }, update: { middlewares: ['global::m'] } },
});`,
  'src/api/open/routes/more.js':
    "module.exports = { routes: ['a', 'b'].map((name) => ({ method: 'GET', path: '/' + name, handler: 'open.find' })) };",
  'src/api/open/controllers/open.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::open.open', () => ({ async create(ctx) { return ctx.forbidden(); } }));`,
  'src/policies/p.js': 'module.exports = () => false;',
  'src/middlewares/m.js': 'module.exports = () => (ctx) => ctx.forbidden();',
  'src/middlewares/gate.js': `module.exports = () => (ctx, next) => (ctx.get('x-gate') === 'shut' ? ctx.forbidden() : next());`,
  'config/middlewares.js': `module.exports = ['strapi::errors', 'strapi::cors', 'global::gate', 'strapi::body'];`,
};

for (const engine of engines) {
  describe(`closed actions and administrators on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components: {}, files }));
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = new Browser(server);
      await sue.signIn('sue');
    });
    after(() => server?.stop());

    const make = async (name: string): Promise<string> => {
      const documents = server.app.documents(`api::${name}.${name}` as never);
      return ((await documents.create({ data: { text: 'x' } } as never)) as { documentId: string }).documentId;
    };
    const status = async (method: string, target: string, body: object = {}) =>
      (await sue.send(method, `content/${target}`, method === 'GET' ? undefined : body)).status;

    it('close unpublishing together with deleting', async () => {
      const target = `api::kept.kept/${await make('kept')}`;
      strictEqual(await status('POST', `${target}/publish`), 200);
      deepStrictEqual([await status('POST', `${target}/unpublish`), await status('DELETE', target)], [403, 403]);
    });

    it('close other locale versions and discarding drafts together with updating', async () => {
      const id = await make('fixed');
      const target = `api::fixed.fixed/${id}`;
      const french = { data: { text: 'y' }, locale: 'fr' };
      deepStrictEqual([await status('PUT', target, french), await status('POST', `${target}/discard`)], [403, 403]);
      strictEqual(await status('POST', 'api::fixed.fixed', { data: { text: 'z' } }), 201);
      strictEqual(await status('POST', `${target}/duplicate`), 201);
      const documents = server.app.documents('api::fixed.fixed' as never);
      await documents.update({ documentId: id, locale: 'fr', data: { text: 'y' } } as never);
      strictEqual(await status('POST', `${target}/duplicate`), 403);
      strictEqual(await status('PUT', 'api::home.home/single', { data: { text: 'x' } }), 403);
    });

    it('do not include actions that are guarded only in the content API, as in Strapi', async () => {
      const id = await make('open');
      const target = `api::open.open/${id}`;
      const listed = await sue.get('content/api::open.open');
      deepStrictEqual([listed.status, listed.body.data.length], [200, 1]);
      const tag = (await sue.get(`content/${target}`)).headers.get('etag')!;
      strictEqual(
        (await sue.send('PUT', `content/${target}`, { data: { text: 'y' } }, { 'if-match': tag })).status,
        200,
      );
      strictEqual(await status('POST', 'api::open.open', { data: { text: 'z' } }), 201);
      strictEqual((await server.get('/api/opens', server.secrets['full'])).status, 403);
    });

    it('are those that middlewares around everything refuse', async () => {
      strictEqual((await sue.get('content/api::open.open', { 'x-gate': 'shut' })).status, 403);
    });

    it('keep a document closed that lists show', async () => {
      const target = `api::page.page/${await make('page')}`;
      strictEqual(await status('GET', 'api::page.page'), 200);
      for (const what of ['', '/uses', '/preview', '/relations/text']) {
        strictEqual(await status('GET', target + what), 404, what);
      }
      strictEqual(await status('PUT', target, { data: { text: 'y' } }), 404);
    });
  });
}
