/** What code does to strapi, in whatever file and under whatever name: docs/reference/project-code.md. */
import { strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ReadCode, readCode } from '../../support/servers/project-code.ts';

let code: ReadCode;
before(async () => {
  code = await readCode();
});
after(() => code?.folder.remove());

const service = (body: string, head = '') => ({
  'src/api/c/services/c.ts': `${head}\nexport default ({ strapi }: { strapi: any }) => ({ async go(ctx: any) { ${body} } });`,
});
const index = (body: string) => ({ 'src/index.ts': `export default { async register({ strapi }: any) { ${body} } };` });

describe('code that may change how requests are served closes every action', () => {
  const table: [string, Readonly<Record<string, string>>][] = [
    ...[
      'Object.assign(strapi.controller("api::a.a"), { find() {} });',
      'strapi.documents = wrap(strapi.documents);',
      'strapi.get("auth").register("content-api", strategy);',
      'const { sanitizers } = strapi; sanitizers.add("content-api.output", f);',
      'const self = { app: strapi }; self.app.server.use(f);',
      'const [s] = [strapi]; s.server.use(f);',
      'globalThis["str" + "api"].server.use(f);',
      'const g = global; g[key].server.use(f);',
      'Reflect.get(globalThis, "strapi").server.use(f);',
      'eval("strapi.server.use(f)");',
      'new Function("strapi.server.use(f)")();',
      'const change = (app: any) => { app.sanitizers.add("content-api.output", f); }; change(strapi);',
      'const change = ({ app }: any) => { app.hook("x").register(f); }; change({ app: strapi });',
      'const hand = (...all: any[]) => require("some-package")(all); hand(strapi);',
      'function hand() { require("some-package")(arguments[0]); } hand(strapi);',
      'strapi.entityService.decorate(() => ({}));',
      'strapi.config.get("api.responses.privateAttributes").push("text");',
      'const list = strapi.config.get("api.responses.privateAttributes"); list.push("text");',
      'const { config } = strapi; config.set("api.rest.maxLimit", 1);',
      'const users = strapi.config.get("plugin::users-permissions"); users.register = {};',
      'change(strapi.config.get("plugin::users-permissions"));',
      "strapi.config.get('plugin::' + name).jwt = {};",
      'strapi.server.httpServer.prependListener("request", f);',
      'strapi.server.httpServer.on("request", f);',
      'strapi.db.connection.on("query", f);',
      'strapi.db.connection.client.query = f;',
      'const knex = strapi.db.connection; change(knex);',
      'strapi.contentType("api::a.a").attributes.text.private = true;',
      'const { attributes } = strapi.getModel("api::a.a"); attributes.text.private = true;',
      'for (const one of Object.values(strapi.contentTypes["api::a.a"].attributes) as any[]) one.private = true;',
      'Object.entries(strapi.getModel("api::a.a").attributes).forEach(([name, one]: any) => { one.private = true; });',
      'delete strapi.getModel("api::a.a").attributes.text;',
      '[strapi.controller("api::a.a").find] = [f];',
      '({ f: strapi.controller("api::a.a").find } = { f });',
      'const pick = () => strapi.controller("api::a.a"); pick().find = f;',
      'const s = ctx.plain ? strapi.log : strapi.services["api::a.a"]; s.find = f;',
      '(strapi as any).controllers["api::a.a"].find = f;',
      'change(strapi as any);',
      'change(strapi!);',
      'strapi.api("a").controllers.a.find = f;',
    ].flatMap((body): [string, Readonly<Record<string, string>>][] => [
      [`in a service: ${body}`, service(body)],
      [`at start: ${body}`, index(body)],
    ]),
    [
      'a factory of a middleware that hands its context on',
      {
        'src/middlewares/m.js':
          'module.exports = (config, it) => { require("some-package")(it); return (ctx, next) => next(); };',
      },
    ],
    [
      'a factory of a middleware that names strapi otherwise',
      {
        'src/middlewares/m.js':
          'module.exports = (config, { strapi: app }) => { app.server.router.get("/api/as", f); };',
      },
    ],
    [
      'a policy that gives strapi to a package',
      { 'src/policies/p.js': 'module.exports = (ctx, config, all) => { require("some-package")(all.strapi); };' },
    ],
    [
      'a controller that takes everything',
      {
        'src/api/c/controllers/c.js':
          "module.exports = require('@strapi/strapi').factories.createCoreController('api::c.c', function () { require('some-package')(arguments); return {}; });",
      },
    ],
    [
      '`this` that holds strapi',
      {
        'src/utils/x.js':
          'module.exports = function () { const { strapi: s } = this; s.auth.register("content-api", f); };',
      },
    ],
    [
      'a function of another file with a parameter of another name',
      {
        ...service('change(strapi);', "import { change } from '../../../utils/change';"),
        'src/utils/change.ts': 'export const change = (app: any) => { app.auth.register("content-api", f); };',
      },
    ],
    [
      'a schema that a function of another file changes',
      {
        ...service('hide(strapi.getModel("api::a.a"));', "import hide from '../../../utils/hide';"),
        'src/utils/hide.ts': 'export default (model: any) => { model.attributes.text.private = true; };',
      },
    ],
    [
      'a shared object that a function of another file gives',
      {
        ...service('pick("a").find = f;', "import { pick } from '../../../utils/pick';"),
        'src/utils/pick.ts': "export function pick(name: string) { return strapi.service('api::' + name); }",
      },
    ],
    [
      'a class of another file',
      {
        ...service('new Change(strapi);', "import { Change } from '../../../utils/change';"),
        'src/utils/change.ts': 'export class Change { constructor(app: any) { app.auth.register("content-api", f); } }',
      },
    ],
    [
      'the start functions of a plugin that an extension replaces',
      {
        'src/extensions/documentation/strapi-server.js':
          'module.exports = (plugin) => { plugin.bootstrap = ({ strapi: s }) => { s.controllers["api::a.a"].find = f; }; return plugin; };',
      },
    ],
    [
      'a package of Strapi’s that is changed',
      { 'src/index.js': 'const utils = require("@strapi/utils"); utils.sanitize.contentAPI.output = (data) => ({});' },
    ],
    ...['strapi-server.js', 'server/index.js', 'server/register.js'].map(
      (file): [string, Readonly<Record<string, string>>] => [
        `a start function of a plugin of the project, ${file}`,
        {
          [`src/plugins/p/${file}`]: file.endsWith('register.js')
            ? 'module.exports = (all) => { require("some-package")(all); };'
            : 'module.exports = { register(all) { require("some-package")(all); } };',
        },
      ],
    ),
    [
      'a service of a plugin of the project',
      {
        'src/plugins/p/server/src/services/s.ts': 'export default (all: any) => { change(all); return {}; };',
      },
    ],
    ['a schema that is handed on while the server starts', index('change(strapi.getModel("api::a.a"));')],
  ];
  for (const [name, files] of table) it(name, async () => strictEqual(await code.closedBy(files), '*'));
});

describe('code that reads and writes content closes nothing', () => {
  const table: [string, Readonly<Record<string, string>>][] = [
    [
      'answers that are sanitized',
      service(
        "const schema = strapi.getModel('api::a.a'); const { auth } = ctx.state; await strapi.contentAPI.sanitize.output(x, schema, {}); return sanitize.contentAPI.output(x, schema, { auth });",
        "import { sanitize } from '@strapi/utils';",
      ),
    ],
    [
      'statements of the project’s own',
      service(
        "const knex = strapi.db.connection; await knex('t').insert({}); const r = await strapi.db.connection.raw('select 1'); r.rows[0].x = 2; await knex.transaction(async (trx) => { await trx('t').insert({}); }); return knex.client.config.client === 'sqlite';",
      ),
    ],
    [
      'rows that are changed after they were read',
      service(
        "const rows = await strapi.documents('api::a.a').findMany({}); rows[0].x = 1; for (const row of rows) { row.y = 2; send(row); } const q = strapi.db.query('api::a.a'); const n = await q.count(); const { results } = await strapi.service('api::a.a').find({}); return results.map((r: any) => ({ ...r, n }));",
      ),
    ],
    [
      'settings that are kept',
      service(
        "const store = strapi.store({ type: 'plugin', name: 'x' }); await store.set({ key: 'k', value: 1 }); const { settings } = strapi.config.get('plugin::upload'); const mail = strapi.config.get('custom.mail', {}); send(mail, store, strapi.config.get('plugin::users-permissions.jwtSecret')); return strapi.config.myfile.key;",
      ),
    ],
    [
      'services of plugins',
      service(
        "const { user, jwt } = strapi.plugins['users-permissions'].services; const found = await user.fetch({}); const t = jwt.issue({ id: 1 }); await strapi.plugins['email'].services.email.send({ to: 'x' }); await strapi.plugin('email').service('email').send({}); return [t, strapi.plugin('users-permissions').service('jwt').issue({ id: found.id })];",
      ),
    ],
    [
      'a function of another file that gives services',
      {
        ...service(
          "const s = getService('user'); await s.edit(1, {}); return getService('jwt').issue({});",
          "import { getService } from '../../../utils/get';",
        ),
        'src/utils/get.ts':
          "export const getService = (name: string) => strapi.plugin('users-permissions').service(name);",
      },
    ],
    [
      'strapi handed to functions of the project under whatever name',
      {
        ...service('return notify(strapi, 1, { strapi });', "import { notify } from '../../../utils/notify';"),
        'src/utils/notify.ts':
          "export async function notify(app: any, id: number, { strapi: s }: any) { app.log.info('x'); await app.documents('api::a.a').findOne({}); const svc = s.service('api::a.a'); return svc.go(id); }",
      },
    ],
    [
      'strapi handed to a class of the project',
      {
        ...service('return new Work({ strapi }).go();', "import { Work } from '../../../utils/work';"),
        'src/utils/work.ts':
          "export class Work { strapi: any; constructor({ strapi }: any) { this.strapi = strapi; } go() { return this.strapi.documents('api::a.a').findMany(); } }",
      },
    ],
    [
      'a walk through a schema',
      service(
        "const populate: any = {}; for (const [key, value] of Object.entries(strapi.getModel(ctx.uid).attributes) as any[]) { if (value.type === 'component') populate[key] = deep(value.component); } return populate; function deep(uid: any) { return { populate: Object.keys(strapi.getModel(uid).attributes) }; }",
      ),
    ],
    [
      'a plugin of the project, as Strapi’s generator makes it',
      {
        'src/plugins/p/server/src/index.ts':
          "import bootstrap from './bootstrap';\nimport destroy from './destroy';\nimport register from './register';\nimport config from './config';\nimport contentTypes from './content-types';\nimport controllers from './controllers';\nimport routes from './routes';\nimport services from './services';\nexport default { register, bootstrap, destroy, config, controllers, routes, services, contentTypes };",
        'src/plugins/p/server/src/bootstrap.ts':
          "import type { Core } from '@strapi/strapi';\nconst bootstrap = ({ strapi }: { strapi: Core.Strapi }) => { strapi.log.info('x'); };\nexport default bootstrap;",
        'src/plugins/p/server/src/destroy.ts':
          'const destroy = ({ strapi }: { strapi: any }) => {};\nexport default destroy;',
        'src/plugins/p/server/src/register.ts':
          "const register = ({ strapi }: { strapi: any }) => { strapi.customFields.register({ name: 'x', plugin: 'p', type: 'string' }); };\nexport default register;",
        'src/plugins/p/server/src/config/index.ts': 'export default { default: {}, validator() {} };',
        'src/plugins/p/server/src/content-types/index.ts': 'export default {};',
        'src/plugins/p/server/src/controllers/controller.ts':
          "const controller = ({ strapi }: { strapi: any }) => ({ index(ctx: any) { ctx.body = strapi.plugin('p').service('service').getWelcomeMessage(); } });\nexport default controller;",
        'src/plugins/p/server/src/controllers/index.ts':
          "import controller from './controller';\nexport default { controller };",
        'src/plugins/p/server/src/routes/index.ts':
          "export default { 'content-api': { type: 'content-api', routes: [{ method: 'GET', path: '/', handler: 'controller.index', config: { policies: [] } }] } };",
        'src/plugins/p/server/src/services/service.ts':
          "const service = ({ strapi }: { strapi: any }) => ({ getWelcomeMessage() { return 'x'; } });\nexport default service;",
        'src/plugins/p/server/src/services/index.ts': "import service from './service';\nexport default { service };",
      },
    ],
    [
      'socket.io, members of the project’s own, and whatever else a start does',
      {
        'src/index.js': `const { Server } = require('socket.io');
module.exports = { register() {}, async bootstrap({ strapi: app }) {
  const io = new Server(app.server.httpServer, { cors: {} });
  io.on('connection', (socket) => { socket.on('x', async () => { await app.documents('api::a.a').findMany(); }); });
  app.io = io;
  strapi.redis = connect();
  const role = await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
  await Promise.all(['a'].map((action) => strapi.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } })));
  await strapi.admin.services.permission.conditionProvider.registerMany([]);
  strapi.customFields.register({ name: 'x' });
  strapi.cron.add({ x: { task: ({ strapi }) => strapi.log.info('x'), options: { rule: '* * * * *' } } });
  process.on('SIGTERM', () => strapi.stop());
  strapi.eventHub.on('entry.create', async ({ entry }) => { await fetch('x', { body: JSON.stringify(entry) }); });
  if (strapi.config.get('environment') === 'production') strapi.log.info(strapi.config.get('server.url'));
} };`,
        ...service("strapi.io.emit('x', 1); return strapi.redis.get('x');"),
      },
    ],
    [
      'a controller, a policy and a middleware of the project’s own',
      {
        'src/api/c/controllers/c.ts':
          "import { factories } from '@strapi/strapi';\nexport default factories.createCoreController('api::c.c' as any, ({ strapi }) => ({ async x(ctx) { const entity = await strapi.service('api::a.a').findOne(1); return this.transformResponse(await this.sanitizeOutput(entity, ctx)); }, async y(ctx) { const c = strapi.controller('api::a.a'); return c.find(ctx); } }));",
        'src/policies/p.ts':
          'export default (policyContext: any, config: any, { strapi }: any) => { const { user } = policyContext.state; return user ? strapi.service("api::a.a").owns(user) : false; };',
        'src/middlewares/m.ts':
          "import type { Core } from '@strapi/strapi';\nexport default (config: any, { strapi }: { strapi: Core.Strapi }) => async (ctx: any, next: any) => { strapi.log.info('x'); await next(); };",
      },
    ],
  ];
  for (const [name, files] of table) it(name, async () => strictEqual(await code.closedBy(files), ''));
});

it('functions that call one another in circles are read in bounded time', async () => {
  const functions = Array.from(
    { length: 300 },
    (_, i) =>
      `function f${i}(a) { if (a) return f${(i + 1) % 300}(a); if (!a) return f${(i + 2) % 300}(a.b); return f${(i + 3) % 300}(strapi.log); }`,
  );
  const source = `${functions.join('\n')}\nmodule.exports = () => ({ go() { return f0(strapi.log); } });`;
  strictEqual(await code.closedBy({ 'src/api/c/services/c.js': source }), '');
});
