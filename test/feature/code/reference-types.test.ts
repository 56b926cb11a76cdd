/** Schemas of the types of Strapi's own packages as code reads them: with all that they say, tables or none. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ACCOUNT = 'plugin::users-permissions.user';
/** What code may ask, with what Strapi answers. */
const VALUES: (readonly [expression: string, value: unknown])[] = [
  [
    `Object.entries(strapi.contentType('${ACCOUNT}').attributes).filter(([, one]) => one.configurable === false).map(([name]) => name).join(' ')`,
    'username email provider password resetPasswordToken confirmationToken confirmed blocked role publishedAt createdBy updatedBy locale localizations',
  ],
  [`strapi.contentTypes['${ACCOUNT}'].attributes.blocked`, { type: 'boolean', default: false, configurable: false }],
  [`strapi.getModel('${ACCOUNT}').attributes.password.searchable`, false],
  ["strapi.getModel('admin::user').attributes.email.unique", true],
  ["strapi.getModel('admin::user').attributes.locale.writable", true],
  ["strapi.contentTypes['plugin::upload.file'].globalId", 'UploadFile'],
  ["strapi.contentTypes['plugin::i18n.locale'].globalId", 'I18NLocale'],
  ["strapi.components['shared.seo'].globalId", 'ComponentSharedSeo'],
  ["strapi.contentTypes['plugin::upload.file'].pluginOptions['content-type-builder'].visible", false],
  ["strapi.contentTypes['admin::session'].collectionName", 'strapi_sessions'],
  ['Object.keys(strapi.contentTypes).filter((uid) => /release|workflow|transfer|session/.test(uid)).length', 7],
  ["'admin::transfer-token' in strapi.get('content-types').getAll()", true],
  ["[...strapi.db.metadata.values()].some(({ tableName }) => tableName === 'strapi_sessions')", true],
  ["strapi.db.metadata.has('strapi::webhook')", true],
  [
    "strapi.contentTypes['api::note.note'].attributes.text",
    { type: 'string', configurable: false, own: { of: 'the project' } },
  ],
  ["strapi.contentTypes['api::note.note'].pluginOptions", { 'content-manager': { visible: true }, own: 1 }],
];
/** Names in the registries: what Strapi lists, with the parts that Galley has at their places. */
const LISTS: typeof VALUES = [
  ["'admin::token' in strapi.services && Object.hasOwn(strapi.services, 'plugin::content-manager.uid')", true],
  ["Object.keys(strapi.services).filter((uid) => uid.startsWith('plugin::users-permissions.')).length", 7],
  ["Object.keys(strapi.get('policies').getAll()).includes('admin::isAuthenticatedAdmin')", true],
  ["strapi.get('middlewares').keys().includes('strapi::session')", true],
  ["'admin::authentication' in { ...strapi.controllers }", true],
  ["typeof { ...strapi.services }['plugin::users-permissions.user'].fetch", 'function'],
  ["Object.keys(strapi.plugins).includes('content-manager') && 'review-workflows' in strapi.plugins", true],
  [
    "Object.entries(strapi.plugins).flatMap(([, { contentTypes }]) => Object.keys(contentTypes)).includes('workflow')",
    true,
  ],
  ["'app' in strapi", true],
  ["strapi.sanitizers.get('content-api').query", []],
  ["strapi.sanitizers.get('content-api.output').length", 1],
  ["[strapi.validators.has('content-api.query'), strapi.validators.has('content-api.output')]", [true, false]],
  ["strapi.contentAPI.permissions.getActionsMap()['plugin::email']", { controllers: { email: ['send'] } }],
  ["strapi.config.has('features') || strapi.features.config !== undefined", false],
];
VALUES.push(...LISTS);
const REFUSED = [
  "strapi.services['admin::token']",
  "{ ...strapi.services }['admin::token'].hasToken",
  'Object.values(strapi.policies).map((policy) => policy())',
  "strapi.controllers['own'] = 1",
  "strapi.plugin('content-manager').service('uid')",
  'strapi.app',
  "strapi.sanitizers.get('content-api.output')[0]({})",
  'strapi.server.httpServer.address() === null',
  "strapi.db.metadata.get('admin::session').attributes",
  "strapi.db.metadata.get('notes_note_lnk')",
  "strapi.db.query('admin::session')",
];

const route = (test: string, index: number) =>
  `{ method: 'GET', path: '/value/${index}', handler: () => { try { return { value: ${test} }; } catch (error) { return 'let in'; } }, config: { auth: false } }`;

for (const engine of engines) {
  describe(`types of Strapi's own packages on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const text = { type: 'string', configurable: false, own: { of: 'the project' } };
      const note = contentType('note', { text });
      const project = await makeProject({
        contentTypes: { note: { ...note, pluginOptions: { 'content-manager': { visible: true }, own: 1 } } },
        components: { 'shared/seo': { collectionName: 'seos', info: { displayName: 'Seo' }, attributes: { text } } },
        files: {
          'src/api/note/routes/values.js': `module.exports = { routes: [${[...VALUES.map(([one]) => one), ...REFUSED].map(route)}] };`,
          // as plugins do that look for their own option in all types
          'src/index.js': `module.exports = { register({ strapi }) {
            for (const type of Object.values(strapi.contentTypes)) if (type.pluginOptions?.own) type.options.comment = 'own';
          }, bootstrap({ strapi }) { for (const { uid } of strapi.db.metadata.values()) strapi.getModel(uid); } };`,
        },
      });
      server = await serveSeeded(engine, project);
    });
    after(() => server?.stop());

    it("have the content of Strapi's schemas", async () => {
      for (const [index, [expression, value]] of VALUES.entries()) {
        const { status, body } = await server.get(`/api/value/${index}`);
        deepStrictEqual({ expression, status, body }, { expression, status: 200, body: { value } });
      }
    });

    it('are refused where their rows or tables are needed', async () => {
      for (const [index, expression] of REFUSED.entries()) {
        const { status } = await server.get(`/api/value/${VALUES.length + index}`);
        strictEqual(status, 500, expression);
      }
    });
  });
}
