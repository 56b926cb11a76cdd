/** Code that asks for what is not there: it is not run, named, and what it stands before is closed. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { text: { type: 'string' } };
const router = (name: string) =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}');`;

/** Code that refuses what is made of a type, in a file that nobody but `src/index` calls. */
const GUARD = `const { ApplicationError } = require('@strapi/utils').errors;
exports.guard = ({ strapi }) => {
  strapi.db.lifecycles.subscribe({ models: ['api::note.note'], beforeCreate() { throw new ApplicationError('guarded'); } });
  strapi.documents.use(async (context, next) => {
    if (context.uid === 'api::page.page' && context.action === 'update') throw new ApplicationError('guarded');
    return next();
  });
};`;

for (const engine of engines) {
  describe(`code that asks for what is not there on ${engine.name}`, () => {
    let server: SeededServer | undefined;
    const open = async (bootstrap: string): Promise<SeededServer> => {
      const files = {
        'src/api/note/routes/note.js': router('note'),
        'src/api/page/routes/page.js': router('page'),
        'src/guard.js': GUARD,
        'src/index.js': `const { guard } = require('./guard');
module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    guard({ strapi });
    ${bootstrap}
  },
};`,
      };
      const contentTypes = { note: contentType('note', text), page: contentType('page', text) };
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
      return server;
    };
    const answers = async ({ request, secrets }: SeededServer): Promise<readonly number[]> => {
      const token = secrets['full'];
      const data = { text: 'a' };
      const page = await request('POST', '/api/pages', { token, body: { data } });
      const updated = await request('PUT', `/api/pages/${page.body.data.documentId}`, { token, body: { data } });
      const note = await request('POST', '/api/notes', { token, body: { data } });
      return [page.status, updated.status, note.status, (await request('GET', '/api/notes', { token })).status];
    };

    afterEach(() => server?.stop());

    it('runs where it asks for nothing of the kind', async () => {
      deepStrictEqual(await answers(await open('')), [200, 400, 400, 200]);
    });

    it('runs where it tells plugins something that serve nothing here', async () => {
      const graphql = await open(`const extension = strapi.plugin('graphql').service('extension');
    extension.shadowCRUD('api::note.note').disableQueries();
    extension.use(({ nexus }) => ({ types: [nexus.objectType({})] }));
    for (const one of await strapi.plugins.documentation.service('override').registerOverride({}, { pluginOrigin: 'x' })) throw one;`);
      deepStrictEqual(await answers(graphql), [200, 400, 400, 200]);
      strictEqual(graphql.app.warnings.join('\n').includes('Custom code is not run'), false);
    });

    it('closes what other files stand before that it alone would have called', async () => {
      const closed = await open('strapi.admin.services.permission.clean();');
      deepStrictEqual(await answers(closed), [200, 403, 403, 200]);
      match(closed.app.warnings.join('\n'), /strapi\.admin \(src\/index\.js:6\)/);
    });

    it('does so as well where only its start shows what it asks for, which ends no start', async () => {
      const closed = await open("if (!(await strapi.service('admin::user').exists())) strapi.log.info('none');");
      deepStrictEqual(await answers(closed), [200, 403, 403, 200]);
      match(closed.app.warnings.join('\n'), /strapi\.service\('admin::user'\) \(src\/index\.js:6\)/);
      const again = await closed.app.reload();
      deepStrictEqual(again.added, []);
      strictEqual((await answers(closed))[2], 403);
    });
  });
}
