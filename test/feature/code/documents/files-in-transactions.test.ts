/** Files that code removes within a transaction: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { note, upload } from '../../../support/media/uploads.ts';
import { contentType, makeProject, type ProjectFiles } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';
import { until } from '../../../support/wait.ts';

const PROJECT: ProjectFiles = {
  contentTypes: {
    page: contentType('page', { text: { type: 'string' }, cover: { type: 'media', multiple: false } }),
  },
  files: {
    'src/api/page/content-types/page/lifecycles.js': `const { errors } = require('@strapi/utils');
module.exports = {
  async beforeDelete(event) {
    event.state.page = await strapi.db.query('api::page.page').findOne({ where: event.params.where, populate: ['cover'] });
  },
  async afterDelete({ state: { page } }) {
    if (page.cover) await strapi.plugin('upload').service('upload').remove(page.cover);
    if (page.text === 'kept') throw new errors.ApplicationError('It stays');
  },
};`,
  },
};

for (const engine of engines) {
  describe(`files that code removes within a transaction on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server.stop());

    const remove = async (text: string) => {
      const token = server.secrets['full'];
      const [file] = (await upload(server, token, [note()])).body;
      const made = await server.request('POST', '/api/pages', { token, body: { data: { text, cover: file.id } } });
      const { status } = await server.request('DELETE', `/api/pages/${made.body.data.documentId}`, { token });
      const statuses = async () => [
        (await server.request('GET', `/api/upload/files/${file.id}`, { token })).status,
        (await server.request('GET', file.url)).status,
      ];
      return { status, statuses };
    };

    it('are gone once it is committed', async () => {
      const { status, statuses } = await remove('gone');
      strictEqual(status, 204);
      await until('the file and its bytes are gone', async () => String(await statuses()) === '404,404');
    });

    it('are there with their bytes where it is rolled back', async () => {
      const { status, statuses } = await remove('kept');
      strictEqual(status, 400);
      deepStrictEqual(await statuses(), [200, 200]);
    });
  });
}
