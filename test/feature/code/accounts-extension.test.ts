/** `src/extensions/users-permissions/strapi-server` runs: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const EXTENSION = `module.exports = (plugin) => {
  plugin.controllers.user.me = async (ctx) => ({ id: ctx.state.user.id, mine: true });
  plugin.controllers.user.hello = () => ({ hello: true });
  const auth = plugin.controllers.auth;
  plugin.controllers.auth = ({ strapi }) => {
    const own = auth({ strapi });
    return {
      ...own,
      async register(ctx) {
        if (ctx.request.body.username === 'root') return ctx.badRequest('Not that name');
        ctx.request.body.email = ctx.request.body.username + '@example.com';
        await own.register(ctx);
        ctx.body.greeting = 'hello ' + ctx.body.user.username;
      },
    };
  };
  plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/users/hello', handler: 'user.hello', config: { prefix: '' } });
  const routes = plugin.routes['content-api'];
  // never reached: it comes behind the route of the plugin
  routes.routes.push({ method: 'GET', path: '/users/count', handler: 'user.hello', config: { prefix: '' } });
  routes.routes = routes.routes.filter(({ handler }) => handler !== 'auth.forgotPassword');
  return plugin;
};`;

const ATTRIBUTES = `const ADDED = { city: { type: 'string' } };
const MORE = { street: { type: 'string', private: true } };
module.exports = (plugin) => {
  const { attributes } = plugin.contentTypes.user.schema;
  const user = plugin.contentTypes.user;
  const { schema } = user;
  const all = schema.attributes;
  all.room = { type: 'integer' };
  attributes.floor = { type: 'integer' };
  Object.assign(attributes, { door: { type: 'string', maxLength: 2 } });
  Object.assign(plugin.contentTypes.user.schema.attributes, ADDED);
  user.schema.info.mainField = 'username';
  user.schema = { ...user.schema, attributes: { ...user.schema.attributes, ...MORE } };
  plugin.contentTypes.user.schema.attributes.nickname = { type: 'string', maxLength: 10 };
  plugin.contentTypes.user.schema.attributes = {
    ...plugin.contentTypes.user.schema.attributes,
    age: { type: 'integer' },
    code: { type: 'string', private: true },
  };
  plugin.contentTypes.user.schema.attributes.provider.private = true;
  plugin.controllers.user.hello = () => ({ hello: strapi.contentTypes['plugin::users-permissions.user'].attributes.age.type });
  plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/users/hello', handler: 'user.hello', config: { prefix: '' } });
  return plugin;
};`;

const LIFECYCLES = `module.exports = (plugin) => {
  const told = [];
  const tell = ({ action, result }) => void told.push([action, result.username, 'password' in result].join(' '));
  const name = ({ params: { data } }) => {
    if (data.username === 'root') throw new (require('@strapi/utils').errors.ApplicationError)('not root');
    if (data.username) data.username += ' of us';
  };
  plugin.contentTypes.user.lifecycles = { beforeCreate: name, beforeUpdate: (event) => name(event), afterCreate: tell, afterDelete: tell };
  plugin.controllers.user.told = () => told;
  plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/users/told', handler: 'user.told', config: { prefix: '' } });
  return plugin;
};`;

const PARTS = `module.exports = (plugin) => {
  plugin.policies['is-self'] = ({ params, state }) => params.id === String(state.user?.id);
  plugin.policies = { ...plugin.policies, never: () => false };
  plugin.middlewares.stamp = (config, { strapi }) => async (ctx, next) => { await next(); ctx.set('x-stamp', config.text + strapi.stamped); };
  plugin.controllers.user.self = () => ({ self: true });
  const { bootstrap } = plugin;
  plugin.bootstrap = async (tools) => { await bootstrap(tools); strapi.stamped = '!'; };
  const config = (more) => ({ auth: false, prefix: '', ...more });
  const add = (router) => {
    router.routes.unshift(
      { method: 'GET', path: '/self/:id', handler: 'user.self', config: config({ policies: ['is-self'] }) },
      { method: 'GET', path: '/never', handler: 'user.self', config: config({ policies: ['plugin::users-permissions.never'] }) },
      { method: 'GET', path: '/stamped', handler: 'user.self', config: config({ middlewares: [{ name: 'stamp', config: { text: 'a' } }] }) },
      { method: 'POST', path: '/limited', handler: 'user.self', config: config({ middlewares: ['plugin::users-permissions.rateLimit'] }) },
      { method: 'POST', path: '/limited-more', handler: 'user.self', config: config({ middlewares: [{ name: 'plugin::users-permissions.rateLimit', config: { max: 1, interval: { min: 1 } } }] }) },
    );
    return router;
  };
  const routes = plugin.routes['content-api'];
  plugin.routes['content-api'] = (tools) => add(routes(tools));
  return plugin;
};`;

/** Routes taken away whose paths another one takes, what they performed called all the same, and others in another order. */
const WITHDRAWN = `module.exports = (plugin) => {
  const { count } = plugin.controllers.user;
  plugin.controllers.user.counted = async (ctx) => { await count(ctx); ctx.set('x-counted', String(ctx.body)); };
  const routes = plugin.routes['content-api'];
  const gone = ['user.count', 'user.me', 'auth.forgotPassword'];
  routes.routes = routes.routes.filter(({ handler }) => !gone.includes(handler));
  const at = (handler) => routes.routes.findIndex((route) => route.handler === handler);
  // in front of that of the sessions themselves
  routes.routes.unshift({ method: 'GET', path: '/auth/:name', handler: (ctx) => { ctx.body = ctx.params; }, config: { auth: false, prefix: '' } });
  routes.routes.push({ method: 'GET', path: '/counted', handler: 'user.counted', config: { prefix: '' } });
  const [one] = routes.routes.splice(at('role.findOne'), 1);
  routes.routes.splice(at('role.find'), 0, one);
  return plugin;
};`;

const project = (extension: string): ProjectFiles => ({
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: { 'src/extensions/users-permissions/strapi-server.js': extension },
});

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'hello', type: 'custom', permissions: ['plugin::users-permissions.user.hello'] },
  ],
};

for (const engine of engines) {
  describe(`an extension of the plugin of accounts on ${engine.name}`, () => {
    let server: SeededServer;
    const post = (target: string, body: unknown) => server.request('POST', `/api${target}`, { body });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(project(EXTENSION)), FIXTURE);
    });
    after(() => server?.stop());

    it('wraps actions, which the server still performs', async () => {
      const refused = await post('/auth/local/register', { username: 'root', password: 'Abcdef1234' });
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not that name']);
      const { status, body } = await post('/auth/local/register', { username: 'ann', password: 'Abcdef1234' });
      deepStrictEqual([status, body.greeting, body.user.email], [200, 'hello ann', 'ann@example.com']);
      const twice = await post('/auth/local/register', { username: 'ann', password: 'Abcdef1234' });
      deepStrictEqual([twice.status, twice.body.error.name], [400, 'ApplicationError']);
      const me = await server.request('GET', '/api/users/me', { token: body.jwt });
      deepStrictEqual(me.body, { id: body.user.id, mine: true });
      strictEqual((await server.request('GET', '/api/users/me')).status, 403);
      // what it leaves as it is
      const signedIn = await post('/auth/local', { identifier: 'ann', password: 'Abcdef1234' });
      strictEqual(signedIn.body.user.username, 'ann');
    });

    it('adds routes in their places, which may be granted, and takes others away', async () => {
      const get = (target: string, token?: string | undefined) => server.request('GET', `/api${target}`, { token });
      deepStrictEqual((await get('/users/hello', server.secrets['hello'])).body, { hello: true });
      strictEqual((await get('/users/hello')).status, 403);
      strictEqual(typeof (await get('/users/count', server.secrets['full'])).body, 'number');
      strictEqual((await post('/auth/forgot-password', { email: 'ann@example.com' })).status, 405);
    });

    it('removes routes for good, and code may use their actions', async () => {
      const taken = await serveSeeded(engine, await makeProject(project(WITHDRAWN)));
      const token = taken.secrets['full'];
      const ask = async (method: string, target: string, by?: string | undefined) => {
        const { status, body } = await taken.request(method, `/api${target}`, { token: by });
        return [status, body?.error?.message ?? body];
      };
      try {
        for (const target of ['/users/count', '/users/me']) {
          deepStrictEqual(await ask('GET', target, token), [404, 'User not found'], target);
          deepStrictEqual(await ask('GET', target), [403, 'Forbidden'], target);
        }
        strictEqual((await ask('POST', '/auth/forgot-password'))[0], 405);
        deepStrictEqual(await ask('GET', '/auth/forgot-password'), [200, { name: 'forgot-password' }]);
        const counted = await taken.request('GET', '/api/counted', { token });
        deepStrictEqual([counted.status, counted.body, counted.headers.get('x-counted')], [200, 0, '0']);
        deepStrictEqual(await ask('GET', '/auth/sessions'), [200, { name: 'sessions' }]);
        strictEqual((await ask('GET', '/users-permissions/roles/1', token))[0], 200);
        const { paths } = (await taken.request('GET', '/api/openapi.json', { token })).body;
        const told = ['/users/count', '/users/me', '/users/{id}', '/counted'].map((path) => `/api${path}` in paths);
        deepStrictEqual(told, [false, false, true, true]);
      } finally {
        await taken.stop();
      }
    });

    it('may be asynchronous', async () => {
      const extension = EXTENSION.replace('(plugin) => {', 'async (plugin) => {\n  await new Promise(setImmediate);');
      const own = await serveSeeded(engine, await makeProject(project(extension)), FIXTURE);
      try {
        const { body } = await own.request('GET', '/api/users/hello', { token: own.secrets['hello'] });
        deepStrictEqual(body, { hello: true });
      } finally {
        await own.stop();
      }
    });

    it('runs with the files that it imports', async () => {
      const at = 'src/extensions/users-permissions';
      const files = {
        [`${at}/strapi-server.js`]:
          "module.exports = (plugin) => { require('./controllers/user')(plugin); plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/imported', handler: 'user.imported', config: { auth: false, prefix: '' } }); return plugin; };",
        [`${at}/controllers/user.js`]:
          "module.exports = (plugin) => { plugin.controllers.user.imported = () => require('../words'); };",
        [`${at}/words.js`]: "module.exports = ['a'];",
      };
      const { contentTypes } = project('');
      const own = await serveSeeded(engine, await makeProject({ contentTypes: contentTypes!, files }));
      try {
        deepStrictEqual((await own.get('/api/imported')).body, ['a']);
      } finally {
        await own.stop();
      }
    });

    it('adds attributes to accounts and changes them, where it does so in any case', async () => {
      const plainly = await serveSeeded(engine, await makeProject(project(ATTRIBUTES)));
      try {
        const token = plainly.secrets['full'];
        const ann = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234', role: 1 };
        const users = (body: object) => plainly.request('POST', '/api/users', { token, body: { ...ann, ...body } });
        const { status, body } = await users({ nickname: 'annie', age: 7, code: 'secret' });
        deepStrictEqual([status, body.nickname, body.age], [201, 'annie', 7]);
        deepStrictEqual(['code' in body, 'provider' in body], [false, false]);
        strictEqual((await users({ username: 'bob', email: 'bob@example.com', nickname: 'far too long' })).status, 400);
        const found = await plainly.request('GET', '/api/users?filters[age][$gt]=6', { token });
        deepStrictEqual(
          found.body.map(({ nickname }: { nickname: string }) => nickname),
          ['annie'],
        );
        strictEqual((await plainly.request('GET', '/api/users?filters[code]=secret', { token })).status, 400);
        const others = {
          username: 'cid',
          email: 'cid@example.com',
          floor: 3,
          room: 4,
          city: 'Ulm',
          door: 'b',
          street: 'Way',
        };
        const { body: cid } = await users(others);
        deepStrictEqual([cid.floor, cid.room, cid.city, cid.door, 'street' in cid], [3, 4, 'Ulm', 'b', false]);
        strictEqual((await users({ ...others, username: 'dan', email: 'dan@example.com', door: 'far' })).status, 400);
        deepStrictEqual((await plainly.request('GET', '/api/users/hello', { token })).body, { hello: 'integer' });
      } finally {
        await plainly.stop();
      }
    });

    it('replaces the type of accounts by a schema as it is written in a file', async () => {
      const at = 'src/extensions/users-permissions';
      const unlisted = { configurable: false, private: true, searchable: false };
      const schema = {
        kind: 'collectionType',
        collectionName: 'up_users',
        info: { name: 'user', description: '', singularName: 'user', pluralName: 'users', displayName: 'User' },
        options: { draftAndPublish: false },
        attributes: {
          username: { type: 'string', minLength: 3, unique: true, configurable: false, required: true },
          email: { type: 'email', minLength: 6, configurable: false, required: true },
          provider: { type: 'string', configurable: false },
          password: { type: 'password', minLength: 6, ...unlisted },
          resetPasswordToken: { type: 'string', ...unlisted },
          confirmationToken: { type: 'string', ...unlisted },
          confirmed: { type: 'boolean', default: false, configurable: false },
          blocked: { type: 'boolean', default: false, configurable: false },
          role: {
            type: 'relation',
            relation: 'manyToOne',
            target: 'plugin::users-permissions.role',
            inversedBy: 'users',
            configurable: false,
          },
          phone: { type: 'string' },
        },
      };
      const files = {
        [`${at}/strapi-server.js`]:
          "module.exports = (plugin) => { plugin.contentTypes.user = require('./content-types/user'); return plugin; };",
        [`${at}/content-types/user/index.js`]: "module.exports = { schema: require('./schema.json') };",
        [`${at}/content-types/user/schema.json`]: JSON.stringify(schema),
      };
      const own = await serveSeeded(engine, await makeProject({ ...project(''), files }));
      try {
        const token = own.secrets['full'];
        const ann = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234', role: 1, phone: '1' };
        const { status, body } = await own.request('POST', '/api/users', { token, body: ann });
        deepStrictEqual([status, body.phone, 'password' in body], [201, '1', false]);
        const credentials = { identifier: 'ann', password: 'Abcdef1234' };
        const signedIn = await own.request('POST', '/api/auth/local', { body: credentials });
        deepStrictEqual([signedIn.status, signedIn.body.user.username], [200, 'ann']);
      } finally {
        await own.stop();
      }
    });

    it('adds policies and middlewares, and takes those of the plugin', async () => {
      const parts = await serveSeeded(engine, await makeProject(project(PARTS)));
      try {
        const get = (target: string) => parts.request('GET', `/api${target}`);
        strictEqual((await get('/self/1')).body.error.name, 'PolicyError');
        strictEqual((await get('/never')).body.error.name, 'PolicyError');
        const stamped = await get('/stamped');
        deepStrictEqual([stamped.status, stamped.headers.get('x-stamp')], [200, 'a!']);
        const ask = async (target: string, email: string) =>
          (await parts.request('POST', `/api${target}`, { body: { email } })).status;
        for (let n = 0; n < 10; n += 1) strictEqual(await ask('/limited', 'ann@example.com'), 200);
        deepStrictEqual(
          [await ask('/limited', 'Ann@example.com'), await ask('/Limited/', 'ann@example.com')],
          [429, 429],
        );
        strictEqual(await ask('/limited', 'bob@example.com'), 200);
        deepStrictEqual([await ask('/limited-more', 'x'), await ask('/limited-more', 'x')], [200, 429]);
        const token = parts.secrets['full'];
        strictEqual((await parts.request('GET', '/api/users', { token })).status, 200);
      } finally {
        await parts.stop();
      }
    });

    it('adds lifecycles of accounts, around every write', async () => {
      const hooked = await serveSeeded(engine, await makeProject(project(LIFECYCLES)));
      try {
        const token = hooked.secrets['full'];
        const ann = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234' };
        const register = (body: object) =>
          hooked.request('POST', '/api/auth/local/register', { body: { ...ann, ...body } });
        const registered = await register({});
        deepStrictEqual([registered.status, registered.body.user.username], [200, 'ann of us']);
        const refused = await register({ username: 'root', email: 'root@example.com' });
        deepStrictEqual([refused.status, refused.body.error.message], [400, 'not root']);
        const made = await hooked.request('POST', '/api/users', {
          token,
          body: { ...ann, username: 'bob', email: 'bob@example.com', role: 1 },
        });
        strictEqual(made.body.username, 'bob of us');
        const { id } = made.body;
        strictEqual(
          (await hooked.request('PUT', `/api/users/${id}`, { token, body: { username: 'root' } })).status,
          400,
        );
        strictEqual((await hooked.request('DELETE', `/api/users/${id}`, { token })).status, 200);
        const told = await hooked.request('GET', '/api/users/told', { token });
        deepStrictEqual(told.body, [
          'afterCreate ann of us false',
          'afterCreate bob of us false',
          'afterDelete bob of us false',
        ]);
      } finally {
        await hooked.stop();
      }
    });

    it('is not needed: code changes actions and routes of accounts as it registers', async () => {
      const files = {
        'src/index.js': `module.exports = { register({ strapi }) {
          const { controllers, routes } = strapi.plugin('users-permissions');
          const list = routes['content-api'].routes;
          list.find(({ path }) => path === '/auth/local/register').handler = 'auth.registerOurs';
          const { register } = controllers.auth;
          controllers.auth.registerOurs = async (ctx) => {
            if (!ctx.request.body.invitation) return ctx.badRequest('no invitation');
            delete ctx.request.body.invitation;
            await register(ctx);
          };
          list.unshift({ method: 'GET', path: '/users/exists/:name', handler: 'user.exists', config: { auth: false, prefix: '' } });
          controllers.user.exists = (ctx) => ({ exists: ctx.params.name === 'ann' });
          controllers.user.count = () => ({ counted: 'ours' });
        } };`,
      };
      const own = await serveSeeded(engine, await makeProject({ ...project(''), files }), {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: { public: ['plugin::users-permissions.auth.registerOurs', 'plugin::users-permissions.auth.register'] },
      });
      try {
        const ann = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234' };
        const register = (body: object) => own.request('POST', '/api/auth/local/register', { body });
        deepStrictEqual((await register(ann)).body.error.message, 'no invitation');
        const registered = await register({ ...ann, invitation: 'x' });
        strictEqual(registered.body.user?.username, 'ann', registered.text);
        deepStrictEqual((await own.get('/api/users/exists/ann')).body, { exists: true });
        const token = own.secrets['full'];
        deepStrictEqual((await own.request('GET', '/api/users/count', { token })).body, { counted: 'ours' });
        strictEqual((await own.request('GET', '/api/users', { token })).body[0].username, 'ann');
      } finally {
        await own.stop();
      }
    });

    it('changes schemas in every form', async () => {
      const changes = [
        "if (process.env.PATH) plugin.contentTypes.user.schema.attributes.age = { type: 'integer' };",
        "plugin.contentTypes.user.schema.attributes.age = { type: process.env.NONE ?? 'integer' };",
        'const { attributes } = plugin.contentTypes.user.schema; attributes.age = { type: "integer" }; Object.keys(attributes);',
        'const user = plugin.contentTypes.user; const { schema } = user; schema.attributes.age = { type: "integer" };',
        'plugin.contentTypes.user.schema.attributes = { ...plugin.contentTypes.user.schema.attributes, age: { type: "integer" } };',
        'plugin.contentTypes.user.schema = { ...plugin.contentTypes.user.schema, attributes: { ...plugin.contentTypes.user.schema.attributes, age: { type: "integer" } } };',
        'Object.assign(plugin.contentTypes.user.schema.attributes, JSON.parse(\'{"age":{"type":"integer"}}\'));',
      ];
      for (const change of changes) {
        const changed = await serveSeeded(
          engine,
          await makeProject(project(`module.exports = (plugin) => { ${change} return plugin; };`)),
        );
        try {
          const token = changed.secrets['full'];
          const user = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234', role: 1 };
          const wrong = await changed.request('POST', '/api/users', { token, body: { ...user, age: 'old' } });
          strictEqual(wrong.status, 400, change);
          const { body } = await changed.request('POST', '/api/users', { token, body: { ...user, age: 7 } });
          strictEqual(body.age, 7, change);
        } finally {
          await changed.stop();
        }
      }
    });
  });
}
