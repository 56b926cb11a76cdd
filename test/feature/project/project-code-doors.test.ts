/** Ways round the code of a project that are closed: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const component = (collectionName: string, attributes: Readonly<Record<string, unknown>>) => ({
  collectionName,
  info: { displayName: collectionName },
  attributes,
});

for (const engine of engines) {
  describe(`ways round the code of a project on ${engine.name}`, () => {
    const servers: SeededServer[] = [];
    /** A function that gives the status of a request with a full-access token. */
    const serve = async (project: ProjectFiles) => {
      const server = await serveSeeded(
        engine,
        await makeProject({ ...project, files: { '.env': 'GALLEY_CODE=read\n', ...project.files } }),
      );
      servers.push(server);
      const token = server.secrets['full'];
      return async (method: string, target: string, body?: unknown): Promise<number> =>
        (await server.request(method, `/api${target}`, { token, ...(body === undefined ? {} : { body }) })).status;
    };
    after(async () => {
      for (const server of servers) await server.stop();
    });

    it('are closed where a component has lifecycles: writes of the types that contain it, and nothing else', async () => {
      const project = (event: string): ProjectFiles => ({
        contentTypes: {
          article: contentType('article', { text, list: { type: 'component', component: 'shared.list' } }),
          page: contentType('page', { zone: { type: 'dynamiczone', components: ['shared.seo'] } }),
          plain: contentType('plain', { text }),
        },
        components: {
          'shared.seo': component('components_shared_seos', { text }),
          'shared.list': component('components_shared_lists', { seo: { type: 'component', component: 'shared.seo' } }),
        },
        files: {
          'src/index.js': `module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models: ['shared.seo'], ${event}() { throw new Error('no'); } }); } };`,
        },
      });
      const creating = await serve(project('beforeCreate'));
      strictEqual(await creating('POST', '/articles', { data: { list: { seo: { text: 'a' } } } }), 403);
      strictEqual(
        await creating('POST', '/pages', { data: { zone: [{ __component: 'shared.seo', text: 'a' }] } }),
        403,
      );
      strictEqual(
        await creating('POST', '/articles/actions/batch', { operations: [{ action: 'create', data: {} }] }),
        403,
      );
      strictEqual(await creating('POST', '/plains', { data: { text: 'a' } }), 200);
      strictEqual(await creating('GET', '/articles?populate=*'), 200);
      const finding = await serve(project('afterFindOne'));
      strictEqual(await finding('POST', '/articles', { data: { text: 'a' } }), 403);
      deepStrictEqual(
        [
          await finding('GET', '/articles'),
          await finding('GET', '/users'),
          await finding('POST', '/plains', { data: {} }),
        ],
        [200, 200, 200],
      );
    });

    const tags = (route: string, files: Readonly<Record<string, string>> = {}): ProjectFiles => ({
      contentTypes: { tag: contentType('tag', { text }, { options: { draftAndPublish: true } }) },
      files: {
        'src/api/tag/routes/tag.js':
          "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::tag.tag');",
        'src/api/tag/routes/01-own.js': `module.exports = { routes: [${route}] };`,
        ...files,
      },
    });
    const batch = { operations: [{ action: 'create', data: { text: 'a' } }] };

    it('are closed where routes of the project have the paths of Galley’s own actions', async () => {
      const routes =
        "{ method: 'POST', path: '/tags/actions/batch', handler: 'tag.batch', config: { policies: ['p'] } }, { method: 'POST', path: '/tags/:id/actions/publish', handler: 'tag.publish' }";
      const call = await serve(tags(routes));
      strictEqual(await call('POST', '/tags/actions/batch', batch), 403);
      strictEqual(await call('POST', '/tags/anything/actions/publish'), 403);
      strictEqual(await call('POST', '/tags/anything/actions/unpublish'), 404);
      strictEqual(await call('POST', '/tags', { data: { text: 'a' } }), 200);
      const serving = "module.exports = { serve: ['api::tag.tag.batch', 'api::tag.tag.publish'] };";
      const opened = await serve(tags(routes, { 'config/galley.js': serving }));
      strictEqual(await opened('POST', '/tags/actions/batch', batch), 200);
      strictEqual(await opened('POST', '/tags/anything/actions/publish'), 404);
    });

    it('are closed below a route for everything, on each path of the API', async () => {
      const call = await serve(tags("{ method: 'ALL', path: '/(.*)', handler: 'tag.any' }"));
      for (const request of [
        'GET /tags',
        'GET /tags/a',
        'DELETE /tags/a',
        'POST /tags/actions/batch',
        'POST /tags/a/actions/publish',
        'POST /tags/a/actions/unpublish',
        'POST /tags/a/actions/discard-draft',
        'POST /auth/local',
        'POST /auth/logout',
        'GET /auth/sessions',
        'GET /users/me',
        'GET /users-permissions/roles',
        'GET /users-permissions/permissions',
        'GET /upload/files',
        'GET /upload/files/page',
        'GET /i18n/locales',
        'POST /i18n/locales',
      ]) {
        const [method, path] = request.split(' ') as [string, string];
        strictEqual(await call(method, path, method === 'POST' ? {} : undefined), 403, request);
      }
    });

    it('are closed where the configuration has code that guards', async () => {
      const call = await serve(
        tags('', {
          'config/server.js':
            'setImmediate(() => global.strapi?.server.use((ctx) => ctx.throw(403))); module.exports = {};',
        }),
      );
      deepStrictEqual([await call('GET', '/tags'), await call('POST', '/tags/actions/batch', batch)], [403, 403]);
    });
  });
}
