/** `strapi.server.router` and `strapi.server.app`: docs/reference/project-code.md. Compared with Strapi 5.54. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const toldErrors: string[] = [];
Object.assign(globalThis, { toldOfServerApp: toldErrors });

const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'config/middlewares.js':
      "module.exports = ['global::outer', 'strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::query', 'strapi::body'];",
    'src/middlewares/outer.js':
      "module.exports = () => async (ctx, next) => { if (ctx.get('x-broken')) throw new Error('outside'); await next(); ctx.set('x-route', [ctx._matchedRoute, ctx._matchedRouteName, ctx.routerPath, ctx.routerName].join()); };",
    'src/api/own/routes/own.js':
      "module.exports = { routes: ['/own/:a', '/own/:a/(.*)'].map((path) => ({ method: 'GET', path, handler: (ctx) => { ctx.body = ctx._matchedRoute; }, config: { auth: false } })) };",
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
  const { router, app } = strapi.server;
  router.get('/healthz', (ctx) => { ctx.body = 'fine'; return 'no body'; });
  router.post(['/api/echo/:id', '/echo'], async (ctx, next) => { ctx.set('x-first', '1'); await next(); }, (ctx) => {
    ctx.body = { id: ctx.params.id, body: ctx.request.body, user: ctx.state.user !== undefined };
  });
  router.all('named', '/nothing', () => 'no body').del('/gone', (ctx) => { ctx.status = 204; });
  router.use('/api/notes', async (ctx, next) => {
    if (ctx.get('x-word') !== 'open') ctx.throw(403, 'not without the word');
    await next();
  });
  app.use(async (ctx, next) => { ctx.set('x-app', typeof app.env); await next(); });
  app.on('error', (error, ctx) => globalThis.toldOfServerApp.push(error.message + ' ' + ctx.path));
  router.get('/refused', (ctx) => { try { ctx.body = router.stack; } catch { ctx.body = 'caught'; } });
} };`,
  },
};

for (const engine of engines) {
  describe(`the router and the application that code adds to on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (method: string, target: string, options: object = {}) => {
      const { status, text, headers } = await server.request(method, target, options);
      return [status, text, headers.get('x-first'), headers.get('x-app')];
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('answer at whole paths, for every caller', async () => {
      deepStrictEqual(await ask('GET', '/healthz'), [200, 'fine', null, 'string']);
      strictEqual((await ask('POST', '/healthz'))[0], 405);
      const echo = (id?: string) => JSON.stringify({ ...(id ? { id } : {}), body: { a: 1 }, user: false });
      deepStrictEqual(await ask('POST', '/api/echo/5', { body: { a: 1 } }), [200, echo('5'), '1', 'string']);
      deepStrictEqual(await ask('POST', '/echo', { body: { a: 1 }, token: 'nobody' }), [200, echo(), '1', 'string']);
      strictEqual((await ask('GET', '/echo'))[0], 404);
      strictEqual((await ask('PATCH', '/nothing'))[0], 404);
      strictEqual((await ask('DELETE', '/gone'))[0], 204);
      strictEqual((await ask('GET', '/refused'))[0], 500);
    });

    it('put middlewares after all others, around paths in every spelling', async () => {
      const token = server.secrets['full'];
      const [status, text, , app] = await ask('GET', '/api/notes', { token });
      deepStrictEqual([status, JSON.parse(String(text)).error.message, app], [403, 'not without the word', 'string']);
      for (const path of ['/api/notes/x', '/api/NOTES', '/api/%6eotes', '/api/notes%2Fx']) {
        strictEqual((await ask('GET', path, { token }))[0], 403, path);
      }
      strictEqual((await ask('GET', '/api/notes', { token, headers: { 'x-word': 'open' } }))[0], 200);
      strictEqual((await ask('GET', '/api/notesx', { token }))[0], 404);
    });

    it('report the route that answers, as the router of Strapi does', async () => {
      const token = server.secrets['full'];
      const routes: Record<string, string | null> = {};
      const targets = [
        'GET /api/own/1?a=b',
        'HEAD /api/Own/1/',
        'GET /api/own/1/2/3',
        'POST /api/echo/5',
        'PUT /nothing',
      ];
      const built = ['GET /api/notes', 'GET /api/notes/x', 'PUT /api/notes/x', 'GET /api/users/me', 'GET /api/users/7'];
      for (const target of [...targets, ...built, 'POST /healthz', 'GET /api/nowhere']) {
        const [method, path] = target.split(' ') as [string, string];
        const { headers } = await server.request(method, path, { token, headers: { 'x-word': 'open' } });
        routes[target] = headers.get('x-route');
      }
      const route = (path: string, name = '') => [path, name, path, name].join();
      deepStrictEqual(routes, {
        'GET /api/own/1?a=b': route('/api/own/:a'),
        'HEAD /api/Own/1/': route('/api/own/:a'),
        'GET /api/own/1/2/3': route('/api/own/:a/(.*)'),
        'POST /api/echo/5': route('/api/echo/:id'),
        'PUT /nothing': route('/nothing', 'named'),
        'GET /api/notes': route('/api/notes'),
        'GET /api/notes/x': route('/api/notes/:id'),
        'PUT /api/notes/x': route('/api/notes/:id'),
        'GET /api/users/me': route('/api/users/me'),
        'GET /api/users/7': route('/api/users/:id'),
        'POST /healthz': ',,,',
        'GET /api/nowhere': ',,,',
      });
      strictEqual((await server.request('GET', '/api/own/1')).text, '/api/own/:a');
    });

    it('emit errors that leave the middlewares', async () => {
      toldErrors.length = 0;
      strictEqual((await ask('GET', '/healthz', { headers: { 'x-broken': 'yes' } }))[0], 500);
      deepStrictEqual(toldErrors, ['outside /healthz']);
    });
  });
}
