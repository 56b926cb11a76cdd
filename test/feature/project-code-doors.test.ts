/** Ways round the code of a project that are closed: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../support/project.ts';
import { type SeededServer, serveSeeded } from '../support/seeded.ts';

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
      const server = await serveSeeded(engine, await makeProject(project));
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
  });
}
