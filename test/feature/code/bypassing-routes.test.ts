/** Ways round code that runs: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { openStream } from '../../support/servers/event-stream.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const core = (kind: string, name: string, options = '') =>
  `const { factories } = require('@strapi/strapi');\nmodule.exports = factories.createCore${kind}('api::${name}.${name}'${options});`;
const refusing = '() => false';
const own = (...routes: readonly object[]) => `module.exports = { routes: ${JSON.stringify(routes)} };`;

const PROJECT: ProjectFiles = {
  contentTypes: {
    guarded: contentType('guarded', { text }),
    bare: contentType('bare', { text }),
    kept: contentType('kept', { text }),
  },
  files: {
    'src/api/guarded/routes/guarded.js': core(
      'Router',
      'guarded',
      `, { config: { find: { policies: [${refusing}] } } }`,
    ),
    // the API has no routes of its own, and has all of them here
    'src/api/bare/content-types/bare/lifecycles.js':
      "module.exports = { beforeCreate({ params: { data } }) { data.text = data.text + '!'; } };",
    'src/api/kept/routes/kept.js': core('Router', 'kept'),
    'src/index.js':
      "module.exports = { register({ strapi }) { const { documents } = strapi; documents.use((context, next) => { if (context.uid === 'api::kept.kept' && context.action === 'create') context.params.data.text = 'kept'; return next(); }); } };",
  },
};

/** A middleware around everything, which sends requests elsewhere. */
const MOVED: ProjectFiles = {
  contentTypes: { guarded: contentType('guarded', { text }) },
  files: {
    'src/api/guarded/routes/guarded.js': PROJECT.files!['src/api/guarded/routes/guarded.js'],
    // only for those who have signed in: a function has no name that could be granted
    'src/api/guarded/routes/own.js':
      "module.exports = [{ method: 'POST', path: '/known', handler: (ctx) => ({ files: Object.keys(ctx.request.files ?? {}) }) }];",
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::version'];",
    'src/middlewares/version.js':
      "module.exports = () => (ctx, next) => { ctx.path = ctx.path.replace('/api/v1/', '/api/'); return next(); };",
  },
};

/** A middleware that the configuration leaves out, and routes that it would guard. */
const CLOSED: ProjectFiles = {
  contentTypes: { note: contentType('note', { text }), open: contentType('open', { text }) },
  files: {
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::by-sql', 'strapi::body'];",
    'config/galley.js': "module.exports = { without: ['src/middlewares/by-sql.js'] };",
    'src/middlewares/by-sql.js': 'module.exports = () => (ctx, next) => next();',
    'src/api/note/routes/note.js': core('Router', 'note'),
    'src/api/note/routes/own.js': own(
      { method: 'GET', path: '/free', handler: 'own.free', config: { auth: false } },
      { method: 'GET', path: '/granted', handler: 'own.granted' },
    ),
    'src/api/note/controllers/own.js':
      'module.exports = { free: () => ({ free: true }), granted: () => ({ ok: true }) };',
    'src/api/open/routes/open.js': core('Router', 'open', ', { config: { find: { auth: false } } }'),
  },
};

/** Lifecycles that the configuration leaves out, and code that would bypass them. */
const UNHOOKED: ProjectFiles = {
  contentTypes: {
    note: contentType('note', { text }),
    page: contentType('page', { seo: { type: 'component', component: 'shared.seo' } }),
  },
  components: {
    'shared.seo': { collectionName: 'components_shared_seos', info: { displayName: 'seo' }, attributes: { text } },
  },
  files: {
    'src/api/note/routes/own.js': own(
      { method: 'POST', path: '/round', handler: 'own.round' },
      { method: 'POST', path: '/rows', handler: 'own.rows' },
      { method: 'GET', path: '/read', handler: 'own.read' },
    ),
    'src/api/note/controllers/own.js':
      "module.exports = ({ strapi }) => ({ round: () => strapi.documents('api::note.note').create({ data: { text: 'a' } }), rows: () => strapi.db.query('api::note.note').create({ data: { text: 'a' } }), read: async () => ({ count: await strapi.documents('api::note.note').count() }) });",
    'config/galley.js': "module.exports = { without: ['src/api/note/content-types/note/lifecycles.js'] };",
    'src/api/note/content-types/note/lifecycles.js': 'module.exports = { async beforeCreate() {} };',
    'src/index.js':
      "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models: ['shared.seo'], beforeFindOne() { throw new Error('no'); } }); } };",
  },
};

/** Routes that ask nobody who they are, of a type that links to one that nobody may find. */
const UNASKED: ProjectFiles = {
  contentTypes: {
    open: contentType('open', {
      text,
      hidden: { type: 'relation', relation: 'manyToOne', target: 'api::hidden.hidden' },
    }),
    hidden: contentType('hidden', { text }),
  },
  files: {
    'src/api/open/routes/open.js': core('Router', 'open', ', { config: { find: { auth: false } } }'),
    'src/api/open/routes/own.js': own({
      method: 'GET',
      path: '/opened',
      handler: 'open.opened',
      config: { auth: false },
    }),
    'src/api/open/controllers/open.js': core(
      'Controller',
      'open',
      ", ({ strapi }) => ({ async opened(ctx) { const found = await strapi.documents('api::open.open').findMany({ populate: '*' }); return this.transformResponse(await this.sanitizeOutput(found, ctx)); } })",
    ),
  },
};

/** Routes that reading the code does not show, one of them in the place of a built-in one. */
const MAPPED: ProjectFiles = {
  contentTypes: {
    note: contentType('note', { text }, { options: { draftAndPublish: true } }),
    page: contentType('page', { text }, { options: { draftAndPublish: true } }),
    late: contentType('late', { text }, { options: { draftAndPublish: true } }),
  },
  files: {
    'src/api/note/routes/own.js':
      "const names = { register: '/auth/local/register', free: '/free', make: '/pages' };\nmodule.exports = { routes: Object.entries(names).map(([name, path]) => ({ method: 'POST', path, handler: 'own.' + name, config: { auth: false } })) };",
    'src/api/note/controllers/own.js':
      "module.exports = { make: (ctx) => ctx.badRequest('not like that'), free: () => ({ free: true }), register: (ctx) => ctx.forbidden('not without a captcha') };",
    'src/api/note/routes/note.js': core('Router', 'note'),
    'src/api/page/routes/page.js': core('Router', 'page'),
    'src/api/late/routes/late.js':
      "const { routes } = require('@strapi/strapi').factories.createCoreRouter('api::late.late');\nmodule.exports = { routes: routes.map((route) => ({ ...route, config: route.handler.endsWith('update') ? { policies: [() => false] } : {} })) };",
  },
};

/** Code before what reads: of a route, of the documents, and in the place of a route. */
const READ: ProjectFiles = {
  contentTypes: Object.fromEntries(
    ['guarded', 'hooked', 'replaced', 'served', 'open'].map((name) => [name, contentType(name, { text })]),
  ),
  files: {
    'src/api/guarded/routes/guarded.js': PROJECT.files!['src/api/guarded/routes/guarded.js'],
    'src/api/hooked/content-types/hooked/lifecycles.js': 'module.exports = { afterFindMany() {} };',
    'src/api/replaced/routes/a-own.js': own({
      method: 'GET',
      path: '/replaceds',
      handler: 'own.list',
      config: { auth: false },
    }),
    'src/api/replaced/routes/replaced.js': core('Router', 'replaced'),
    'src/api/replaced/controllers/own.js': 'module.exports = { list: () => [] };',
    'src/api/served/routes/served.js': core('Router', 'served', `, { config: { find: { policies: [${refusing}] } } }`),
    'src/api/open/routes/open.js': core('Router', 'open', `, { config: { update: { policies: [${refusing}] } } }`),
    'config/galley.js': "module.exports = { serve: ['api::served.served.find'] };",
  },
};

/** Routes that code adds outside of the API, and in front of it. */
const ROOTED: ProjectFiles = {
  contentTypes: Object.fromEntries(
    ['taken', 'late', 'open'].map((name) => [
      name,
      contentType(name, { text }, { options: { draftAndPublish: true } }),
    ]),
  ),
  files: {
    'src/api/taken/routes/taken.js': core('Router', 'taken'),
    'src/api/late/routes/late.js': core('Router', 'late'),
    'src/index.js': `const route = (path, config = { auth: false }, method = 'GET') => ({ method, path, handler: (ctx) => ({ own: path, type: ctx.state.route.info.type }), config });
      module.exports = {
        register({ strapi: { server } }) {
          server.routes([route('/plain'), route('/known', {}), route('/scoped', { auth: { scope: ['api::open.open.find'] } }), route('/api/log'), route('/API/takens/:id', { auth: false }, 'PUT'), route('/api/takens')]);
          server.routes({ prefix: '/hooks', routes: [route('/a'), route('/b', { auth: false, prefix: '' })] });
          server.routes({ prefix: '/mine', type: 'content-api', routes: [route('/a'), { ...route('/found', {}), handler: 'api::open.open.find' }, route('/granted', { auth: { scope: ['api::open.open.find'] } })] });
          server.routes(route('/alone'));
        },
        bootstrap({ strapi: { server } }) { server.routes({ type: 'content-api', routes: [route('/lates'), route('/behind')] }); },
      };`,
  },
};

/** Core actions that routes of the project's own perform, written out and computed, and no core route. */
const ELSEWHERE: ProjectFiles = {
  contentTypes: {
    ...Object.fromEntries(
      ['listed', 'computed'].map((name) => [name, contentType(name, { text }, { options: { draftAndPublish: true } })]),
    ),
    link: contentType('link', { to: { type: 'relation', relation: 'oneToOne', target: 'api::listed.listed' } }),
  },
  files: {
    'src/policies/asked.js': "module.exports = ({ request }) => request.query.ask === 'nicely';",
    'src/api/listed/routes/listed.js': own(
      { method: 'GET', path: '/listed', handler: 'listed.find', config: { policies: ['global::asked'] } },
      {
        method: 'POST',
        path: '/listed',
        handler: 'api::listed.listed.create',
        config: { policies: ['global::asked'] },
      },
      { method: 'PUT', path: '/listed/:id', handler: 'listed.update', config: { policies: ['global::asked'] } },
    ),
    'src/api/listed/controllers/listed.js': core('Controller', 'listed'),
    'src/api/computed/routes/computed.js':
      "const ways = { find: 'GET', create: 'POST', update: 'PUT' };\nmodule.exports = { routes: Object.entries(ways).map(([name, method]) => ({ method, path: '/computed' + (name === 'update' ? '/:id' : ''), handler: 'computed.' + name, config: { policies: ['global::asked'] } })) };",
    'src/api/computed/controllers/computed.js': core('Controller', 'computed'),
    'src/api/link/routes/link.js': core('Router', 'link'),
  },
};

/** Services of the project behind core actions that a guard, an action of its own or `bootstrap` leads to. */
const SERVED: ProjectFiles = {
  contentTypes: Object.fromEntries(['guarded', 'called', 'patched'].map((name) => [name, contentType(name, { text })])),
  files: {
    'src/api/guarded/routes/guarded.js': core(
      'Router',
      'guarded',
      ", { config: Object.fromEntries(['find', 'findOne', 'create', 'update', 'delete'].map((name) => [name, { policies: [() => true] }])) }",
    ),
    'src/api/guarded/services/guarded.js': core(
      'Service',
      'guarded',
      ', () => ({ async create(params) { return super.create({ ...params, data: { text: "own " + params.data.text } }); }, find(params) { return super.find({ ...params, filters: { text: { $ne: "own hidden" } } }); } })',
    ),
    'src/api/called/routes/called.js': own({
      method: 'GET',
      path: '/all-called',
      handler: 'called.everything',
      config: { auth: false },
    }),
    'src/api/called/controllers/called.js': core(
      'Controller',
      'called',
      ', () => ({ everything(ctx) { return super.find(ctx); } })',
    ),
    'src/api/called/services/called.js': core(
      'Service',
      'called',
      ', () => ({ async find() { return { results: [{ text: "own" }], pagination: { total: 1 } }; } })',
    ),
    'src/api/patched/routes/patched.js': core('Router', 'patched'),
    'src/index.js':
      "module.exports = { bootstrap({ strapi }) { const service = strapi.service('api::patched.patched'); service.find = async () => ({ results: [{ text: 'patched' }], pagination: {} }); } };",
  },
};

for (const engine of engines) {
  describe(`routes that could bypass running code on ${engine.name}`, () => {
    const servers: SeededServer[] = [];
    const open = async (project: ProjectFiles, fixture?: object): Promise<SeededServer> => {
      const server = await serveSeeded(engine, await makeProject(project), fixture);
      servers.push(server);
      return server;
    };
    let server: SeededServer;
    before(async () => {
      server = await open(PROJECT);
    });
    after(async () => {
      for (const one of servers) await one.stop();
    });

    /** The status of a request whose target is sent as it stands. */
    const statusOf = (target: string): Promise<number | undefined> => {
      const { hostname, port } = new URL(server.url);
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const headers = { authorization: `Bearer ${server.secrets['full']}` };
      request({ hostname, port, path: target, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
      return promise;
    };

    it('are closed to other spellings of a path', async () => {
      const { host } = new URL(server.url);
      for (const target of ['/api/guardeds', '/api/Guardeds/', '/api/guardeds?a=1']) {
        strictEqual(await statusOf(target), 403, target);
      }
      for (const target of ['/api/%67uardeds', '/%61pi/guardeds', `http://${host}/api/guardeds`, '/api/guardeds#a']) {
        strictEqual(await statusOf(target), 404, target);
      }
      // what no code answers is found under any spelling
      strictEqual(await statusOf('/api/%75pload/files'), 200);
    });

    it('are closed where a middleware sends a request elsewhere', async () => {
      const moved = await open(MOVED);
      const token = moved.secrets['full'];
      for (const target of ['/api/v1/guardeds', '/api/guardeds', '/api/%67uardeds']) {
        const { status } = await moved.request('GET', target, { token });
        strictEqual(status, target.includes('%') ? 404 : 403, target);
      }
      strictEqual((await moved.request('GET', '/api/v1/upload/files', { token })).status, 200);
      const form = new FormData();
      form.set('files', new Blob(['hello']), 'hello.txt');
      strictEqual((await moved.request('POST', '/api/known', { body: form })).status, 401);
      strictEqual((await moved.request('POST', '/api/known', { body: {} })).status, 401);
      deepStrictEqual((await moved.request('POST', '/api/known', { token, body: {} })).body, { files: [] });
    });

    it('are closed to types without a grant to find them, on a route without auth', async () => {
      const unasked = await open(UNASKED);
      const hidden = await unasked.app.documents('api::hidden.hidden').create({ data: { text: 'b' } });
      await unasked.app.documents('api::open.open').create({ data: { text: 'a', hidden: hidden.documentId } });
      for (const target of ['opens', 'opened', 'opens?populate=*', 'opens?populate=hidden']) {
        const { body } = await unasked.request('GET', `/api/${target}`);
        deepStrictEqual([body.data[0].text, 'hidden' in body.data[0]], ['a', false], target);
      }
      for (const query of ['filters[hidden][text]=b', 'sort=hidden.text']) {
        strictEqual((await unasked.request('GET', `/api/opens?${query}`)).status, 400, query);
      }
    });

    it('are closed where routes that are computed stand, and no other built-in one', async () => {
      const mapped = await open(MAPPED);
      const token = mapped.secrets['full'];
      const post = (target: string, body: unknown = {}) => mapped.request('POST', `/api${target}`, { token, body });
      deepStrictEqual((await post('/free')).body, { free: true });
      for (const target of ['/auth/local/register', '/AUTH/local/register/']) {
        strictEqual((await post(target)).body.error.message, 'not without a captcha', target);
      }
      strictEqual((await post('/auth/local/%72egister')).status, 404);
      strictEqual((await post('/auth/local')).status, 400);
      strictEqual((await mapped.request('GET', '/api/upload/files', { token })).status, 200);
      strictEqual((await post('/pages', { data: { text: 'a' } })).body.error.message, 'not like that');
      // Galley's own actions would go round a route in the place of a core one, and there is none of notes
      const create = { operations: [{ action: 'create', data: { text: 'a' } }] };
      strictEqual((await post('/pages/actions/batch', create)).status, 403);
      const { status, body } = await post('/notes/actions/batch', create);
      strictEqual(status, 200);
      strictEqual((await post(`/notes/${body.data[0].documentId}/actions/publish`)).status, 200);
      // nor do they go round what stands before a core one
      const { documentId } = (await post('/lates?status=draft', { data: { text: 'a' } })).body.data;
      strictEqual((await mapped.request('PUT', `/api/lates/${documentId}`, { token, body: { data: {} } })).status, 403);
      strictEqual((await post(`/lates/${documentId}/actions/publish`)).status, 403);
      strictEqual((await post('/lates/actions/batch', create)).status, 403);
    });

    it('are closed where routes that code adds stand at the whole paths that they have', async () => {
      const rooted = await open(ROOTED, {
        tokens: [{ name: 'full', type: 'full-access' }],
        grants: { public: ['api::open.open.find'] },
      });
      const token = rooted.secrets['full']!;
      const own = async (path: string) => {
        const { status, body } = await rooted.request('GET', path);
        return status === 200 ? body.own : [status, body.error.message];
      };
      for (const path of ['/plain', '/api/log', '/api/takens']) strictEqual(await own(path), path);
      for (const [path, at] of Object.entries({
        '/hooks/a': '/a',
        '/b': '/b',
        '/api/mine/a': '/a',
        '/api/behind': '/behind',
      })) {
        strictEqual(await own(path), at, path);
      }
      for (const path of ['/api/plain', '/api/hooks/a', '/hooks/b', '/mine/a', '/alone', '/api/alone']) {
        deepStrictEqual(await own(path), [404, 'Not Found'], path);
      }
      // as in Strapi no credentials are any good there, those of somebody with all rights included
      for (const path of ['/known', '/scoped']) {
        const { status, body } = await rooted.request('GET', path, { token });
        deepStrictEqual([status, body.error.message], [401, 'Missing or invalid credentials'], path);
      }
      strictEqual((await rooted.request('GET', '/api/mine/granted', { token })).body.type, 'content-api');
      // whatever is granted, nobody in particular may not
      strictEqual((await own('/api/mine/found'))[0], 401);
      strictEqual((await rooted.request('GET', '/api/mine/found', { token })).status, 200);
      strictEqual((await rooted.request('GET', '/plain')).body.type, 'api');
      // those that are added later stand behind the API's own
      deepStrictEqual((await rooted.request('GET', '/api/lates', { token })).body.data, []);
      const ask = async (target: string, body: object = {}) =>
        (await rooted.request('POST', `/api${target}`, { token, body })).status;
      const batch = { operations: [{ action: 'create', data: { text: 'a' } }] };
      deepStrictEqual(
        [await ask('/takens/actions/batch', batch), await ask('/opens/actions/batch', batch)],
        [403, 200],
      );
      const { documentId } = await rooted.app.documents('api::taken.taken').create({ data: { text: 'a' } });
      strictEqual(await ask(`/takens/${documentId}/actions/publish`), 403);
      strictEqual((await rooted.request('HEAD', '/api/events?types=takens', { token })).status, 400);
      const { paths } = (await rooted.request('GET', '/api/openapi.json', { token })).body;
      deepStrictEqual(
        ['/log', '/mine/a', '/plain'].map((path) => path in paths || `/api${path}` in paths),
        [true, true, false],
      );
    });

    it('are closed where routes of the project alone perform a core action', async () => {
      const custom = (name: string, ...permissions: string[]) => ({ name, type: 'custom', permissions });
      const finding = ['listed', 'computed', 'link'].map((name) => custom(name, `api::${name}.${name}.find`));
      const tokens = [{ name: 'full', type: 'full-access' }, custom('none', 'api::link.link.findOne'), ...finding];
      const moved = await open(ELSEWHERE, { tokens });
      const full = moved.secrets['full']!;
      for (const name of ['listed', 'computed']) {
        const status = async (
          method: string,
          target: string,
          { body, token = full }: { body?: object; token?: string } = {},
        ) => (await moved.request(method, `/api/${target}`, { token, ...(body && { body }) })).status;
        const data = { text: 'a' };
        const made = await moved.request('POST', `/api/${name}?ask=nicely&status=draft`, {
          token: full,
          body: { data },
        });
        const { documentId } = made.body.data;
        deepStrictEqual(
          [
            await status('GET', `${name}?ask=nicely`),
            await status('GET', `${name}?ask=nicely`, { token: moved.secrets[name]! }),
            await status('GET', `${name}?ask=nicely`, { token: moved.secrets['none']! }),
            await status('PUT', `${name}/${documentId}?ask=nicely&status=draft`, { body: { data } }),
          ],
          [200, 200, 403, 200],
        );
        // nothing comes to the rows without the policy
        const operations = (action: string) => ({ body: { operations: [{ action, documentId, data }] } });
        const ways = {
          find: await status('GET', name),
          create: await status('POST', name, { body: { data } }),
          update: await status('PUT', `${name}/${documentId}`, { body: { data } }),
          'core routes': [await status('GET', `${name}s`), await status('GET', `${name}s/${documentId}`)],
          'core writes': [
            await status('POST', `${name}s`, { body: { data } }),
            await status('PUT', `${name}s/${documentId}`, { body: { data } }),
          ],
          publish: await status('POST', `${name}s/${documentId}/actions/publish`),
          discard: await status('POST', `${name}s/${documentId}/actions/discard-draft`),
          unpublish: await status('POST', `${name}s/${documentId}/actions/unpublish`),
          stream: await status('HEAD', `events?types=${name}s`),
          'stream of a document': await status('HEAD', `events?types=${name}s&documentId=${documentId}`),
          'batch create': await status('POST', `${name}s/actions/batch`, operations('create')),
          'batch update': await status('POST', `${name}s/actions/batch`, operations('update')),
          'batch delete': await status('POST', `${name}s/actions/batch`, operations('delete')),
        };
        deepStrictEqual(ways, {
          ...{ find: 403, create: 403, update: 403, 'core routes': [404, 404], 'core writes': [404, 404] },
          ...{ publish: 403, discard: 403, unpublish: 403, stream: 400, 'stream of a document': 400 },
          ...{ 'batch create': 403, 'batch update': 403, 'batch delete': 403 },
        });
        const { paths } = (await moved.request('GET', '/api/openapi.json', { token: full })).body;
        const own = Object.keys(paths).filter((path) => path.includes(name));
        deepStrictEqual(own.sort(), [`/api/${name}`, `/api/${name}/{id}`]);
      }
      // as in Strapi relations show what may be found, whatever stands before finding it, and nothing to others
      const target = await moved.app
        .documents('api::listed.listed')
        .create({ data: { text: 'a' }, status: 'published' });
      await moved.app.documents('api::link.link').create({ data: { to: target.documentId } });
      const shown = async (name: string) =>
        (await moved.request('GET', '/api/links?populate=to', { token: moved.secrets[name]! })).body.data[0].to?.text;
      deepStrictEqual([await shown('full'), await shown('link')], ['a', undefined]);
    });

    it('are closed for types of APIs that have no files of routes', async () => {
      const token = server.secrets['full'];
      const { status, body } = await server.request('POST', '/api/bares', { token, body: { data: { text: 'a' } } });
      deepStrictEqual([status, body.data.text], [200, 'a!']);
    });

    it('are closed where code hooks into documents under another name', async () => {
      const token = server.secrets['full'];
      const create = { data: { text: 'a' } };
      const { body } = await server.request('POST', '/api/kepts', { token, body: create });
      strictEqual(body.data.text, 'kept');
      const batch = { operations: [{ action: 'create', ...create }] };
      strictEqual((await server.request('POST', '/api/kepts/actions/batch', { token, body: batch })).status, 403);
    });

    it('are closed to streams of changes, unless the configuration opens them', async () => {
      const read = await open(READ);
      const token = read.secrets['full'];
      const listens = async (query: string) => (await read.request('HEAD', `/api/events?${query}`, { token })).status;
      for (const types of ['guardeds', 'hookeds', 'replaceds'])
        strictEqual(await listens(`types=${types}`), 400, types);
      strictEqual(await listens('types=opens,serveds'), 200);
      strictEqual(await listens('types=guardeds&documentId=a'), 200);
      const documents = (name: string) => read.app.documents(`api::${name}.${name}`);
      const stream = await openStream(`${read.url}/api/events`, { token: token! });
      for (const name of ['guarded', 'hooked', 'replaced', 'open'])
        await documents(name).create({ data: { text: name } });
      const [change] = await stream.told(1);
      strictEqual(change!['model'], 'open');
      stream.close();
    });

    it('do not lead past an own service: not by guards, own actions, or a change in bootstrap', async () => {
      const served = await open(SERVED);
      const token = served.secrets['full']!;
      for (const text of ['a', 'hidden']) {
        await served.request('POST', '/api/guardeds', { token, body: { data: { text } } });
      }
      const texts = async (target: string) =>
        (await served.request('GET', `/api/${target}`, { token })).body.data.map((one: { text: string }) => one.text);
      deepStrictEqual(await texts('guardeds'), ['own a']);
      deepStrictEqual(await texts('all-called'), ['own']);
      deepStrictEqual(await texts('patcheds'), ['patched']);
    });

    it('are closed, routes of the project included, if a global middleware is left out', async () => {
      const closed = await open(CLOSED);
      const token = closed.secrets['full'];
      for (const target of ['/notes', '/free', '/granted', '/opens']) {
        strictEqual((await closed.request('GET', `/api${target}`, { token })).status, 403, target);
        strictEqual((await closed.request('GET', `/api${target}`)).status, 403, target);
      }
      match(closed.app.warnings.join('\n'), /global::by-sql: every action/);
    });

    it('are closed to other code of the project if lifecycles are left out', async () => {
      const closed = await open(UNHOOKED);
      const token = closed.secrets['full'];
      const status = async (method: string, target: string, body?: unknown) =>
        (await closed.request(method, `/api${target}`, { token, ...(body ? { body } : {}) })).status;
      strictEqual(await status('POST', '/round'), 500);
      strictEqual(await status('POST', '/rows'), 500);
      strictEqual(await status('GET', '/read'), 500);
      // reading components runs no lifecycles
      strictEqual(await status('POST', '/pages', { data: { seo: { text: 'a' } } }), 200);
    });
  });
}
