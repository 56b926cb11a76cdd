/** `strapi.server.app.middleware`, the array of Koa. Compared with Strapi 5.54. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

/** A project with `bootstrap`, and routes that run a part of the code. */
const project = (bootstrap: string) => ({
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'config/middlewares.js':
      "module.exports = ['strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::query', 'global::own', 'strapi::body', 'strapi::favicon', 'strapi::public'];",
    'src/middlewares/own.js':
      "module.exports = () => async function own(ctx, next) { ctx.set('x-seen', ctx.get('x-seen') + ' own'); await next(); };",
    'src/api/ask/routes/ask.js': `module.exports = { routes: ['names', 'late', 'removed'].map((name) =>
      ({ method: 'GET', path: '/' + name, handler: 'ask.' + name, config: { auth: false } })) };`,
    'src/api/ask/controllers/ask.js': `module.exports = ({ strapi }) => ({
      names(ctx) { ctx.body = strapi.server.app.middleware.map(({ name }) => name); },
      late(ctx) {
        strapi.server.app.middleware.unshift((inner, next) => {
          if (inner.get('x-word') !== 'open') inner.throw(403, 'not without the word');
          return next();
        });
        ctx.body = {};
      },
      removed(ctx) {
        const { middleware } = strapi.server.app;
        middleware.splice(middleware.findIndex(({ name }) => name === 'cors'), 1);
        ctx.body = {};
      },
    });`,
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
      const { app } = strapi.server;
      const noting = (name) => async (ctx, next) => { ctx.request.header['x-seen'] = ctx.get('x-seen') + ' ' + name; await next(); ctx.set('x-all', ctx.get('x-seen').trim()); };
      const failing = async (ctx, next) => { if (ctx.get('x-fail')) throw new Error('outside'); await next(); };
      ${bootstrap}
    } };`,
  },
});

const CHANGED = project(`
  app.middleware.unshift(noting('first'));
  app.middleware.splice(app.middleware.findIndex(({ name }) => name === 'own'), 0, noting('before own'));
  const at = app.middleware.findIndex(({ name }) => name === 'own');
  const original = app.middleware[at];
  app.middleware[at] = Object.defineProperty((ctx, next) => ctx.get('x-without') ? next() : original(ctx, next), 'name', { value: 'own' });
  app.middleware.push(noting('last'));
  app.middleware = [...app.middleware, noting('reassigned')];
  strapi.server.use(failing);
`);

const serve = async (engine: Engine, files: ReturnType<typeof project>): Promise<SeededServer> =>
  serveSeeded(engine, await makeProject(files));

for (const engine of engines) {
  describe(`the array of middlewares on ${engine.name}`, () => {
    let server: SeededServer;
    const get = (path: string, headers: Record<string, string> = {}) => server.request('GET', path, { headers });

    before(async () => {
      server = await serve(engine, CHANGED);
    });
    after(() => server?.stop());

    it('runs in its order', async () => {
      const { headers } = await get('/api/names');
      strictEqual(headers.get('x-all'), 'first before own last reassigned');
      strictEqual(headers.get('x-seen'), 'first before own own');
    });

    it('has the functions that code puts into the places of its own', async () => {
      strictEqual((await get('/api/names', { 'x-without': '1' })).headers.get('x-seen'), null);
    });

    it('names its functions as Strapi does', async () => {
      const { body } = await get('/api/names');
      const strapi = ['', '', '', '', 'cors', 'dummyMiddleware', '', 'own', '', '', 'dummyMiddleware'];
      deepStrictEqual(body, [...strapi, '', '', 'failing', 'dispatch', 'allowedMethods']);
    });

    it('changes for the next request', async () => {
      strictEqual((await get('/api/late')).status, 200);
      for (const path of ['/api/names', '/api/notes', '/anything']) strictEqual((await get(path)).status, 403, path);
      strictEqual((await get('/api/names', { 'x-word': 'open' })).status, 200);
    });

    it('fails every request once a middleware of Strapi is removed', async () => {
      await server.stop();
      server = await serve(engine, project(''));
      strictEqual((await get('/api/removed')).status, 200);
      for (const path of ['/api/names', '/api/notes', '/anything']) strictEqual((await get(path)).status, 500, path);
    });

    it('stops the start where bootstrap removes or moves a middleware of Strapi', async () => {
      for (const change of ['app.middleware.splice(1, 1)', 'app.middleware.reverse()', 'app.middleware = []']) {
        await rejects(serve(engine, project(`${change};`)), (error: Error) => {
          match(error.message, /a change of strapi\.server\.app\.middleware that removes or moves/);
          return true;
        });
      }
    });
  });
}
