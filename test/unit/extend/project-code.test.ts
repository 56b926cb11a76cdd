/** What is understood of a project's code: a table of sources, and what each closes or leaves out. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CodeConfig } from '../../../src/config/config.ts';
import { type GalleyLists, galleyText } from '../../../src/config/galley-config.ts';
import { othersNotRun } from '../../../src/extend/not-run.ts';
import { asAskedFor, findSources, sourceFile } from '../../../src/extend/source-files.ts';
import { understand } from '../../../src/extend/understand.ts';
import type { Catalog } from '../../../src/schema/catalog.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { NO_CONFIG, type ReadCode, readCode } from '../../support/servers/project-code.ts';

let code: ReadCode;
before(async () => {
  code = await readCode();
});
after(() => code?.folder.remove());

const read: ReadCode['read'] = (files, config) => code.read(files, config);
const closedBy: ReadCode['closedBy'] = (files, config) => code.closedBy(files, config);

/** Core routes of type `a`, as `prefix: names`. */
async function routesFrom(source: string, path = 'src/api/a/routes/a.js'): Promise<string> {
  const { routes } = await read({ [path]: source });
  return (routes.get('api::a.a') ?? []).map(({ prefix, names }) => `${prefix}: ${[...names].join(' ')}`).join(', ');
}

const CJS = "const { createCoreRouter } = require('@strapi/strapi').factories;\n";
const ESM = "import { factories } from '@strapi/strapi';\n";
const ALL = ': find findOne create update delete';

describe('routers that leave routes out', () => {
  const table: [string, string, string?][] = [
    [`${CJS}module.exports = createCoreRouter('api::a.a');`, ALL],
    [`${CJS}module.exports = createCoreRouter('api::a.a', { only: ['find', 'findOne'] });`, ': find findOne'],
    [`${CJS}module.exports = createCoreRouter('api::a.a', { except: ['delete'] });`, ': find findOne create update'],
    [
      `${CJS}module.exports = createCoreRouter('api::a.a', { only: ['find', 'delete'], except: ['delete'] });`,
      ': find',
    ],
    [`${CJS}module.exports = createCoreRouter('api::a.a', { only: [] });`, ': '],
    [`${CJS}module.exports = createCoreRouter('api::a.a', { except: [], prefix: '' });`, ALL],
    [`${CJS}module.exports = createCoreRouter('api::a.a', { prefix: '/v1', type: 'admin' });`, `/v1${ALL}`],
    [
      `${ESM}export default factories.createCoreRouter('api::a.a', { only: ['find'] });`,
      ': find',
      'src/api/a/routes/a.ts',
    ],
    [
      `${ESM}import type { Core } from '@strapi/strapi';\nenum X { A }\nconst uid = 'api::a.a' as const;\n` +
        'const read = ["find"] satisfies string[];\nexport default factories.createCoreRouter(uid, { only: [...read, `findOne`] }) as Core.Router;',
      ': find findOne',
      'src/api/a/routes/a.ts',
    ],
    [
      `import * as strapi from '@strapi/strapi';\nexport default strapi.factories.createCoreRouter('api::a.a', { only: ['find'] });`,
      ': find',
    ],
    [
      `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nexports.default = void 0;\nconst strapi_1 = require("@strapi/strapi");\nexports.default = strapi_1.factories.createCoreRouter('api::a.a', { only: ['find'] });`,
      ': find',
    ],
    [
      `${CJS}const options = { only: ['find'] };\nmodule.exports = createCoreRouter('api::a.a', { ...options, except: [] });`,
      ': find',
    ],
    [`${CJS}module.exports = () => createCoreRouter('api::a.a', { only: ['find'] });`, ': find'],
    ['module.exports = { routes: [] };', ''],
    ["module.exports = { routes: [{ method: 'GET', path: '/as', handler: 'a.find' }] };", ': find'],
    [
      "module.exports = { routes: [{ method: 'GET', path: '/as/:slug', handler: 'api::a.a.findOne', config: { policies: [] } }] };",
      ': findOne',
    ],
    ['{ "routes": [{ "method": "GET", "path": "/as", "handler": "a.find" }] }', ': find', 'src/api/a/routes/a.json'],
    ['// module.exports = createCoreRouter("api::a.a");', ''],
    [`${CJS}if (process.env.PUBLIC) module.exports = createCoreRouter('api::a.a');`, ''],
  ];
  for (const [source, expected, path] of table) {
    it(JSON.stringify(source.slice(-110)), async () => strictEqual(await routesFrom(source, path), expected));
  }

  it('leave the types of an API without any router as they are, and close what they leave out', async () => {
    const { routes, closed } = await read({
      'src/api/a/routes/a.js': `${CJS}module.exports = createCoreRouter('api::a.a', { except: ['delete'] });`,
    });
    ok(!routes.has('api::b.b'));
    deepStrictEqual([...closed.keys()], ['api::a.a.delete']);
  });

  it('are there, and closed, where it is not known what a router makes', async () => {
    const files = { 'src/api/a/routes/a.js': `${CJS}module.exports = change(createCoreRouter('api::a.a'));` };
    strictEqual(await closedBy(files), '*');
    const skipped = await read(files, { safeToSkip: ['src/api/a/routes/a.js'] });
    deepStrictEqual([skipped.closed.size, skipped.routes.has('api::a.a')], [0, false]);
  });

  it('are read through the function that adds routes to a core router', async () => {
    const source = (order: string) => `${CJS}
      const defaultRouter = createCoreRouter('api::a.a', { except: ['delete'] });
      const customRouter = (innerRouter, extraRoutes = []) => {
        let routes;
        return {
          get prefix() { return innerRouter.prefix; },
          get routes() {
            if (!routes) routes = ${order};
            return routes;
          },
        };
      };
      const extra = [{ method: 'GET', path: '/as/featured/all', handler: 'a.featured', config: { auth: false } }];
      module.exports = customRouter(defaultRouter, extra);`;
    for (const order of [
      'innerRouter.routes.concat(extraRoutes)',
      '[...extraRoutes, ...innerRouter.routes]',
      'extraRoutes.concat(innerRouter.routes)',
    ]) {
      strictEqual(await routesFrom(source(order)), ': find findOne create update');
      strictEqual(await closedBy({ 'src/api/a/routes/a.js': source(order) }), 'a.delete');
    }
  });
});

const routes = (config: string) => ({
  'src/api/a/routes/a.js': `${CJS}module.exports = createCoreRouter('api::a.a', ${config});`,
});
const controller = (options: string, uid = 'api::a.a') => ({
  'src/api/a/controllers/a.js': `const { createCoreController } = require('@strapi/strapi').factories;\nmodule.exports = createCoreController('${uid}', ${options});`,
});
const service = (options: string) => ({
  'src/api/a/services/a.ts': `${ESM}export default factories.createCoreService('api::a.a', ${options});`,
});
const lifecycles = (source: string) => ({ 'src/api/b/content-types/b/lifecycles.js': source });
const index = (source: string) => ({ 'src/index.js': source });
const own = (route: string) => ({ 'src/api/c/routes/c.js': `module.exports = { routes: [${route}] };` });
const extension = (body: string) => ({
  'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => { ${body} return plugin; };`,
});
const A = 'a.create a.delete a.find a.findOne a.update';
const B = A.replaceAll('a.', 'b.');
const HOME = 'home.delete home.find home.update';
const NONE = '';

describe('what touches an action', () => {
  const table: [string, Readonly<Record<string, string>>, string][] = [
    // routers
    ['a policy', routes("{ config: { create: { policies: ['is-owner'] } } }"), 'a.create'],
    [
      'a policy with options',
      routes("{ config: { create: { policies: [{ name: 'global::x', config: {} }] } } }"),
      'a.create',
    ],
    ['a policy in a function', routes('{ config: { create: { policies: [(ctx) => false] } } }'), 'a.create'],
    [
      'a policy in a variable',
      {
        'src/api/a/routes/a.js': `${CJS}const owner = { name: 'global::owner' };\nconst config = { update: { policies: [owner] } };\nmodule.exports = createCoreRouter('api::a.a', { config });`,
      },
      'a.update',
    ],
    [
      'a policy of an action that has no route',
      routes("{ only: ['find'], config: { create: { policies: ['x'] } } }"),
      'a.create a.delete a.findOne a.update',
    ],
    ['a middleware', routes("{ config: { find: { middlewares: ['api::a.populate'] } } }"), 'a.find'],
    [
      'an own `auth`',
      routes("{ config: { find: { auth: false }, findOne: { auth: { scope: ['x'] } } } }"),
      'a.find a.findOne',
    ],
    [
      'empty lists, and what means nothing',
      routes("{ config: { find: { policies: [], middlewares: [], tags: ['x'], description: 'x' }, create: {} } }"),
      NONE,
    ],
    ['a policy in a comment', routes("{ config: { find: { /* policies: ['x'] */ } } }"), NONE],
    [
      'a configuration from elsewhere',
      {
        'src/api/a/routes/a.js': `${CJS}module.exports = createCoreRouter('api::a.a', { config: require('shared-config') });`,
      },
      A,
    ],
    ['a configuration that is computed', routes('{ config: { [process.env.ACTION]: {} } }'), A],
    ['a configuration that something is spread over', routes('{ config: { create: {}, ...more } }'), A],
    ['options from a function that is not known', routes('build()'), A],
    ['names that are computed', routes("{ only: ['find'].filter(Boolean) }"), A],
    [
      'a list that is changed after it was written',
      {
        'src/api/a/routes/a.js': `${CJS}const policies = [];\nif (process.env.X) policies.push('p');\nmodule.exports = createCoreRouter('api::a.a', { config: { find: { policies } } });`,
      },
      'a.find',
    ],
    [
      'options that are changed in a function',
      {
        'src/api/a/routes/a.js': `${CJS}const options = { config: { find: {} } };\nconst guard = (target) => { target.config.find.policies = ['p']; };\nguard(options);\nmodule.exports = createCoreRouter('api::a.a', options);`,
      },
      A,
    ],
    [
      'options that are changed under another name',
      {
        'src/api/a/routes/a.js': `${CJS}const find = {};\nconst config = { find };\nconst other = config.find;\nother.policies = ['p'];\nmodule.exports = createCoreRouter('api::a.a', { config });`,
      },
      A,
    ],
    [
      'a policy in a file of the project that is imported',
      {
        'src/api/a/routes/a.js': `${CJS}const { guard } = require('../shared');\nmodule.exports = createCoreRouter('api::a.a', { config: { delete: guard } });`,
        'src/api/a/shared.js': "exports.guard = { policies: ['x'] };",
      },
      'a.delete',
    ],
    [
      'a router that is changed after it was made',
      {
        'src/api/a/routes/a.js': `${CJS}const router = createCoreRouter('api::a.a');\nrouter.routes[0].config.policies = ['x'];\nmodule.exports = router;`,
      },
      '*',
    ],
    [
      'a router of an unknown type',
      { 'src/api/a/routes/a.js': `${CJS}module.exports = createCoreRouter(process.env.UID);` },
      '*',
    ],
    ['routes that are made by a function that is not known', own('...makeRoutes()'), '*'],
    ['code that is nested too deeply to be parsed', { 'src/deep.js': `strapi(${'('.repeat(20_000)});` }, '*'],
    ['a router that cannot be parsed', { 'src/api/a/routes/a.js': 'module.exports = {' }, '*'],
    // routes of the project's own
    ['a route beside the core ones', own("{ method: 'GET', path: '/as/featured', handler: 'c.featured' }"), NONE],
    ['a route that takes the place of a list', own("{ method: 'GET', path: '/as', handler: 'c.list' }"), 'a.find'],
    [
      'a route for everything one level down',
      own("{ method: 'GET', path: '/as/:slug', handler: 'c.one' }"),
      'a.findOne',
    ],
    ['a route with every method', own("{ method: 'ALL', path: '/as', handler: 'c.any' }"), 'a.create a.find'],
    ['a route with a wildcard', own("{ method: 'DELETE', path: '/as/(.*)', handler: 'c.any' }"), 'a.delete'],
    [
      'a route with a parameter behind letters',
      own("{ method: 'PUT', path: '/a:rest/:id', handler: 'c.any' }"),
      'a.update',
    ],
    [
      'a route at the path of batches',
      own("{ method: 'POST', path: '/as/actions/batch', handler: 'c.any' }"),
      'a.batch',
    ],
    [
      'a route with parameters in the path of batches',
      own("{ method: 'POST', path: '/:type/actions/:word', handler: 'c.any' }"),
      'a.batch b.batch',
    ],
    ['a route whose path is computed', own("{ method: 'GET', path: process.env.PATH, handler: 'c.any' }"), '*'],
    [
      'a route that takes the place of a built-in one',
      own("{ method: 'post', path: '/auth/local/register', handler: 'c.register' }"),
      'users-permissions.auth.register',
    ],
    [
      'a core action in a list of routes, with a policy',
      {
        'src/api/a/routes/a.js':
          "module.exports = { routes: [{ method: 'GET', path: '/as', handler: 'a.find', config: { policies: ['x'] } }] };",
      },
      A,
    ],
    // controllers and services
    [
      'an overridden action',
      controller('({ strapi }) => ({ async create(ctx) { return super.create(ctx); } })'),
      'a.create',
    ],
    [
      'an overridden action in a block',
      controller('({ strapi }) => { const x = 1; return { find: async (ctx) => {} }; }'),
      'a.find',
    ],
    ['actions of the project alone', controller('({ strapi }) => ({ async featured(ctx) {} })'), NONE],
    ['an override that is commented out', controller('({ strapi }) => ({ /* async find() {} */ })'), NONE],
    ['a part that every action goes through', controller('() => ({ sanitizeOutput(data) { return data; } })'), A],
    ['methods from elsewhere', controller('() => ({ ...mixin })'), A],
    [
      'methods of a file of the project',
      {
        ...controller("({ strapi }) => ({ ...require('../mixin') })"),
        'src/api/a/mixin.js': 'module.exports = { async findOne(ctx) {} };',
      },
      'a.findOne',
    ],
    [
      'a controller that is no core one',
      { 'src/api/a/controllers/a.js': 'module.exports = { async find(ctx) {} };' },
      A,
    ],
    ['a controller of another type', controller('{}', 'api::b.b'), A],
    [
      'a controller with another name',
      { 'src/api/a/controllers/other.js': 'module.exports = { async find(ctx) {} };' },
      NONE,
    ],
    [
      'a controller of types alone',
      {
        'src/api/a/controllers/a.ts': "import type { Core } from '@strapi/strapi';\nexport interface X { a: string }\n",
      },
      NONE,
    ],
    [
      'an overridden method of the service',
      service('({ strapi }) => ({ async find(...args) { return super.find(...args); } })'),
      'a.find',
    ],
    ['methods of the project in the service', service('({ strapi }) => ({ async notify() {} })'), NONE],
    ['the parameters of the service', service('() => ({ getFetchParams(p) { return p; } })'), A],
    // lifecycles
    ['a lifecycle before creating', lifecycles('module.exports = { beforeCreate(event) {} };'), 'b.create b.update'],
    [
      'a lifecycle after deleting',
      lifecycles('module.exports = { async afterDelete(event) {} };'),
      'b.delete b.update',
    ],
    [
      'a lifecycle of reading, and who looks documents up to link them',
      lifecycles('export default { beforeFindMany(event) {} };'),
      `a.create a.update ${B}`,
    ],
    ['lifecycles that are made by a function', lifecycles('module.exports = make();'), `a.create a.update ${B}`],
    ['lifecycles in a comment', lifecycles('/* module.exports = { beforeCreate() {} } */'), NONE],
    ['no lifecycle at all', lifecycles('module.exports = {};'), NONE],
    // the index
    ['an empty index', index('module.exports = { register() {}, bootstrap() {} };'), NONE],
    [
      'subscribed lifecycles of a type',
      index(
        "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models: ['api::b.b'], beforeUpdate() {} }); } };",
      ),
      'b.update',
    ],
    ...(
      [
        ['that does nothing', '(event) => {}', NONE],
        ['that does something', '(event) => { check(event); }', '*'],
        [
          'that asks for the type',
          "async (event) => { if (event.model.uid === 'api::b.b' && event.action === 'beforeUpdate') check(event); }",
          'b.update',
        ],
        [
          'that turns back from other types',
          "({ model, action, params }) => { if (model.uid !== 'api::b.b') return; if (!['afterUpdate'].includes(action)) return; check(params); }",
          'b.update',
        ],
        [
          'that gives something back',
          "(event) => { if (event.model.uid !== 'api::b.b') return 1; check(event); }",
          '*',
        ],
        [
          'that turns back from some types',
          "async (event) => { if (event.model.uid !== 'api::b.b' && !event.model.uid.startsWith('api::h')) return; if (event.action === 'beforeUpdate') { check(event); } }",
          'b.update home.update',
        ],
        [
          'that asks for what types begin with',
          "({ model: { uid }, action }) => { if (!uid.startsWith('api::b')) return; if (action !== 'afterUpdate') { return; } check(action); }",
          'b.update',
        ],
        [
          'that asks for one thing after another',
          "(event) => { const { model, action } = event; if (model.uid === 'api::b.b') { if (action === 'beforeUpdate') check(event); } else if (model.uid === 'api::a.a') { if (action === 'beforeDelete') check(event); } else { return; } }",
          'a.delete a.update b.update',
        ],
        [
          'with a switch',
          "(event) => { const { action, model } = event; if (!model.uid.startsWith('api::b')) return; switch (action) { case 'beforeUpdate': case 'afterUpdate': { check(event); break; } case 'beforeFindMany': break; } }",
          'b.update',
        ],
        [
          'with a switch on the type that has others',
          "(event) => { if (event.action !== 'beforeUpdate' || !event.model.uid.startsWith('api::')) return; switch (event.model.uid) { case 'api::a.a': return; case 'api::b.b': check(event); break; default: check(event); } }",
          'b.update home.update',
        ],
        [
          'with a switch on something else',
          "(event) => { switch (event.model.singularName) { case 'b': check(event); } }",
          '*',
        ],
        ['that asks for something else', "(event) => { if (event.model.singularName === 'b') check(event); }", '*'],
        [
          'that asks something that may do more',
          "(event) => { if (check(event) && event.model.uid === 'api::b.b') check(event); }",
          '*',
        ],
        ['of another kind', '(event, more) => {}', '*'],
      ] as const
    ).map(([name, listener, expected]): [string, Readonly<Record<string, string>>, string] => [
      `subscribed lifecycles in a function ${name}`,
      index(`module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe(${listener}); } };`),
      expected,
    ]),
    [
      'lifecycles of accounts',
      index(
        "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models: ['plugin::users-permissions.user'], afterCreate() {} }); } };",
      ),
      'users-permissions.auth.register users-permissions.user.create',
    ],
    [
      'a document middleware',
      index(
        'module.exports = { register({ strapi }) { strapi.documents.use(async (context, next) => { check(context); return next(); }); } };',
      ),
      `${A} ${B} ${HOME} users-permissions.auth.emailConfirmation users-permissions.auth.forgotPassword users-permissions.auth.register users-permissions.auth.resetPassword users-permissions.auth.sendEmailConfirmation users-permissions.user.create users-permissions.user.update`.replace(
        'users-permissions.auth.emailConfirmation',
        'users-permissions.auth.changePassword users-permissions.auth.emailConfirmation',
      ),
    ],
    [
      'a document middleware that only passes on',
      index('module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };'),
      NONE,
    ],
    [
      'a document middleware behind a look at the type',
      index(
        "const UID = 'api::a.a';\nmodule.exports = { register({ strapi }) { strapi.documents.use(async (context, next) => { if (context.uid !== UID) return next(); change(context); return next(); }); } };",
      ),
      A,
    ],
    [
      'a document middleware for some types and actions',
      index(
        "module.exports = { register({ strapi }) { strapi.documents.use(async (ctx, next) => { const result = await next(); if (['api::a.a', 'api::home.home'].includes(ctx.uid) && ctx.action === 'create') { await tell(ctx); } return result; }); } };",
      ),
      'a.create home.update',
    ],
    [
      'a document middleware that takes its context apart',
      index(
        "const ACTIONS = new Set(['delete']);\nmodule.exports = { register({ strapi }) { strapi.documents.use(async (context, next) => { const { uid, action } = context; if (!ACTIONS.has(action) || uid !== 'api::a.a') { return next(); } throw new Error(); }); } };",
      ),
      'a.delete',
    ],
    [
      'a look at the type that calls something first',
      index(
        "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => { if (check(context) && context.uid === 'api::a.a') { x(); } return next(); }); } };",
      ),
      `${A} ${B} ${HOME} users-permissions.auth.changePassword users-permissions.auth.emailConfirmation users-permissions.auth.forgotPassword users-permissions.auth.register users-permissions.auth.resetPassword users-permissions.auth.sendEmailConfirmation users-permissions.user.create users-permissions.user.update`,
    ],
    [
      'two document middlewares with the same names',
      index(
        "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => { if (context.uid === 'api::a.a') { x(); } return next(); }); strapi.documents.use((context, next) => { if (context.uid === 'api::b.b' && context.action === 'delete') { y(); } return next(); }); } };",
      ),
      `${A} b.delete`,
    ],
    [
      'a document middleware in a file that the index imports',
      {
        'src/index.ts':
          "import { guard } from './guard';\nexport default { register() {}, bootstrap({ strapi }: { strapi: any }) { guard({ strapi }); } };",
        'src/guard.ts':
          "export const guard = ({ strapi }: { strapi: any }) => { strapi.documents.use((context, next) => { if (context.uid === 'api::a.a' && context.action === 'update') { x(); } return next(); }); };",
      },
      'a.update',
    ],
    [
      'seeds',
      {
        'src/index.ts':
          "import seed from './seed';\nexport default { async bootstrap({ strapi }) { await seed(strapi); strapi.log.info('x'); const query = strapi.db.query('x'); await query.findMany(); if (!(await strapi.documents('api::a.a').count())) await strapi.plugin('users-permissions').service('user').add({}); } };",
        'src/seed.ts':
          "export default async (strapi: any) => { await strapi.documents('api::a.a').create({ data: {} }); };",
      },
      NONE,
    ],
    [
      'GraphQL',
      index(
        "module.exports = { register({ strapi }) { const extension = strapi.plugin('graphql').service('extension'); extension.use(() => ({})); } };",
      ),
      NONE,
    ],
    [
      'a middleware of the server',
      index('module.exports = { register({ strapi }) { strapi.server.use(async (ctx, next) => next()); } };'),
      '*',
    ],
    [
      'a change of a controller',
      index("module.exports = { bootstrap({ strapi }) { strapi.controller('api::a.a').find = () => {}; } };"),
      '*',
    ],
    [
      'strapi handed to a package',
      index(
        "const install = require('some-package');\nmodule.exports = { register({ strapi }) { install(strapi); } };",
      ),
      '*',
    ],
    [
      'strapi taken apart',
      index('module.exports = { register({ strapi }) { const { documents } = strapi; documents.use(x); } };'),
      '*',
    ],
    [
      'a sanitizer',
      index("module.exports = { register({ strapi }) { strapi.sanitizers.add('content-api.output', []); } };"),
      '*',
    ],
    ...[
      'register({ strapi: app }) { app.controller("api::a.a").find = f; }',
      'register(ctx) { ctx.strapi.controller("api::a.a").find = f; }',
      'register(ctx) { const app = ctx.strapi; app.controllers["api::a.a"].find = f; }',
      'register(ctx) { require("some-package")(ctx); }',
      'register({ ...all }) { require("some-package")(all); }',
      'register() { require("some-package")(arguments[0]); }',
      'register() { global.strapi.controllers["api::a.a"].find = f; }',
      'register({ strapi }) { change(strapi); function change(app) { app.controllers["api::a.a"].find = f; } }',
      'register: require("some-package")',
      'register({ strapi }) { go({ app: strapi }); function go({ app }) { app.controllers.a = f; } }',
      'register({ strapi }) { go(...[1], strapi); function go(strapi, b) { b.controllers.a = f; } }',
      'register({ strapi }) { const s = strapi.service("api::a.a"); s.find = f; }',
      'register({ strapi }) { const s = strapi.service("api::a.a"); s.find(); s["find"] = f; }',
      'register({ strapi }) { let s; s = strapi.services["api::a.a"]; s.find = f; }',
      'register({ strapi }) { const { methods } = strapi.service("api::a.a"); methods.find = f; }',
      'register({ strapi }) { Object.assign(strapi.service("api::a.a"), { find: f }); }',
      'register({ strapi }) { strapi.service("api::a.a").__defineGetter__("find", f); }',
      'register({ strapi }) { const s = strapi.plugin("upload").service("upload"); s.upload = f; }',
      'register({ strapi }) { const s = strapi.plugins.upload.services.upload; s.upload = f; }',
      'register({ strapi }) { const m = strapi.db.metadata.get("api::a.a"); m.lifecycles = {}; }',
      'register({ strapi }) { const m = strapi.db.metadata; change(m); }',
      'register({ strapi }) { const q = strapi.db.query("api::a.a"); q.findMany = f; }',
      'register({ strapi }) { const q = strapi.query("api::a.a"); change(q); }',
      'register({ strapi }) { const d = strapi.documents("api::a.a"); d.create = f; }',
      'register({ strapi }) { Object.assign(strapi.getModel("api::a.a").attributes, {}); }',
      'register({ strapi }) { const c = strapi.controller("api::a.a"); c.find = f; }',
    ].map((source): [string, Readonly<Record<string, string>>, string] => [
      `what may be changed under another name: ${source}`,
      index(`const f = () => {}; module.exports = { ${source} };`),
      '*',
    ]),
    [
      'strapi under another name in a file that the index imports',
      {
        'src/index.js': "const go = require('./go');\nmodule.exports = { register({ strapi }) { go({ strapi }); } };",
        'src/go.js': "module.exports = ({ strapi: app }) => { app.controllers['api::a.a'].find = () => {}; };",
      },
      '*',
    ],
    [
      'a parameter under another name in a file that the index imports',
      {
        'src/index.js': "const go = require('./go');\nmodule.exports = { register({ strapi }) { go(strapi); } };",
        'src/go.js': "module.exports = (app) => { app.controllers['api::a.a'].find = () => {}; };",
      },
      '*',
    ],
    [
      'methods that are called',
      index(
        "module.exports = { register(_) {}, async bootstrap({ strapi }) { const rows = await strapi.db.query('api::a.a').findMany(); await strapi.service('api::a.a').doIt(rows); await strapi.plugins.upload.services.upload.go(); const s = strapi.service('api::b.b'); await s.doIt(); if (strapi.db.metadata.get('api::a.a').tableName === 'x') strapi.log.info('x'); } };",
      ),
      NONE,
    ],
    ...[
      'const { documents } = strapi; documents.use(f);',
      'const { ...rest } = strapi; rest.auth.register(f);',
      'const d = strapi.documents; d.use(f);',
      'strapi["docu" + "ments"].use(f);',
      'strapi.server.api("content-api").routes([]);',
      'const run = ({ documents } = strapi) => documents.use(f); run();',
      'const app = strapi; const { documents } = app; documents.use(f);',
      'const { db: { lifecycles } } = strapi; lifecycles.subscribe({ afterCreate: f });',
      'const l = strapi.db.lifecycles; l.subscribe({ afterCreate: f });',
      'const { lifecycles } = strapi.db; lifecycles.subscribe({ afterCreate: f });',
      'const { db } = strapi; db.lifecycles["sub" + "scribe"]({ afterCreate: f });',
      'const s = strapi.server; s.use(f);',
      'const { server } = strapi; server.use(f);',
      'const r = strapi.server.router; r.get("/api/as", f);',
    ].map((source): [string, Readonly<Record<string, string>>, string] => [
      `a hook under another name in any file: ${source}`,
      {
        'src/api/a/services/helper.js': `const f = (context, next) => { throw new Error(); };\nmodule.exports = () => ({ go() { ${source} } });`,
      },
      '*',
    ]),
    [
      'what strapi is used for in any file',
      {
        'src/api/a/services/helper.js':
          "module.exports = ({ strapi }) => ({ async go() { const { log } = strapi; await strapi.documents('api::a.a').findMany(); strapi.server.httpServer.ref(); const db = strapi.db; log.info(db.query('x')); } });",
      },
      NONE,
    ],
    ['an index that cannot be parsed', index('module.exports = {'), '*'],
    [
      'a hook in a service',
      {
        'src/api/c/services/c.js':
          "module.exports = () => ({ start() { strapi.documents.use((context, next) => { if (context.uid === 'api::a.a' && context.action === 'delete') { x(); } return next(); }); } });",
      },
      'a.delete',
    ],
    // extensions of built-in plugins
    [
      'an overridden action of a plugin',
      extension('plugin.controllers.user.me = async (ctx) => {};'),
      'users-permissions.user.me',
    ],
    [
      'an overridden action that calls the first',
      extension(
        'const me = plugin.controllers.user.me; plugin.controllers.user.me = async (ctx) => { await me(ctx); };',
      ),
      'users-permissions.user.me',
    ],
    [
      'an action of the project in a plugin',
      extension(
        "plugin.controllers.user.updateMe = async (ctx) => {}; plugin.routes['content-api'].routes.push({ method: 'PUT', path: '/users/:userId', handler: 'user.updateMe', config: { prefix: '', policies: [] } });",
      ),
      'users-permissions.user.update',
    ],
    [
      'a route beside those of the plugin',
      extension(
        "plugin.routes['content-api'].routes.push({ method: 'POST', path: '/users/profile', handler: 'user.profile', config: { prefix: '' } });",
      ),
      NONE,
    ],
    [
      'a route of a plugin of the project',
      {
        'src/plugins/p/strapi-server.js': "module.exports = require('./server');",
        'src/plugins/p/server/index.js': "module.exports = { register() {}, routes: require('./routes') };",
        'src/plugins/p/server/routes.js':
          "module.exports = { api: { type: 'content-api', routes: [{ method: 'GET', path: '/as', handler: 'x.y', config: { prefix: '' } }, { method: 'GET', path: '/bs', handler: 'x.y' }] } };",
      },
      'a.find',
    ],
    [
      'a route of a plugin of the project that is computed',
      {
        'src/plugins/p/strapi-server.js':
          "module.exports = { routes: { api: { prefix: process.env.PREFIX, routes: [{ method: 'GET', path: '/as', handler: 'x.y' }] } } };",
      },
      '*',
    ],
    ['an extension that changes nothing', extension(''), NONE],
    ['an extension that changes how accounts are known', extension('plugin.services.user = () => ({});'), '*'],
    [
      'an extension that changes one of the functions for it',
      extension('plugin.services.jwt.getToken = async () => null;'),
      '*',
    ],
    [
      'an extension of a plugin that is not there',
      { 'src/extensions/graphql/strapi-server.js': 'module.exports = (plugin) => change(plugin);' },
      NONE,
    ],
  ];
  for (const [name, files, expected] of table) it(name, async () => strictEqual(await closedBy(files), expected));

  it('a route at the path of one of Galley’s own actions closes that, and no other', async () => {
    const closed = async (route: string) => [...(await read(own(route))).closed.keys()].sort();
    for (const [path, expected] of [
      ['/bs/:id/actions/publish', ['api::b.b.publish']],
      ['/bs/:documentId/actions/discard-draft', ['api::b.b.discardDraft']],
      ['/:type/:id/actions/:word', ['api::b.b.discardDraft', 'api::b.b.publish', 'api::b.b.unpublish']],
      ['/bs/:id/actions/(un)?publish', ['api::b.b.discardDraft', 'api::b.b.publish', 'api::b.b.unpublish']],
      ['/bs/b:rest/actions/publish', ['api::b.b.publish']],
      [
        '/bs/(.*)',
        ['api::b.b.batch', 'api::b.b.create', 'api::b.b.discardDraft', 'api::b.b.publish', 'api::b.b.unpublish'],
      ],
      ['/bs/featured/actions/publish', []],
      ['/as/:id/actions/publish', []],
    ] as const) {
      deepStrictEqual(await closed(`{ method: 'POST', path: '${path}', handler: 'c.any' }`), expected, path);
    }
    deepStrictEqual(await closed("{ method: 'PUT', path: '/bs/:id/actions/publish', handler: 'c.any' }"), []);
    const files = own("{ method: 'POST', path: '/as/actions/batch', handler: 'c.any' }");
    const { closed: opened, problems } = await read(files, { serve: ['api::a.a.batch'] });
    deepStrictEqual([opened.size, problems.length], [0, 0]);
  });

  it('an extension that replaces a controller closes all of it, and one that is not understood all of the plugin', async () => {
    const some = await read(extension('plugin.controllers.auth = ({ strapi }) => ({});'));
    ok(
      some.closed.has('plugin::users-permissions.auth.callback') &&
        !some.closed.has('plugin::users-permissions.user.me'),
    );
    for (const body of [
      'change(plugin);',
      'plugin.services.user.add = async () => ({});',
      "plugin.routes['content-api'].routes = [];",
      'for (const c of Object.values(plugin.controllers)) c.find = null;',
    ]) {
      const { closed } = await read(extension(body));
      ok(
        closed.has('plugin::users-permissions.user.me') && closed.has('plugin::users-permissions.auth.callback'),
        body,
      );
      ok(!closed.has('api::a.a.find'), body);
    }
  });

  it('a global middleware closes every action, and stored files', async () => {
    const { closed } = await read({}, { middlewares: [{ name: 'global::x' }] });
    for (const action of [
      'api::a.a.find',
      'api::b.b.publish',
      'plugin::upload.content-api.upload',
      'plugin::i18n.locales.createLocale',
      'uploads',
    ]) {
      ok(closed.has(action), action);
    }
  });

  it('closes Galley’s own actions with those that they go beside', async () => {
    const closed = async (names: string) => {
      const source = `${CJS}module.exports = createCoreRouter('api::b.b', { config: { ${names}: { policies: ['x'] } } });`;
      return [...(await read({ 'src/api/b/routes/b.js': source })).closed.keys()]
        .sort()
        .map((action) => action.slice('api::b.b.'.length))
        .join(' ');
    };
    strictEqual(await closed('find'), 'find');
    strictEqual(await closed('create'), 'create');
    strictEqual(await closed('delete'), 'delete unpublish');
    strictEqual(await closed('update'), 'discardDraft publish unpublish update');
  });
});

describe('code of the configuration', () => {
  const table: [string, string, string][] = [
    ['settings', "module.exports = ({ env }) => ({ app: { keys: env.array('APP_KEYS') } });", NONE],
    ['names of middlewares', "module.exports = ['strapi::errors', { name: 'strapi::cors', config: {} }];", NONE],
    [
      'a job that reads and writes content',
      "module.exports = { job: { task: async ({ strapi }) => { await strapi.documents('api::a.a').findMany(); }, options: {} } };",
      NONE,
    ],
    ['a middleware that is added later', 'setImmediate(() => global.strapi.server.use(f)); module.exports = {};', '*'],
    [
      'a lifecycle that is added later',
      "module.exports = { go() { strapi.db.lifecycles.subscribe({ models: ['api::b.b'], beforeDelete() {} }); } };",
      'b.delete b.update',
    ],
    ['a change of a package', "const Koa = require('koa'); Koa.prototype.use = f; module.exports = {};", '*'],
  ];
  for (const [name, source, expected] of table) {
    it(`is read: ${name}`, async () => strictEqual(await closedBy({ 'config/server.js': source }), expected));
  }
});

describe('lifecycles of components', () => {
  const component = (collectionName: string, attributes: Readonly<Record<string, unknown>>) => ({
    collectionName,
    info: { displayName: collectionName },
    attributes,
  });
  const text = { type: 'string' };
  let owners: ProjectFolder;
  let withComponents: Catalog;
  before(async () => {
    const user = 'src/extensions/users-permissions/content-types/user/schema.json';
    owners = await makeProject({
      contentTypes: {
        direct: contentType('direct', { seo: { type: 'component', component: 'shared.seo' } }),
        nested: contentType('nested', { list: { type: 'component', component: 'shared.list', repeatable: true } }),
        zoned: contentType(
          'zoned',
          { zone: { type: 'dynamiczone', components: ['shared.text', 'shared.list'] } },
          { kind: 'singleType', options: { draftAndPublish: true } },
        ),
        other: contentType('other', {
          text: { type: 'component', component: 'shared.text' },
          direct: { type: 'relation', relation: 'oneToOne', target: 'api::direct.direct' },
        }),
      },
      components: {
        'shared.seo': component('components_shared_seos', { text }),
        'shared.list': component('components_shared_lists', { seo: { type: 'component', component: 'shared.seo' } }),
        'shared.text': component('components_shared_texts', { text }),
        'shared.profile': component('components_shared_profiles', { text }),
      },
      files: {
        [user]: {
          kind: 'collectionType',
          collectionName: 'up_users',
          info: { name: 'user', singularName: 'user', pluralName: 'users', displayName: 'User' },
          attributes: { profile: { type: 'component', component: 'shared.profile' } },
        },
      },
    });
    withComponents = loadCatalog(owners.dir);
  });
  after(() => owners?.remove());

  const closedWith = async (subscriber: string, run = false): Promise<string> => {
    const source = `module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe(${subscriber}); } };`;
    const { closed } = await understand([sourceFile('src/index.js', source)], { ...NO_CONFIG, run }, withComponents);
    return [...closed.keys()]
      .map((action) => action.replace(/^api::\w+\./, '').replace('plugin::users-permissions.', ''))
      .sort()
      .join(' ');
  };
  const created =
    'direct.create direct.update nested.create nested.update zoned.discardDraft zoned.publish zoned.unpublish zoned.update';
  const updated = 'direct.update nested.update zoned.discardDraft zoned.publish zoned.unpublish zoned.update';
  const deleted =
    'direct.delete direct.update nested.delete nested.update zoned.delete zoned.discardDraft zoned.publish zoned.unpublish zoned.update';
  const all =
    'direct.create direct.delete direct.update nested.create nested.delete nested.update zoned.delete zoned.discardDraft zoned.publish zoned.unpublish zoned.update';
  const table: [string, string, string][] = [
    ['before creating', "{ models: ['shared.seo'], beforeCreate() {} }", created],
    ['after creating many', "{ models: ['shared.seo'], afterCreateMany() {} }", created],
    ['before updating', "{ models: ['shared.seo'], beforeUpdate() {} }", updated],
    ['before deleting', "{ models: ['shared.seo'], beforeDelete() {} }", deleted],
    ['around finding one: what is written is looked up', "{ models: ['shared.seo'], afterFindOne() {} }", all],
    ['around counting', "{ models: ['shared.seo'], beforeCount() {} }", all],
    [
      'of a component that another contains',
      "{ models: ['shared.list'], beforeUpdate() {} }",
      updated.replace(/^\S+ /, ''),
    ],
    ['of accounts', "{ models: ['shared.profile'], beforeDelete() {} }", 'user.destroy'],
    ['of none that there is', "{ models: ['shared.gone'], beforeDelete() {} }", ''],
    [
      'of folders, which requests for files alone read',
      "{ models: ['plugin::upload.folder'], afterFindMany() {} }",
      ['destroy', 'find', 'findOne', 'findPage', 'upload']
        .map((name) => `plugin::upload.content-api.${name}`)
        .join(' '),
    ],
  ];
  for (const [name, subscriber, expected] of table) {
    it(`close the writes of the types that contain them: ${name}`, async () =>
      strictEqual(await closedWith(subscriber), expected));
  }

  const OWN = 'direct.batch nested.batch zoned.discardDraft zoned.publish zoned.unpublish';
  const running: [string, string, string][] = [
    ['are run around writing', "{ models: ['shared.seo'], beforeCreate() {}, afterDelete() {} }", OWN],
    [
      'are run in functions that look at writing',
      "(event) => { if (event.model.uid === 'shared.seo' && event.action === 'beforeCreate') throw 1; }",
      OWN,
    ],
    [
      'are not run around reading, which closes writing',
      "{ models: ['shared.text'], beforeFindOne() {} }",
      'other.batch other.create other.delete other.update zoned.delete zoned.discardDraft zoned.publish zoned.unpublish zoned.update',
    ],
    [
      'are run in functions that leave out a type',
      "(event) => { if (event.model.uid === 'api::other.other' || event.action !== 'afterDelete') return; event.x = 1; }",
      OWN.replace(' zoned', ' other.batch zoned'),
    ],
  ];
  for (const [what, subscriber, expected] of running) {
    it(what, async () => strictEqual(await closedWith(subscriber, true), expected));
  }

  it('are among those for every model', async () => {
    const closed = await closedWith('{ beforeCreate() {} }');
    match(closed, /direct\.create .*nested\.update .*user\.create/);
    doesNotMatch(closed, /find/);
  });
});

describe('the files of a project', () => {
  it('are read under each path that leads to them, and no folder is read within itself', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-code-'));
    try {
      const api = path.join(dir, 'src/api');
      await mkdir(path.join(api, 'a/routes'), { recursive: true });
      await writeFile(path.join(api, 'a/routes/a.js'), 'module.exports = {};');
      await symlink(path.join(api, 'a'), path.join(api, 'b'));
      await symlink(api, path.join(api, 'a/loop'));
      const found = findSources({ dir, plugins: [] });
      deepStrictEqual(
        found.map(({ path: file, role, owner }) => [file, role, owner]),
        [
          ['src/api/a/routes/a.js', 'routes', 'a'],
          ['src/api/b/routes/a.js', 'routes', 'b'],
        ],
      );
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('paths in capital letters', () => {
  const paths = [
    'API/Shop/Policies/isOwner.js',
    'Policies/Index.js',
    'Index.js',
    'api/a/routes/Routes.js',
    'other/API.js',
  ];

  it('are as they are asked for where the file system takes them so', () => {
    deepStrictEqual(
      asAskedFor(paths, () => true),
      ['api/Shop/policies/isOwner.js', 'policies/Index.js', 'index.js', 'api/a/routes/Routes.js', 'other/API.js'],
    );
    deepStrictEqual(
      asAskedFor(paths, () => false),
      paths,
    );
    const both = ['Policies/a.js', 'policies/a.js'];
    deepStrictEqual(
      asAskedFor(both, () => true),
      both,
    );
  });
});

describe('files of a project that differ in their endings alone', () => {
  const PLACES = [
    'src/extensions/upload/strapi-server',
    'src/index',
    'src/api/a/routes/a',
    'src/policies/b',
    'config/c',
  ];

  it('count once: TypeScript where it is compiled, else JavaScript, and JSON before both', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-code-'));
    const put = async (name: string) => {
      await mkdir(path.join(dir, path.dirname(name)), { recursive: true });
      await writeFile(path.join(dir, name), 'module.exports = {};');
    };
    const read = () =>
      findSources({ dir, plugins: [] })
        .map((file) => file.path)
        .sort();
    try {
      for (const place of PLACES) for (const ending of ['js', 'ts', 'mjs']) await put(`${place}.${ending}`);
      await put('src/policies/only.ts');
      const all = (ending: string) => [...PLACES.map((place) => `${place}.${ending}`), 'src/policies/only.ts'].sort();
      deepStrictEqual(read(), all('js'));
      deepStrictEqual(othersNotRun(dir).includes('src/index.ts'), true);
      await writeFile(path.join(dir, 'tsconfig.json'), '{}');
      deepStrictEqual(read(), all('ts'));
      deepStrictEqual(othersNotRun(dir).includes('src/index.js'), true);
      await put('src/api/a/routes/a.json');
      deepStrictEqual(
        read().filter((file) => file.includes('routes')),
        ['src/api/a/routes/a.json'],
      );
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('the bounds of what is read of a project', () => {
  const limits = { paths: 200, file: 1000, bytes: 2000, plugin: 1000 };
  const routes = (uid: string) => `${CJS}module.exports = createCoreRouter('${uid}');`;
  const found = async (make: (dir: string) => Promise<void>) => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-code-'));
    try {
      await make(dir);
      const files = findSources({ dir, plugins: [], limits });
      const understood = await code.understood(files);
      return { files: files.map((file) => `${file.path}: ${file.unread ?? 'read'}`), understood };
    } finally {
      await rm(dir, { recursive: true });
    }
  };
  const put = async (dir: string, name: string, text: string) => {
    await mkdir(path.join(dir, path.dirname(name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  };

  it('are told, and close everything, where folders that are linked to one another have too many paths', async () => {
    const { files, understood } = await found(async (dir) => {
      for (let i = 0; i < 8; i++) {
        await put(dir, `src/lib/f${i}/x.js`, 'exports.x = 1;');
        for (let j = 0; j < 8; j++) {
          await symlink(path.join(dir, `src/lib/f${j}`), path.join(dir, `src/lib/f${i}/to${j}`));
        }
      }
    });
    ok(files.includes('src: more than 200 files and folders, those behind links included'), files.join('\n'));
    ok(understood.closed.has('api::a.a.find') && understood.closed.has('uploads'));
    match(understood.warnings.join(), /code that is not read, more than 200 files .*safeToSkip: \['src'\]/s);
  });

  it('hold for a file and for all of them', async () => {
    const { files, understood } = await found(async (dir) => {
      await put(dir, 'src/api/a/routes/a.js', routes('api::a.a'));
      await put(dir, 'src/lib/long.js', `// ${'x'.repeat(1000)}`);
      await put(dir, 'src/lib/one.js', `// ${'x'.repeat(700)}`);
      await put(dir, 'src/lib/two.js', `// ${'x'.repeat(700)}`);
    });
    deepStrictEqual(files, [
      'src/api/a/routes/a.js: read',
      'src/lib/long.js: longer than 1000 bytes',
      'src/lib/one.js: read',
      'src/lib/two.js: beyond 2000 bytes of code',
    ]);
    ok(understood.closed.has('api::b.b.update'));
  });

  it('take in what TypeScript was compiled to, where its source is gone', async () => {
    const { files } = await found(async (dir) => {
      await put(dir, 'tsconfig.json', '{ "compilerOptions": { /* here */ "outDir": "./build/" } }');
      await put(dir, 'src/api/a/routes/a.ts', routes('api::a.a'));
      await put(dir, 'build/src/api/a/routes/a.js', routes('api::a.a'));
      await put(dir, 'build/src/api/a/controllers/a.js', 'module.exports = { find() {} };');
      await put(dir, 'dist/src/index.js', '');
    });
    deepStrictEqual(files, ['src/api/a/routes/a.ts: read', 'build/src/api/a/controllers/a.js: read']);
  });

  it('take in what it was compiled to by a configuration that another one extends, and not by a comment', async () => {
    const { files } = await found(async (dir) => {
      await put(dir, 'base.json', '{ "compilerOptions": { "outDir": "made" } }');
      await put(dir, 'tsconfig.json', '{ // "outDir": "./build",\n "extends": "./base.json" }');
      await put(dir, 'made/src/api/a/controllers/a.js', 'module.exports = { find() {} };');
      await put(dir, 'build/src/api/a/controllers/b.js', 'module.exports = { find() {} };');
    });
    deepStrictEqual(files, ['made/src/api/a/controllers/a.js: read']);
  });

  it('take in the configuration, with what it was compiled to', async () => {
    const { files, understood } = await found(async (dir) => {
      await put(dir, 'tsconfig.json', '{}');
      await put(dir, 'config/server.ts', 'export default ({ env }) => ({ host: env("HOST") });');
      await put(dir, 'config/env/production/server.js', 'module.exports = {};');
      await put(dir, 'dist/config/server.js', '');
      await put(dir, 'dist/config/gone.js', 'setTimeout(() => strapi.server.use(f));');
    });
    deepStrictEqual(files, [
      'config/env/production/server.js: read',
      'config/server.ts: read',
      'dist/config/gone.js: read',
    ]);
    ok(understood.closed.has('api::a.a.find') && understood.closed.has('uploads'));
  });

  it('leave what is compiled alone in a project of JavaScript', async () => {
    const { files } = await found(async (dir) => {
      await put(dir, 'src/api/a/routes/a.js', routes('api::a.a'));
      await put(dir, 'dist/src/index.js', 'strapi.server.use(f);');
    });
    deepStrictEqual(files, ['src/api/a/routes/a.js: read']);
  });
});

describe('config/galley', () => {
  const files = {
    ...routes("{ config: { find: { middlewares: ['m'] }, create: { policies: ['p'] } } }"),
    ...lifecycles('module.exports = { beforeCreate() {} };'),
  };

  it('opens the actions that `serve` lists', async () => {
    strictEqual(await closedBy(files, { serve: ['api::a.a.find'] }), 'a.create b.create b.update');
  });

  it('opens what code alone closes that `safeToSkip` lists', async () => {
    strictEqual(await closedBy(files, { safeToSkip: ['src/api/b/content-types/b/lifecycles.js'] }), 'a.create a.find');
  });

  it('opens own actions with those that they go beside, if nothing stands before them', async () => {
    const guarded = {
      'src/api/b/routes/b.js': `${CJS}module.exports = createCoreRouter('api::b.b', { config: { update: { policies: ['p'] } } });`,
    };
    strictEqual((await read(guarded, { serve: ['api::b.b.update'] })).closed.size, 0);
    ok(!(await read(guarded, { serve: ['api::b.b.publish'] })).closed.has('api::b.b.publish'));
  });

  it('reports words that name nothing, with the nearest', async () => {
    const told = async (config: Partial<CodeConfig>) =>
      (await read(files, config)).problems.map(({ path, message, nearest }) => `${path}: ${message}, ${nearest}`);
    deepStrictEqual(await told({ serve: ['api::a.a.fnd'] }), [
      'serve.0: the project has no action api::a.a.fnd, api::a.a.find',
    ]);
    deepStrictEqual(await told({ safeToSkip: ['src/api/a/route/a.js'] }), [
      'safeToSkip.0: the project has no code src/api/a/route/a.js, src/api/a/routes/a.js',
    ]);
    const { problems } = await read(routes("{ except: ['delete'] }"), { serve: ['api::a.a.delete'] });
    match(problems[0]!.message, /has no route/);
  });
});

describe('the message', () => {
  const message = async (files: Readonly<Record<string, string>>, config: Partial<CodeConfig> = {}) =>
    (await read(files, config)).warnings.join('\n');

  it('tells guards from what changes answers, with the lines that open them', async () => {
    strictEqual(
      await message({
        ...routes(
          "{ config: { find: { middlewares: ['api::a.populate'] }, create: { policies: ['global::is-owner'] } } }",
        ),
        'src/api/a/middlewares/populate.js':
          'module.exports = () => async (ctx, next) => { ctx.query.populate = "*"; await next(); };',
      }),
      [
        '2 actions are closed (403 to everybody): find, create of api::a.a. Code of the project that may refuse, filter or change them is not run for them.',
        '  Would lose a guard:',
        '    policy global::is-owner, src/api/a/routes/a.js: create of api::a.a',
        '  Would answer differently:',
        '    middleware populate, src/api/a/routes/a.js: find of api::a.a',
        '  To serve these actions without that code, replace the content of config/galley.js with this; remove the names that must not be served:',
        "    module.exports = { serve: ['api::a.a.create', 'api::a.a.find'] };",
      ].join('\n'),
    );
  });

  it("tells Galley's own actions apart, which Strapi does not have", async () => {
    const told = await message(own("{ method: 'POST', path: '/as/actions/batch', handler: 'c.many' }"));
    match(told, /route to api::c\.c\.many, .*: batch of api::a\.a\n/);
    match(told, /\n {2}Actions of Galley's own, which Strapi does not have: batch\.\n/);
    doesNotMatch(await message(routes("{ config: { find: { policies: ['p'] } } }")), /Galley's own/);
    const lifecycles = { 'src/api/b/content-types/b/lifecycles.js': 'module.exports = { beforeUpdate() {} };' };
    const [first] = (await message(lifecycles, { run: true })).split('\n');
    strictEqual(
      first,
      "4 actions are closed (403 to everybody): publish, unpublish, discardDraft, batch of api::b.b. They are Galley's own and would go round code of the project, which is run for other actions.",
    );
  });

  it('names code that touches much by itself, and what only reshapes apart from what guards the same action', async () => {
    const files = {
      ...extension('plugin.contentTypes.user.schema.attributes.email.private = true;'),
      ...routes("{ config: { find: { middlewares: ['api::a.populate'], policies: ['global::p'] } } }"),
      'src/api/a/middlewares/populate.js':
        'module.exports = () => async (ctx, next) => { ctx.query.populate = "*"; await next(); };',
    };
    const path = 'src/extensions/users-permissions/strapi-server.js';
    const told = (await message(files)).split('\n');
    const apart = told.slice(told.indexOf('  Would answer differently:'));
    deepStrictEqual(apart, [
      '  Would answer differently:',
      '    middleware populate, src/api/a/routes/a.js: find of api::a.a',
      '  To serve these actions without that code, replace the content of config/galley.js with this; remove the names that must not be served:',
      `    module.exports = { safeToSkip: ['${path}'], serve: ['api::a.a.find'] };`,
    ]);
    strictEqual((await read(files, { safeToSkip: [path], serve: ['api::a.a.find'] })).closed.size, 0);
  });

  it('ends with the whole of a config/galley, in its language, what it lists already included', async () => {
    const files = routes("{ config: { find: { middlewares: ['m'] }, create: { policies: ['p'] } } }");
    const last = async ({ place = '', ...lists }: Partial<CodeConfig>) => {
      const config = { ...lists, place, written: (all: GalleyLists) => galleyText(place, all) };
      return (await message(files, config)).split('\n').at(-1)!.trim();
    };
    const serve = ['api::a.a.find'];
    strictEqual(
      await last({ place: 'config/galley.ts', serve }),
      "export default { serve: ['api::a.a.find', 'api::a.a.create'] };",
    );
    strictEqual(
      await last({ place: 'config/galley.json', serve, safeToSkip: ['src/index.js'] }),
      '{ "safeToSkip": ["src/index.js"], "serve": ["api::a.a.find", "api::a.a.create"] }',
    );
  });

  it('takes a middleware that may refuse for a guard', async () => {
    const files = {
      ...routes("{ config: { find: { middlewares: ['global::gate'] } } }"),
      'src/middlewares/gate.js':
        'module.exports = () => (ctx, next) => { if (!ctx.state.user) return ctx.forbidden(); return next(); };',
    };
    match(await message(files), /Would lose a guard:\n {4}middleware global::gate/);
    doesNotMatch(await message(files), /differently/);
  });

  it('says nothing where nothing is closed', async () => {
    strictEqual(await message(routes('{}')), '');
    strictEqual(await message(routes("{ except: ['delete'] }")), '');
  });
});

describe('the files that are named as not run', () => {
  /** Of a type's router, or of the index where the source is one. */
  const isNotRun = async (source: string): Promise<boolean> => {
    const path = source.includes('register') ? 'src/index.js' : 'src/api/x/routes/y.js';
    return (await read({ [path]: source })).notRun.includes(path);
  };

  const boilerplate = [
    "module.exports = require('@strapi/strapi').factories.createCoreService('api::x.y');",
    "'use strict';\n\n/**\n * x router\n */\n\nconst { createCoreRouter } = require('@strapi/strapi').factories;\n\nmodule.exports = createCoreRouter('api::x.y');\n",
    "import { factories } from '@strapi/strapi'\n\nexport default factories.createCoreController('api::x.y');\n",
    'import { factories } from "@strapi/strapi";\nexport default factories.createCoreRouter("api::x.y" /* none */);',
    "const { factories } = require('@strapi/strapi');\nmodule.exports = factories.createCoreRouter('api::x.y')",
    "'use strict';\nmodule.exports = {\n  /** runs first */\n  register(/*{ strapi }*/) {},\n  bootstrap(/*{ strapi }*/) {},\n};",
    "// import type { Core } from '@strapi/strapi';\nexport default {\n  register(/* { strapi }: { strapi: Core.Strapi } */) {},\n\n  bootstrap(/* x */) {},\n};",
  ];
  for (const source of boilerplate) {
    it(`takes for generated: ${JSON.stringify(source.slice(0, 70))}`, async () =>
      strictEqual(await isNotRun(source), false));
  }

  const honoured = [
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::a.a', { only: ['find'] });",
    "import { factories } from '@strapi/strapi';\nexport default factories.createCoreRouter('api::a.a', { except: ['delete'], prefix: '/v1', config: {} });",
    "const { createCoreRouter } = require('@strapi/strapi').factories;\nconst options = { only: ['find'] };\nmodule.exports = createCoreRouter('api::a.a', options);",
    "module.exports = { routes: [{ method: 'GET', path: '/as', handler: 'api::a.a.find' }] };",
  ];
  for (const source of honoured) {
    it(`takes for done as it says: ${JSON.stringify(source.slice(0, 110))}`, async () =>
      strictEqual(await isNotRun(source), false));
  }

  const custom = [
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::a.a', { only: ['find'], config: { find: { policies: ['p'] } } });",
    "start();\nmodule.exports = require('@strapi/strapi').factories.createCoreRouter('api::a.a', { only: ['find'] });",
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::a.a', { only: names() });",
    "const { createCoreController } = require('@strapi/strapi').factories;\nmodule.exports = createCoreController('api::x.y', ({ strapi }) => ({}));",
    "import { factories } from '@strapi/strapi';\nopen();\nexport default factories.createCoreRouter('api::x.y');",
    "module.exports = { routes: [{ method: 'GET', path: '/x', handler: 'x.y' }] };",
    'export default { register() {}, bootstrap({ strapi }) { strapi.go(); } };',
  ];
  for (const source of custom) {
    it(`takes for custom: ${JSON.stringify(source.slice(0, 70))}`, async () =>
      strictEqual(await isNotRun(source), true));
  }
});
