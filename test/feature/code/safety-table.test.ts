/**
 * Guards that use a member which Strapi has and Galley lacks, each written in a way that hides it and lets the caller in
 * where the member is missing. In Strapi each of them refuses. Here no caller gets anything either, and nothing is written.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** True where an expression has no value or throws. */
const lacks = (read: string): string => `try { return !(${read}); } catch { return true; }`;
/** The same where it is awaited. */
const lacksLater = (read: string): string => `try { return !(await (${read})); } catch { return true; }`;

/**
 * The ways, by name: bodies of `async (app, memo) => …`, where `app` is strapi and `memo` an object that the guard keeps.
 * Each gives true where it takes the member for missing.
 */
const WAYS: Readonly<Record<string, string>> = {
  call: lacks("app.db.queryBuilder('x')"),
  destructured: lacks('(({ db: { queryBuilder } }) => queryBuilder)(app)'),
  renamed: lacks('(({ db: base }) => base.queryBuilder)(app)'),
  computed: lacks("app['d' + 'b'][['query', 'Builder'].join('')]"),
  'default value': lacks('(({ queryBuilder = undefined }) => queryBuilder)(app.db)'),
  'default parameter': lacks('((db, build = db.queryBuilder) => build)(app.db)'),
  'optional chaining': lacks("app?.db?.queryBuilder?.('x')"),
  nullish: lacks('app.db.queryBuilder ?? false'),
  'logical or': lacks('app.db.queryBuilder || false'),
  typeof: "try { return typeof app.db.queryBuilder === 'undefined'; } catch { return true; }",
  in: "return !('queryBuilder' in app.db);",
  'Reflect.has': "return !Reflect.has(app.db, 'queryBuilder');",
  'Reflect.get': lacks("Reflect.get(app.db, 'queryBuilder')"),
  hasOwn: `return !Object.hasOwn(app.service('admin::role'), 'hasSuperAdminRole');`,
  keys: `return !Object.keys(app.service('admin::role')).includes('hasSuperAdminRole');`,
  'for in': `for (const name in app.service('admin::role')) if (name === 'hasSuperAdminRole') return false; return true;`,
  entries: lacksLater(`Object.fromEntries(Object.entries(app.service('admin::role'))).hasSuperAdminRole()`),
  spread: lacksLater(`({ ...app.service('admin::role') }).hasSuperAdminRole()`),
  rest: lacksLater(`(({ find, ...others }) => others)(app.service('admin::role')).hasSuperAdminRole()`),
  'Object.assign': lacksLater(`Object.assign({}, app.service('admin::role')).hasSuperAdminRole()`),
  descriptors: lacksLater(
    `Object.defineProperties({}, Object.getOwnPropertyDescriptors(app.service('admin::role'))).hasSuperAdminRole()`,
  ),
  'Object.create': lacks("Object.create(app.db).queryBuilder('x')"),
  'a proxy of it': lacks("new Proxy(app.db, {}).queryBuilder('x')"),
  getter: lacks('({ get build() { return app.db.queryBuilder; } }).build'),
  'helper module': "return require('GUARD').allowed(app);",
  'module that is loaded late': "return require('LATE').allowed();",
  'package of node_modules': "return require('some-guard')(app);",
  global: lacks('globalThis.strapi.db.queryBuilder'),
  'global by name': lacks("global['stra' + 'pi'].db.queryBuilder"),
  'free name': lacks('strapi.db.queryBuilder'),
  this: `return (function () { ${lacks('this.db.queryBuilder')} }).call(app);`,
  super: `class Base { read() { return app.db.queryBuilder; } }
    class Own extends Base { allowed() { ${lacks('super.read()')} } }
    return new Own().allowed();`,
  'static block': `class Own { static open; static { try { Own.open = !app.db.queryBuilder; } catch { Own.open = true; } } } return Own.open;`,
  'private field': `class Own { #build = (() => { try { return app.db.queryBuilder; } catch { return undefined; } })(); get open() { return !this.#build; } }
    return new Own().open;`,
  'function of bootstrap': 'return globalThis.safety.read();',
  'bound function of bootstrap': 'return globalThis.safety.bound();',
  'context of bootstrap': 'return globalThis.safety.resource.runInAsyncScope(() => globalThis.safety.read());',
  'loop of bootstrap': 'return new Promise((done) => globalThis.safety.queue.push(done));',
  'snapshot of a module': "return require('GUARD').snapshot(() => require('GUARD').allowed(app));",
  'message of a port': "return require('GUARD').byPort(app);",
  'promise that is not awaited':
    'let open = false; void (async () => { try { app.db.queryBuilder; } catch { open = true; } })(); return open;',
  'rejection handler': 'return Promise.resolve(app).then(({ db }) => !db.queryBuilder).catch(() => true);',
  allSettled:
    "const [{ status }] = await Promise.allSettled([(async () => app.db.queryBuilder('x'))()]); return status === 'rejected';",
  any: 'return Promise.any([(async () => { app.db.queryBuilder; return false; })(), new Promise((go) => setTimeout(go, 2, true))]);',
  race: 'return Promise.race([(async () => app.db.queryBuilder)()]).then(() => false, () => true);',
  timer: `return new Promise((done) => setTimeout(() => done((() => { ${lacks('app.db.queryBuilder')} })()), 1));`,
  immediate: `return new Promise((done) => setImmediate(() => done((() => { ${lacks('app.db.queryBuilder')} })())));`,
  'timer of node:timers': `return new Promise((done) => require('node:timers').setTimeout(() => done((() => { ${lacks('app.db.queryBuilder')} })()), 1));`,
  'promised timer': `await require('node:timers/promises').setTimeout(1); ${lacks('app.db.queryBuilder')}`,
  interval: `return new Promise((done) => { const timer = setInterval(() => { clearInterval(timer); done((() => { ${lacks('app.db.queryBuilder')} })()); }, 1); });`,
  microtask: `return new Promise((done) => queueMicrotask(() => done((() => { ${lacks('app.db.queryBuilder')} })())));`,
  nextTick: `return new Promise((done) => process.nextTick(() => done((() => { ${lacks('app.db.queryBuilder')} })())));`,
  generator: `function* reading() { yield app.db.queryBuilder; } ${lacks('[...reading()][0]')}`,
  'async iterator': `async function* reading() { yield app.db.queryBuilder; }
    try { for await (const build of reading()) return !build; } catch { return true; } return true;`,
  emitter: `const emitter = new (require('node:events'))(); let open; emitter.on('ask', () => { try { open = !app.db.queryBuilder; } catch { open = true; } });
    emitter.emit('ask'); return open;`,
  'emitter of a module': "return require('GUARD').byEmitter(app);",
  stream: `const { Readable } = require('node:stream');
    try { for await (const one of Readable.from([1]).map(() => app.db.queryBuilder)) return !one; } catch { return true; } return true;`,
  'callback of a list': lacks('[app].map(({ db }) => db.queryBuilder)[0]'),
  comparator:
    'let open = false; [1, 2].sort(() => { try { app.db.queryBuilder; } catch { open = true; } return 0; }); return open;',
  replacer:
    "let open = false; 'a'.replace(/a/, () => { try { app.db.queryBuilder; } catch { open = true; } return ''; }); return open;",
  'template tag': `const tag = () => app.db.queryBuilder; ${lacks('tag`x`')}`,
  toJSON:
    "try { return JSON.stringify({ toJSON: () => (app.db.queryBuilder ? 'there' : undefined) }) === undefined; } catch { return true; }",
  toString:
    "try { return String({ toString: () => (app.db.queryBuilder ? 'there' : '') }) === ''; } catch { return true; }",
  promisify:
    "return require('node:util').promisify((done) => done(null, app.db.queryBuilder))().then((build) => !build, () => true);",
  finally: 'try { app.db.queryBuilder; return false; } catch {} finally { if (!memo.never) return true; }',
  'rethrown and caught':
    "try { try { app.db.queryBuilder; } catch (error) { throw new Error('x', { cause: error }); } return false; } catch { return true; }",
  'error kept': 'try { app.db.queryBuilder; } catch (error) { memo.error = error; } return memo.error !== undefined;',
  'message of the error':
    "try { app.db.queryBuilder; return false; } catch ({ message }) { return message.includes('queryBuilder'); }",
  memoized:
    'memo.open ??= (() => { try { return !app.db.queryBuilder; } catch { return true; } })(); return memo.open;',
  'memoized promise': 'memo.asked ??= (async () => !app.db.queryBuilder)().catch(() => true); return memo.asked;',
  'memoized failure': 'memo.asked ??= (async () => !app.db.queryBuilder)(); return memo.asked.catch(() => true);',
  'remembered in a set':
    "const seen = (memo.seen ??= new Set()); if (seen.has('x')) return true; try { app.db.queryBuilder; } catch { seen.add('x'); } return seen.has('x');",
  'second try':
    'for (let time = 0; time < 3; time++) { try { app.db.queryBuilder; return false; } catch {} } return true;',
  'function of a string':
    "try { return !new Function('app', 'return app.db.queryBuilder')(app); } catch { return true; }",
  eval: lacks("eval('app.db.queryBuilder')"),
  'vm script': lacks("require('node:vm').runInThisContext('(app) => app.db.queryBuilder')(app)"),
  'strapi.get': lacks("app.get('auth').verify"),
  'strapi.get of another': lacks("app.get('content-api').getRoutesMap"),
  'registry of strapi.get': lacks("app.get('services').extend"),
  'service of a plugin': lacks("app.plugin('i18n').service('localizations')"),
  'service by uid': lacks("app.service('plugin::upload.provider')"),
  'services of a plugin': lacks('app.plugins.upload.services.provider'),
  'service of the panel': lacks("app.service('admin::token')"),
  'strapi.admin.services': lacks('app.admin.services.token'),
  'member of such a service': lacks("app.service('admin::user').findRegistrationInfo"),
  'hook of strapi': lacks("app.hook('strapi::content-types.beforeSync').call"),
  'strapi.documents': lacks("app.documents('api::note.note').updateComponents"),
  'routes of an API': lacks("app.api('note').routes"),
  'session manager': lacks("app.sessionManager('users-permissions')"),
  '@strapi/utils': lacks("require('@strapi/utils').traverse"),
  'visitors of @strapi/utils': lacks("require('@strapi/utils').sanitize.visitors"),
  'member of ctx': lacks('app.requestContext.get().matched'),
  'member of ctx.request': lacks('app.requestContext.get().request.response'),
  'session of ctx': lacks('app.requestContext.get().session'),
  '@strapi/strapi': lacks("require('@strapi/strapi').compileStrapi"),
};
const NAMES = Object.keys(WAYS);

/** A way with the paths of the modules that it loads. */
const inPlace = (body: string): string =>
  body.replaceAll(/'(GUARD|LATE)'/g, (_, name: string) => `process.env.SAFETY + '/lib/${name.toLowerCase()}.js'`);

/** The ways as functions, in the order of their names. */
const TABLE = `const ways = [${NAMES.map((name) => `async (app, memo) => { ${inPlace(WAYS[name]!)} }`).join(',\n')}];`;

/** The kinds of guards, with the address behind the guard of a way. */
const KINDS: Readonly<Record<string, (way: number) => string>> = {
  policy: (way) => `/api/policy/${way}`,
  middleware: (way) => `/api/middleware/${way}`,
  controller: (way) => `/api/controller/${way}`,
  service: (way) => `/api/service/${way}`,
  'global middleware': (way) => `/api/global/${way}`,
  'document middleware': (way) => `/api/document/${way}`,
  lifecycle: (way) => `/api/lifecycle/${way}`,
  sanitizer: (way) => `/api/sanitizer/${way}`,
};
const each = <T>(make: (way: number) => T): T[] => NAMES.map((_, way) => make(way));

const route = (kind: string, way: number, config: string) =>
  `{ method: 'GET', path: '/${kind}/${way}', handler: '${kind === 'sanitizer' ? 'note' : 'read'}.${['policy', 'middleware', 'global'].includes(kind) ? 'plain' : `${kind}${way}`}', config: ${config} }`;

const PROJECT = {
  contentTypes: {
    note: contentType('note', { text: { type: 'string' } }),
    kept: contentType('kept', { text: { type: 'string' } }),
  },
  files: {
    'lib/guard.js': `const { AsyncLocalStorage } = require('node:async_hooks');
      const allowed = (app) => { ${lacks("app['db'].queryBuilder")} };
      const { port1, port2 } = new MessageChannel();
      const waiting = [];
      port1.on('message', () => { const { app, done } = waiting.shift(); done(allowed(app)); });
      port1.unref();
      const emitter = new (require('node:events'))();
      emitter.on('ask', (app, done) => done(allowed(app)));
      module.exports = { allowed, snapshot: AsyncLocalStorage.snapshot(),
        byPort: (app) => new Promise((done) => { waiting.push({ app, done }); port2.postMessage(1); }),
        byEmitter: (app) => new Promise((done) => emitter.emit('ask', app, done)) };`,
    'lib/late.js': `const open = (() => { ${lacks("strapi['db'].queryBuilder")} })(); exports.allowed = () => open;`,
    'node_modules/some-guard/package.json': '{"name":"some-guard","version":"1.0.0","main":"index.js"}',
    'node_modules/some-guard/index.js': `module.exports = (app) => { ${lacks("app['db'].queryBuilder")} };`,
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/routes/ways.js': `const fresh = require('../../../../lib/fresh.js');
      const [policies, middlewares] = [fresh(), fresh()];
      module.exports = { routes: [
        ${each((way) => route('policy', way, `{ policies: [(ctx, config, { strapi: app }) => policies[${way}](app)] }`)).join(',\n')},
        ${each((way) => route('middleware', way, `{ middlewares: [async (ctx, next) => ((await middlewares[${way}](strapi)) ? next() : ctx.forbidden('no'))] }`)).join(',\n')},
        ${['controller', 'service', 'global', 'document', 'lifecycle', 'sanitizer'].flatMap((kind) => each((way) => route(kind, way, '{}'))).join(',\n')},
        { method: 'GET', path: '/allowed', handler: 'read.plain', config: { policies: [() => true] } },
        { method: 'GET', path: '/refused', handler: 'read.plain', config: { policies: [() => false] } },
        ${each((way) => `{ method: 'POST', path: '/write/${way}', handler: 'read.write${way}' }`).join(',\n')},
      ] };`,
    'lib/fresh.js': `${TABLE}\nmodule.exports = () => ways.map((way) => { const memo = {}; return (app) => way(app, memo); });`,
    'src/api/note/controllers/read.js': `const [own, writing] = [require('../../../../lib/fresh.js')(), require('../../../../lib/fresh.js')()];
      const { errors } = require('@strapi/utils');
      const plain = async () => strapi.documents('api::note.note').findMany();
      const reading = async (end) => { try { return await plain(); } finally { end(); } };
      const require403 = async (way) => { if (!(await way(strapi))) throw new errors.ForbiddenError('no'); };
      const documents = require('../../../../lib/fresh.js')().map((way) => async (context, next) => { await require403(way); return next(); });
      const lifecycles = require('../../../../lib/fresh.js')().map((way) => ({ models: ['api::note.note'], beforeFindMany: () => require403(way) }));
      module.exports = ({ strapi: app }) => ({
        plain,
        ${each((way) => `async controller${way}(ctx) { return (await own[${way}](app)) ? plain() : ctx.forbidden('no'); }`).join(',\n')},
        ${each((way) => `async service${way}(ctx) { return (await app.service('api::note.ways').way${way}()) ? plain() : ctx.forbidden('no'); }`).join(',\n')},
        ${each((way) => `async document${way}() { return reading(strapi.documents.use(documents[${way}])); }`).join(',\n')},
        ${each((way) => `async lifecycle${way}() { return reading(strapi.db.lifecycles.subscribe(lifecycles[${way}])); }`).join(',\n')},
        ${each((way) => `async write${way}(ctx) { if (!(await writing[${way}](app))) return ctx.forbidden('no'); await strapi.documents('api::kept.kept').create({ data: { text: 'w${way}' } }); return { written: true }; }`).join(',\n')},
      });`,
    'src/api/note/controllers/note.js': `const own = require('../../../../lib/fresh.js')();
      module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', ({ strapi }) => ({
        async sanitizeOutput(data, ctx) {
          const way = own[ctx.request.path.split('/').at(-1)];
          return !way || (await way(strapi)) ? data : [];
        },
        ${each((way) => `async sanitizer${way}(ctx) { return this.sanitizeOutput(await strapi.documents('api::note.note').findMany(), ctx); }`).join(',\n')},
      }));`,
    'src/api/note/services/ways.js': `const own = require('../../../../lib/fresh.js')();
      module.exports = ({ strapi: app }) => ({ ${each((way) => `way${way}: () => own[${way}](app)`).join(',\n')} });`,
    'src/index.js': `const fresh = require('../lib/fresh.js');
      module.exports = {
        bootstrap({ strapi: app }) {
          fresh().forEach((way, n) => app.server.router.use('/api/global/' + n, async (ctx, next) => ((await way(app)) ? next() : ctx.forbidden('no'))));
          const read = () => { ${lacks("app['db'].queryBuilder")} };
          const { AsyncResource } = require('node:async_hooks');
          const queue = new (require('node:events'))();
          const waiting = [];
          (async () => { for (;;) { while (waiting.length > 0) waiting.shift()(read()); await require('node:events').once(queue, 'filled'); } })();
          globalThis.safety = { read, bound: read.bind(null), resource: new AsyncResource('safety'),
            queue: { push: (done) => { waiting.push(done); queue.emit('filled'); } } };
        },
      };`,
  },
};

/** Ways that read the member in what the start has left running: the start has failed then, and all code is closed. */
const OF_START = ['context of bootstrap', 'loop of bootstrap', 'snapshot of a module', 'message of a port'];

async function served(engine: (typeof engines)[number]): Promise<SeededServer> {
  const folder = await makeProject(PROJECT);
  process.env['SAFETY'] = folder.dir;
  const server = await serveSeeded(engine, folder);
  const token = server.secrets['full'];
  const { status } = await server.request('POST', '/api/notes', { token, body: { data: { text: 'secret' } } });
  strictEqual(status, 200);
  return server;
}

const get = (server: SeededServer, target: string) => server.request('GET', target, { token: server.secrets['full'] });

/** Whether a guard of a kind lets its caller in by a way. */
async function letsIn(server: SeededServer, kind: string, way: number): Promise<boolean> {
  const { status, text } = await get(server, KINDS[kind]!(way));
  const isRefused = status === 500 || status === 403 || (kind === 'sanitizer' && text === '[]');
  return !isRefused || text.includes('secret');
}

async function writes(server: SeededServer, way: number): Promise<boolean> {
  const token = server.secrets['full'];
  const { status } = await server.request('POST', `/api/write/${way}`, { token, body: {} });
  return status !== 500 && status !== 403;
}

const written = (server: SeededServer) => server.app.documents('api::kept.kept').findMany() as Promise<unknown>;

for (const engine of engines) {
  describe(`guards that use a member which Galley lacks, on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await served(engine);
    });
    after(() => server?.stop());

    it('are distinguished from sound guards', async () => {
      const answers = await Promise.all(
        ['/api/allowed', '/api/refused', '/api/notes'].map((path) => get(server, path)),
      );
      deepStrictEqual(
        answers.map(({ status, text }) => [status, text.includes('secret')]),
        [
          [200, true],
          [403, false],
          [200, true],
        ],
      );
    });

    const ways = [...NAMES.entries()].filter(([, name]) => !OF_START.includes(name));
    for (const kind of Object.keys(KINDS)) {
      it(`let nobody in as ${kind}, in ${ways.length} ways, the first time and the second`, async () => {
        const open: string[] = [];
        for (const [way, name] of ways)
          for (const time of [1, 2]) if (await letsIn(server, kind, way)) open.push(`${name} (${time})`);
        deepStrictEqual(open, []);
        strictEqual((await get(server, '/api/allowed')).status, 200);
      });
    }

    it('write nothing', async () => {
      const open: string[] = [];
      for (const [way, name] of ways) for (const _time of [1, 2]) if (await writes(server, way)) open.push(name);
      deepStrictEqual([open, await written(server)], [[], []]);
    });
  });

  describe(`guards that use such a member in work that the start did not await, on ${engine.name}`, () => {
    for (const [index, name] of OF_START.entries()) {
      it(`let nobody in, of any kind, and write nothing: ${name}`, async () => {
        const server = await served(engine);
        try {
          const way = NAMES.indexOf(name);
          // each way is the first of another kind of guard: no guard is called after it
          const kinds = Object.keys(KINDS);
          const open: string[] = [];
          for (const kind of [...kinds.slice(index * 2), ...kinds.slice(0, index * 2)])
            for (const time of [1, 2]) if (await letsIn(server, kind, way)) open.push(`${kind} (${time})`);
          deepStrictEqual([open, await writes(server, way), await written(server)], [[], false, []]);
          strictEqual((await get(server, '/api/allowed')).status, 500);
        } finally {
          await server.stop();
        }
      });
    }
  });
}
