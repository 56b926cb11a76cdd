/** Middlewares in the forms that Strapi's documentation shows; the answers are Strapi's. */
import { deepStrictEqual, doesNotMatch, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refusesToStart } from '../../../support/code/refused-start.ts';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const NOTE = contentType('note', { text: { type: 'string' } });

const MIDDLEWARES = `module.exports = [
  'strapi::errors', 'strapi::query', 'strapi::body',
  { name: 'strapi::responses', config: { handlers: { 200(ctx) { ctx.set('x-found', 'yes'); }, 404: async (ctx) => { ctx.body = 'nothing'; ctx.status = 418; } } } },
  'strapi::public',
];`;

const FILES = {
  'config/middlewares.js': MIDDLEWARES,
  'config/plugins.js': 'module.exports = { upload: { enabled: false } };',
  'public/uploads/a.txt': 'a',
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
};

const FIXTURE = {
  tokens: [{ name: 'full', type: 'full-access' }],
  grants: { public: ['api::note.note.find', 'plugin::upload.content-api.find'] },
};

for (const engine of engines) {
  describe(`middlewares of a project on ${engine.name}`, () => {
    let server: SeededServer;

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes: { note: NOTE }, files: FILES }), FIXTURE);
    });
    after(() => server?.stop());

    it('are functions for answers of some statuses', async () => {
      const found = await server.get('/api/notes');
      deepStrictEqual([found.status, found.headers.get('x-found')], [200, 'yes']);
      const missing = await server.get('/api/nothing');
      deepStrictEqual([missing.status, missing.text, missing.headers.get('x-found')], [418, 'nothing', null]);
    });

    it('wrap everything if they are added before those of the configuration, and follow them if added after', async () => {
      const marking = (name: string) =>
        `strapi.server.use(async (ctx, next) => { ctx.append('x-order', '${name}'); try { await next(); } catch (error) { ctx.append('x-order', '${name} caught'); throw error; } if (ctx.status >= 400) ctx.append('x-order', '${name} saw ' + ctx.status + (ctx.body ? ' told' : '')); });`;
      const files = {
        'config/middlewares.js':
          "module.exports = ['global::outer', 'strapi::errors', 'strapi::query', 'strapi::body', 'global::inner'];",
        'src/middlewares/outer.js':
          "module.exports = () => (ctx, next) => { ctx.append('x-order', 'outer'); return next(); };",
        'src/middlewares/inner.js': `module.exports = (config, { strapi }) => { ${marking('made')} return (ctx, next) => { ctx.append('x-order', 'inner'); return next(); }; };`,
        'src/index.js': `module.exports = { register({ strapi }) { ${marking('register')} }, bootstrap({ strapi }) { ${marking('bootstrap')} } };`,
        'src/api/note/routes/own.js':
          "module.exports = { routes: [{ method: 'GET', path: '/thrown', handler: () => { throw new Error('never mind'); }, config: { auth: false } }, { method: 'GET', path: '/granted', handler: () => 'never', config: { auth: { scope: ['api::note.note.find'] } } }] };",
      };
      const around = await serveSeeded(engine, await makeProject({ contentTypes: { note: NOTE }, files }));
      try {
        const orderOf = async (target: string) => (await around.get(target)).headers.get('x-order');
        const within = 'register, made, outer, inner, bootstrap';
        const told = (status: number) => `made saw ${status} told, register saw ${status} told`;
        strictEqual(await orderOf('/api/granted'), `${within}, bootstrap saw 403 told, ${told(403)}`);
        strictEqual(await orderOf('/api/nothing'), `${within}, bootstrap saw 404, ${told(404)}`);
        strictEqual(await orderOf('/api/thrown'), `${within}, bootstrap caught, ${told(500)}`);
      } finally {
        await around.stop();
      }
    });

    it('are files anywhere in the project, and packages, where they are resolved', async () => {
      const marking = (name: string) =>
        `module.exports = ({ word }, { strapi }) => async (ctx, next) => { await next(); ctx.append('x-marks', '${name} ' + word + ' ' + typeof strapi.log.info); };`;
      const resolved = (path: string, word: string) => `{ resolve: ${path}, config: { word: '${word}' } }`;
      const list = [
        resolved("'./some-dir/plain'", 'a'),
        resolved("'other-dir/typed.js'", 'b'),
        resolved("'marking-package'", 'c'),
        resolved("__dirname + '/../node_modules/marking-package'", 'd'),
      ];
      const files = {
        'config/middlewares.js': `module.exports = ['strapi::errors', ${list.join()}, 'strapi::query', 'strapi::body'];`,
        'some-dir/plain.js': marking('plain'),
        'other-dir/typed.js': marking('typed'),
        'node_modules/marking-package/package.json': { name: 'marking-package', version: '1.0.0', main: 'lib/main.js' },
        'node_modules/marking-package/lib/main.js': `const parts = require('./parts'); ${marking('package')}`,
        'node_modules/marking-package/lib/parts.js': 'module.exports = {};',
      };
      const grants = { public: ['api::note.note.find'] };
      const marked = await serveSeeded(engine, await makeProject({ contentTypes: { note: NOTE }, files }), { grants });
      try {
        const { status, headers } = await marked.get('/api/notes');
        strictEqual(status, 200);
        strictEqual(
          headers.get('x-marks'),
          'package d function, package c function, typed b function, plain a function',
        );
        doesNotMatch(marked.app.warnings.join('\n'), /closed|not run/i);
      } finally {
        await marked.stop();
      }
    });

    it('stop the start if they read a missing member while they are created, or are missing', async () => {
      const refuses = async (path: string, files: Readonly<Record<string, string>>, reason: RegExp) => {
        const list = `module.exports = ['strapi::errors', { resolve: '${path}' }, 'strapi::query', 'strapi::body'];`;
        const all = { ...files, 'config/middlewares.js': list };
        await refusesToStart(engine, { contentTypes: { note: NOTE }, files: all }, reason);
      };
      const raw = 'module.exports = (config, { strapi }) => { strapi.sessionManager; return (ctx, next) => next(); };';
      await refuses('./lib/raw', { 'lib/raw.js': raw }, /^lib\/raw\.js:1: strapi\.sessionManager is not supported/);
      await refuses('raw', { 'node_modules/raw/index.js': raw }, /strapi\.sessionManager is not supported/);
      await refuses('not-installed', {}, /not-installed/);
    });

    it('stop the start if they return no middleware, since their routes would be open', async () => {
      const refuses = (files: Readonly<Record<string, string>>, message: RegExp) =>
        refusesToStart(engine, { contentTypes: { note: NOTE }, files }, message);
      const inRoute = (code: string, config: string, message: RegExp) =>
        refuses(
          {
            'src/api/note/middlewares/guard.js': `module.exports = ${code};`,
            'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note', { config: { find: ${config} } });`,
          },
          message,
        );
      const named = "{ middlewares: ['guard'] }";
      const wants = ': it must be a function of its configuration that returns the middleware, such as ';
      const place = 'note\\.js:1: the route GET /notes: Middleware ';
      const async = 'async (ctx, next) => { if (!ctx.state.user) return ctx.unauthorized(); await next(); }';
      await inRoute(async, named, new RegExp(`${place}guard gives a promise, as an async function does${wants}`));
      await inRoute(
        '() => ({ handler() {} })',
        "{ middlewares: [{ name: 'api::note.guard' }] }",
        new RegExp(`${place}api::note.guard gives an object${wants}`),
      );
      await inRoute('() => [() => {}]', named, /Middleware guard gives a list: it must/);
      await inRoute('() => true', named, /Middleware guard gives a boolean: it must/);
      await refuses(
        {
          'config/middlewares.js': "module.exports = ['strapi::errors', { resolve: './src/guard' }];",
          'src/guard.js': `module.exports = ${async};`,
        },
        /^config\/middlewares\.js:\d+: Middleware \.\/src\/guard gives a promise, as an async function does: /,
      );
      const handler = "[require('../middlewares/guard').guard, (ctx) => { ctx.body = 'shown'; }]";
      await refuses(
        {
          'src/api/note/middlewares/guard.js': 'module.exports = () => (ctx, next) => next();',
          'src/api/note/routes/own.js': `module.exports = { routes: [{ method: 'GET', path: '/own', handler: ${handler} }] };`,
        },
        /own\.js:1: the route GET \/own: handler must be a name, a function, or a list of functions/,
      );
    });

    it('receive nothing of a disabled plugin', async () => {
      strictEqual((await server.get('/api/upload/files')).status, 403);
      strictEqual((await server.get('/api/upload/files', server.secrets['full'])).status, 403);
      strictEqual((await server.get('/uploads/a.txt')).status, 403);
    });
  });
}
