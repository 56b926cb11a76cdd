/** Plugins of the project itself run: docs/reference/project-code.md. The answers are those that Strapi gave. */
import { deepStrictEqual, doesNotMatch, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const AT = 'src/plugins/shop/server';
const STRAPI = `const { factories } = require('@strapi/strapi');`;

const ITEM = {
  ...contentType('item', {
    title: { type: 'string', required: true },
    price: { type: 'integer' },
    secret: { type: 'string', private: true },
    slug: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'item' },
  }),
  collectionName: 'shop_items',
};

const SHOP = {
  'src/plugins/shop/strapi-server.js': `module.exports = require('./server');`,
  [`${AT}/index.js`]: `const order = [];
    module.exports = {
      register({ strapi }) { order.push('register'); strapi.shop = { order, currency: strapi.plugin('shop').config('currency') }; },
      async bootstrap({ strapi }) { order.push('bootstrap'); await strapi.documents('plugin::shop.item').create({ data: { title: 'Seed', price: 3, secret: 'hidden' } }); },
      config: {
        default: ({ env }) => ({ currency: env('SHOP_CURRENCY', 'EUR'), nested: { a: 1, b: 2 }, list: [1, 2] }),
        validator(config) { if (typeof config.currency !== 'string') throw new Error('currency must be a text'); },
      },
      contentTypes: {
        item: { schema: require('./item.json'), lifecycles: { beforeCreate({ params }) { params.data.slug = params.data.title.toLowerCase(); } } },
        basket: { schema: { kind: 'collectionType', info: { singularName: 'basket', pluralName: 'baskets', displayName: 'Basket' }, options: { draftAndPublish: true }, attributes: { name: { type: 'string' }, items: { type: 'relation', relation: 'oneToMany', target: 'plugin::shop.item' } } } },
      },
      controllers: require('./controllers'),
      services: require('./services'),
      routes: require('./routes'),
      policies: { hasHeader: (ctx, config) => ctx.request.header['x-shop'] === (config.value ?? 'yes') },
      middlewares: { mark: (config) => async (ctx, next) => { ctx.state.marked = config; await next(); } },
    };`,
  [`${AT}/item.json`]: ITEM,
  [`${AT}/services.js`]: `${STRAPI}
    module.exports = {
      prices: ({ strapi }) => ({ shown: (price) => price + ' ' + strapi.config.get('plugin::shop.currency') }),
      item: factories.createCoreService('plugin::shop.item', () => ({ cheap: () => strapi.documents('plugin::shop.item').findMany({ filters: { price: { $lt: 10 } } }) })),
    };`,
  [`${AT}/controllers.js`]: `${STRAPI}
    module.exports = {
      item: factories.createCoreController('plugin::shop.item', ({ strapi }) => ({
        async cheap(ctx) { ctx.body = (await strapi.service('plugin::shop.item').cheap()).map(({ title, slug, price }) => ({ title, slug, shown: strapi.plugin('shop').service('prices').shown(price) })); },
      })),
      shop: ({ strapi }) => ({
        hello(ctx) {
          const plugin = strapi.plugin('shop');
          ctx.body = { ...strapi.shop, config: strapi.config.get('plugin::shop'), nested: plugin.config('nested.a'), missing: plugin.config('nope', 'other'), info: ctx.state.route.info, marked: ctx.state.marked, services: Object.keys(plugin.services), controllers: Object.keys(strapi.plugins.shop.controllers), types: Object.keys(plugin.contentTypes), table: strapi.contentType('plugin::shop.basket').collectionName };
        },
      }),
    };`,
  [`${AT}/routes.js`]: `const open = (path, config) => ({ method: 'GET', path, handler: 'shop.hello', config: { auth: false, ...config } });
    module.exports = {
      admin: { type: 'admin', routes: [{ method: 'GET', path: '/secret', handler: 'shop.hello', config: { auth: false } }] },
      'content-api': () => ({ type: 'content-api', routes: [
        open('/hello', { middlewares: ['plugin::shop.mark'] }),
        { method: 'GET', path: '/granted', handler: 'shop.hello' },
        open('/short', { policies: ['hasHeader'] }),
        open('/guarded', { policies: [{ name: 'plugin::shop.hasHeader', config: { value: 'no' } }] }),
        open('/outside', { prefix: '' }),
        { method: 'GET', path: '/cheap', handler: 'item.cheap', config: { auth: false } },
        { method: 'GET', path: '/items', handler: 'item.find' },
        { method: 'POST', path: '/items', handler: 'item.create' },
      ] }),
    };`,
};

const NOTE = contentType('note', {
  text: { type: 'string' },
  item: { type: 'relation', relation: 'manyToOne', target: 'plugin::shop.item', inversedBy: 'notes' },
});

const PLUGINS = `module.exports = { shop: { enabled: true, resolve: './src/plugins/shop', config: { nested: { b: 3 }, list: [9] } } };`;

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'hello', type: 'custom', permissions: ['plugin::shop.shop.hello'] },
  ],
  grants: { public: ['plugin::shop.item.find', 'api::note.note.find'] },
};

for (const engine of engines) {
  describe(`a plugin of the project on ${engine.name}`, () => {
    let server: SeededServer;
    const get = async (target: string, headers: Record<string, string> = {}) =>
      server.request('GET', `/api/${target}`, { headers });

    before(async () => {
      const api = 'module.exports = { rest: { createdStatus: 201 } };';
      const files = { ...SHOP, 'config/plugins.js': PLUGINS, 'config/api.js': api };
      server = await serveSeeded(engine, await makeProject({ contentTypes: { note: NOTE }, files }), FIXTURE);
    });
    after(() => server?.stop());

    it('has its parts under the uids of Strapi', async () => {
      deepStrictEqual((await get('shop/hello')).body, {
        order: ['register', 'bootstrap'],
        currency: 'EUR',
        config: { currency: 'EUR', nested: { a: 1, b: 3 }, list: [9, 2] },
        nested: 1,
        missing: 'other',
        info: { pluginName: 'shop', type: 'content-api' },
        marked: {},
        services: ['prices', 'item'],
        controllers: ['item', 'shop'],
        types: ['item', 'basket'],
        table: 'shop_basket',
      });
      strictEqual((await get('outside')).status, 200);
      deepStrictEqual((await get('shop/cheap')).body, [{ title: 'Seed', slug: 'seed', shown: '3 EUR' }]);
    });

    it('has routes with its policies and grants, and none of the admin panel', async () => {
      strictEqual((await get('shop/granted')).status, 403);
      strictEqual((await get('shop/granted', { authorization: `Bearer ${server.secrets['hello']}` })).status, 200);
      strictEqual((await get('shop/short')).body.error.name, 'PolicyError');
      strictEqual((await get('shop/short', { 'x-shop': 'yes' })).status, 200);
      strictEqual((await get('shop/guarded', { 'x-shop': 'yes' })).status, 403);
      for (const target of ['shop/secret', 'secret']) strictEqual((await get(target)).status, 404);
    });

    it('is a function, has routes as functions of strapi, and may be called like its type', async () => {
      const files = {
        'config/plugins.js':
          "module.exports = { items: { enabled: true, resolve: './src/plugins/jotter', config: { path: '/jots', isOpen: true } } };",
        'src/plugins/jotter/strapi-server.js': `module.exports = ({ env }) => ({
          config: { default: { word: env('JOTTER_WORD', 'given') } },
          controllers: { jot: ({ strapi }) => ({ show(ctx) { ctx.body = strapi.plugin('items').config('word'); }, list: () => ['listed'] }), item: require('@strapi/strapi').factories.createCoreController('plugin::items.item') },
          services: { item: require('@strapi/strapi').factories.createCoreService('plugin::items.item') },
          contentTypes: { item: { schema: { kind: 'collectionType', info: { singularName: 'item', pluralName: 'items', displayName: 'Item' }, attributes: { text: { type: 'string' } } } } },
          routes: { 'content-api': ({ strapi }) => ({ type: 'content-api', routes: [
            { method: 'GET', path: strapi.plugin('items').config('path'), handler: 'jot.show', config: { auth: strapi.config.get('plugin::items.isOpen') ? false : {} } },
            { method: 'GET', path: '/listed', handler: 'jot.list' },
            { method: 'GET', path: '/items', handler: 'item.find' },
          ] }) },
        });`,
      };
      const grants = { public: ['plugin::items.jot.list', 'plugin::items.item.find', 'api::note.note.find'] };
      const project = await makeProject({
        contentTypes: { note: { ...NOTE, attributes: { text: { type: 'string' } } } },
        files,
      });
      const own = await serveSeeded(engine, project, { grants });
      try {
        strictEqual((await own.get('/api/items/jots')).text, 'given');
        deepStrictEqual((await own.get('/api/items/listed')).body, ['listed']);
        strictEqual((await own.get('/api/items/items')).status, 200);
        deepStrictEqual((await own.get('/api/notes')).body.data, []);
        doesNotMatch(own.app.warnings.join('\n'), /closed|not run/i);
      } finally {
        await own.stop();
      }
    });

    it('stops the start if its code is missing, with the file that names it and the command that installs it', async () => {
      const files = {
        'node_modules/flat/package.json': { exports: { './strapi-server': './dist/server.js' } },
        'node_modules/flat/index.js': '',
      };
      const refused = async (plugins: string, more: Readonly<Record<string, object | string>> = {}) => {
        const project = await makeProject({
          contentTypes: { note: NOTE },
          files: {
            ...files,
            ...more,
            ...(plugins === '' ? {} : { 'config/plugins.js': `module.exports = ${plugins};` }),
          },
        });
        const error = await openProject(project.dir, { env: {} }).catch((refusal: Error) => refusal);
        await project.remove();
        return (error as Error).message.split('\n')[0];
      };
      deepStrictEqual(
        [
          await refused('{ map: { enabled: true } }'),
          await refused("{ map: { enabled: true, resolve: '@us/map/server' } }"),
          await refused("{ map: { enabled: true, resolve: './src/plugins/map' } }"),
          await refused("{ flat: { enabled: true, resolve: 'flat' } }"),
          await refused('', { 'package.json': { dependencies: { 'strapi-plugin-map': '1.0.0' } } }),
        ],
        [
          'config/plugins.js: the plugin map is not installed: npm install PACKAGE adds its package',
          'config/plugins.js: the plugin map is not installed: npm install @us/map adds it',
          'config/plugins.js: resolve of the plugin map names ./src/plugins/map, which does not exist',
          'config/plugins.js: the plugin flat is not built: node_modules/flat has no dist/server.js',
          'package.json: the plugin strapi-plugin-map is not installed: npm install strapi-plugin-map adds it',
        ],
      );
    });

    it('has content types, which others link to', async () => {
      const token = server.secrets['full'];
      const { body: listed } = await get('shop/items');
      deepStrictEqual([listed.data.length, listed.data[0].slug, 'secret' in listed.data[0]], [1, 'seed', false]);
      const made = await server.request('POST', '/api/shop/items', { token, body: { data: { title: 'New ONE' } } });
      deepStrictEqual([made.status, made.body.data.slug], [201, 'new one']);
      const { documentId } = made.body.data;
      const body = { data: { text: 't', item: documentId } };
      strictEqual((await server.request('POST', '/api/notes', { token, body })).status, 201);
      strictEqual((await get('notes?populate=item')).body.data[0].item.title, 'New ONE');
      strictEqual((await get('items')).status, 404);
      const basket = server.app.documents('plugin::shop.basket');
      await basket.create({ data: { name: 'first', items: [documentId] }, status: 'published' });
      const [row] = await server.app.database.rows('select count(*) from shop_basket_items_lnk', []);
      strictEqual(Number(row![0]), 2);
    });

    it('fails the requests that need a service which reads a missing member, and answers the others', async () => {
      const own = (name: string, body: string) =>
        `{ method: 'GET', path: '/${name}', handler: async () => ${body}, config: { auth: false } }`;
      const files = {
        ...SHOP,
        'config/plugins.js': PLUGINS,
        [`${AT}/services.js`]: `module.exports = { raw: ({ strapi }) => ({ all: () => strapi.db.queryBuilder('shop_items') }) };`,
        'src/api/note/routes/own.js': `module.exports = [
          ${own('own', "strapi.documents('plugin::shop.item').findMany()")},
          ${own('raw', "strapi.plugin('shop').service('raw').all()")},
        ];`,
      };
      const shop = await serveSeeded(engine, await makeProject({ contentTypes: { note: NOTE }, files }));
      try {
        strictEqual((await shop.get('/api/own')).status, 200);
        strictEqual((await shop.get('/api/raw')).status, 500);
      } finally {
        await shop.stop();
      }
    });
  });
}
