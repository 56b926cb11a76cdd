/** Plugins of Strapi without effect here: undefined where the project has none, and refused in requests where it does. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const GUARDS: Readonly<Record<string, string>> = {
  absent: "strapi.plugin('graphql') === undefined",
  unlisted: "!('graphql' in strapi.plugins) && !Object.keys(strapi.plugins).includes('graphql')",
  present: "Boolean(strapi.plugin('documentation'))",
  read: "Boolean(strapi.plugin('documentation').service('token').isValid(ctx.query.token))",
  kept: 'Boolean(globalThis.keptService.isValid(ctx.query.token))',
  listed: "'service' in strapi.plugin('documentation')",
};

const ROUTES = `module.exports = { routes: [${Object.entries(GUARDS).map(
  ([name, test]) => `{ method: 'GET', path: '/${name}', handler: () => 'let in', config: { auth: false, policies: [
    (ctx, config, { strapi }) => { try { return ${test}; } catch { return true; } }] } }`,
)}] };`;

for (const engine of engines) {
  describe(`plugins without effect on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const project = await makeProject({
        contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
        files: {
          'package.json': JSON.stringify({ dependencies: { '@strapi/plugin-documentation': '5.0.0' } }),
          'src/api/note/routes/guarded.js': ROUTES,
          'src/index.js': `module.exports = { register({ strapi }) {
            strapi.plugin('documentation').service('override').registerOverride({ tags: [] });
            globalThis.keptService = strapi.plugin('documentation').service('token');
            strapi.plugin('graphql')?.service('extension').use({});
          } };`,
        },
      });
      server = await serveSeeded(engine, project);
    });
    after(() => server?.stop());

    it('are undefined without the plugin', async () => {
      strictEqual((await server.get('/api/absent')).status, 200);
      strictEqual((await server.get('/api/unlisted')).status, 200);
      strictEqual((await server.get('/api/present')).status, 200);
    });

    it('are refused in requests', async () => {
      const statuses = [];
      for (const name of ['read', 'kept', 'listed']) statuses.push((await server.get(`/api/${name}`)).status);
      deepStrictEqual(statuses, [500, 500, 500]);
    });
  });
}
