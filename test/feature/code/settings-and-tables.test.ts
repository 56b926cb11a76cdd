/** `strapi.store` and Knex: settings that Strapi has from its first start on, and its tables that Galley does not keep. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** What code may ask, with what Strapi answers. */
const VALUES: readonly (readonly [expression: string, value: unknown])[] = [
  ["await strapi.store({ type: 'plugin', name: 'i18n', key: 'default_locale' }).get()", 'en'],
  ["(await strapi.store({ key: 'admin_auth' }).get()).providers.autoRegister", false],
  ["(await strapi.store({ type: 'plugin', name: 'upload', key: 'view_configuration' }).get()).pageSize", 10],
  [
    "await (async () => { const store = strapi.store({ key: 'own' }); await store.set({ value: 'text' }); await store.set({ tag: 'other', value: 2 }); return [await store.get(), await store.get({ tag: 'other' }), (await strapi.db.query('strapi::core-store').findOne({ where: { key: 'core_own', tag: null } })).value]; })()",
    ['text', 2, '"text"'],
  ],
  [
    "await (async () => { const store = strapi.store({ key: 'own' }); await store.delete({ tag: 'other' }); return [await store.get(), await store.get({ tag: 'other' })]; })()",
    ['text', null],
  ],
  ["await strapi.store({ key: 'nothing' }).get()", null],
  ["await strapi.db.connection.schema.hasTable('notes')", true],
  ["await strapi.db.connection.schema.hasTable('nothing')", false],
  ['Boolean(strapi.db.connection.client.driver && strapi.db.connection.client.config.connection)', true],
  ["await strapi.db.connection.transaction(async (trx) => Number((await trx('notes').count({ all: '*' }))[0].all))", 0],
];
const REFUSED = [
  "await strapi.store({ type: 'strapi', name: 'content_types', key: 'schema' }).get()",
  "await strapi.store({ type: 'plugin', name: 'content_manager', key: 'configuration_content_types::api::note.note' }).get()",
  "await strapi.db.query('strapi::core-store').findOne({ where: { key: 'core_admin_auth' } })",
  "typeof strapi.db.lifecycles.subscribe({ models: ['strapi::core-store'], beforeUpdate() {} })",
  "await strapi.db.connection('strapi_sessions').where({ user_id: '1' })",
  "await strapi.db.connection.raw('select * from STRAPI_HISTORY_VERSIONS')",
  "await strapi.db.connection('strapi_workflows_stages_workflow_lnk').select()",
  "await strapi.db.connection.schema.hasTable('strapi_releases')",
  'strapi.db.connection.client.config.connection.filename',
  'strapi.db.connection.client.driver.prototype',
];

const route = (test: string, index: number) =>
  `{ method: 'GET', path: '/value/${index}', handler: async () => { try { return { value: ${test} }; } catch (error) { return 'let in'; } }, config: { auth: false } }`;

for (const engine of engines) {
  describe(`settings and tables of Strapi on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const project = await makeProject({
        contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
        files: {
          'src/api/note/routes/values.js': `module.exports = { routes: [${[...VALUES.map(([one]) => one), ...REFUSED].map(route)}] };`,
        },
      });
      server = await serveSeeded(engine, project);
    });
    after(() => server?.stop());

    it('are those of Strapi where Galley keeps them', async () => {
      for (const [index, [expression, value]] of VALUES.entries()) {
        const { status, body } = await server.get(`/api/value/${index}`);
        deepStrictEqual({ expression, status, body }, { expression, status: 200, body: { value } });
      }
    });

    it('are refused where it does not', async () => {
      for (const [index, expression] of REFUSED.entries()) {
        const { status } = await server.get(`/api/value/${VALUES.length + index}`);
        strictEqual(status, 500, expression);
      }
    });
  });
}
