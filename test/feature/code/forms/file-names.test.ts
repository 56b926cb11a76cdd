/** Files are called as Strapi calls them, whose answers these are. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const yes = 'module.exports = () => true;';
const says = (text: string) => `module.exports = { a(ctx) { ctx.body = '${text}'; } };`;
const route = (path: string, handler: string, policies: readonly string[] = []) => ({
  ...{ method: 'GET', path, handler },
  config: { auth: false, policies },
});
const routes = (...list: readonly unknown[]) => `module.exports = { routes: ${JSON.stringify(list)} };`;
const noteSchema = contentType('note', { text: { type: 'string' }, thing: { type: 'string' } });

const FILES = {
  // global ones by the names of their files
  'src/policies/isReader2.js': yes,
  'src/policies/IsReader.js': yes,
  'src/policies/is-reader.js': 'module.exports = () => false;',
  'src/policies/is_reader.js': yes,
  'src/policies/index.js': yes,
  'src/policies/within/inner.js': yes,
  'src/policies/asFolder/index.js': yes,
  'src/middlewares/addHeader.js':
    "module.exports = () => async (ctx, next) => { await next(); ctx.set('x-added', 'yes'); };",
  'config/middlewares.js':
    "module.exports = ['strapi::errors', 'global::addHeader', 'strapi::query', 'strapi::body', 'strapi::public'];",
  // of an API by the normal ones; of two the last counts
  'src/api/Big_API2/policies/is-owner.js': 'module.exports = () => false;',
  'src/api/Big_API2/policies/isOwner.js': yes,
  'src/api/Big_API2/policies/isReader2.js': yes,
  'src/api/Big_API2/policies/sub/inner.js': yes,
  'src/api/Big_API2/controllers/listNames.js': `module.exports = {
    show(ctx) {
      const own = (names) => Object.keys(names).filter((name) => /^(?:global|api::big)/.test(name)).sort();
      ctx.body = [own(strapi.policies), own(strapi.middlewares), own(strapi.controllers)];
    },
    a(ctx) { ctx.body = 'capital'; },
    b(ctx) { ctx.body = 'small'; },
  };`,
  'src/api/Big_API2/content-types/Thing_One/Schema.json': contentType('thing-one', { text: { type: 'string' } }),
  'src/api/Big_API2/content-types/Thing_One/Lifecycles.js':
    "module.exports = { beforeCreate({ params }) { params.data.text += ' was seen'; } };",
  'src/api/Big_API2/routes/Zed.js': routes(
    route('/names', 'list-names.show', ['global::isReader2', 'global::IsReader', 'global::is_reader', 'is-owner']),
    route('/forbidden', 'list-names.show', ['global::is-reader']),
    route('/order', 'list-names.a'),
  ),
  'src/api/Big_API2/routes/abc.js': routes(route('/order', 'list-names.b')),
  'src/api/Big_API2/routes/thingOne.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::big-api-2.thing-one');",
  // APIs in the order of their folders, whatever is in these; of two that have one name the last is there
  'src/api/b/routes/x.js': routes(route('/same', 'c.a')),
  'src/api/b/controllers/c.js': says('b'),
  'src/api/b-a/routes/x.js': routes(route('/same', 'c.a')),
  'src/api/b-a/controllers/c.js': says('b-a'),
  'src/api/twoFold/routes/x.js': routes(route('/twofold', 'c.a')),
  'src/api/twoFold/controllers/c.js': says('the last'),
  'src/api/two-fold/routes/y.js': routes(route('/first', 'c.a')),
  'src/api/two-fold/controllers/c.js': says('the first'),
  // plugins that are extended, in capital letters
  'src/extensions/Users-Permissions/content-types/User/schema.json': {
    ...{ kind: 'collectionType', collectionName: 'up_users', info: {} },
    attributes: { nickname: { type: 'string' } },
  },
  'src/extensions/Users-Permissions/strapi-server.js': `module.exports = (plugin) => {
    plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/extended', handler: (ctx) => { ctx.body = Object.keys(strapi.contentType('plugin::users-permissions.user').attributes).includes('nickname'); }, config: { auth: false, prefix: '' } });
    return plugin;
  };`,
};

const FIXTURE = {
  tokens: [{ name: 'full', type: 'full-access' }],
  grants: { public: ['api::big-api-2.thing-one.find'] },
};

for (const engine of engines) {
  describe(`files of a project by their names on ${engine.name}`, () => {
    let server: SeededServer;
    const get = async (target: string) => (await server.get(`/api/${target}`)).body;
    const textOf = async (target: string) => (await server.get(`/api/${target}`)).text;

    before(async () => {
      const folder = await makeProject({ contentTypes: { note: noteSchema }, files: FILES });
      server = await serveSeeded(engine, folder, FIXTURE);
    });
    after(() => server?.stop());

    it('are policies, middlewares and controllers', async () => {
      const answer = await server.get('/api/names');
      deepStrictEqual(answer.body, [
        [
          ...['api::big-api-2.is-owner', 'api::big-api-2.is-reader-2', 'global::IsReader', 'global::index'],
          ...['global::is-reader', 'global::isReader2', 'global::is_reader'],
        ],
        ['global::addHeader'],
        ['api::big-api-2.list-names', 'api::big-api-2.thing-one'],
      ]);
      strictEqual(answer.headers.get('x-added'), 'yes');
      strictEqual((await get('forbidden')).error.name, 'PolicyError');
    });

    it('are routes in the order of folders and files', async () => {
      deepStrictEqual([await textOf('order'), await textOf('same')], ['capital', 'b']);
      deepStrictEqual([await textOf('twofold'), (await server.get('/api/first')).status], ['the last', 404]);
    });

    it('are types and their lifecycles', async () => {
      const body = { data: { text: 'it' } };
      await server.request('POST', '/api/thing-ones', { token: server.secrets['full'], body });
      strictEqual((await get('thing-ones')).data[0].text, 'it was seen');
    });

    it('are extensions of plugins', async () => strictEqual((await server.get('/api/extended')).text, 'true'));
  });
}
